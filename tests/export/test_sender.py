"""From a turn in a real store to a real receiver, whatever the receiver does. Waits are asked for and not waited."""

from __future__ import annotations

from collections import Counter

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTracePartialSuccess, ExportTraceServiceResponse

from fusionscope.export.courier import Bounds
from fusionscope.store import outbox
from tests.conftest import Stage
from tests.export.receiver import Receiver, Reply, Request, closed_port, values
from tests.export.sending import FUSION_ID, FakeClock, delivery, place_turns, roots, run
from tests.logs import a_turn, place


def traces_only(reply: Reply) -> Receiver:
    """A receiver that gives ``reply`` to everything but traces."""
    receiver = Receiver()
    receiver.decide = lambda request: Reply() if request.path == "/v1/traces" else reply
    return receiver


def point_count(receiver: Receiver) -> int:
    return sum(len(metric.gauge.data_points) for metric in receiver.metrics)


def test_turns_go_out_as_traces_and_as_samples_and_nothing_goes_twice_over_three_starts(stage: Stage) -> None:
    place_turns(stage, 2)
    with Receiver() as receiver:
        for _ in range(3):
            assert run(stage, receiver.url) == []
            stage.index()
        assert [request.path for request in receiver.requests] == ["/v1/traces", "/v1/metrics"]
    assert len(receiver.spans) == len({span.span_id for span in receiver.spans}) == 8
    # a turn has 3 samples and each of its 3 legs has 8
    assert point_count(receiver) == 2 * (3 + 3 * 8)
    assert [(one.signal, one.waiting, one.sent, one.configured) for one in outbox.deliveries(stage.connection)] == [
        ("traces", 0, 2, True),
        ("metrics", 0, 2, True),
    ]


def test_a_busy_receiver_gets_the_wait_it_asks_for_and_one_trace(stage: Stage) -> None:
    place_turns(stage, 1)
    clock = FakeClock()
    with Receiver() as receiver:
        receiver.reply(503, {"Retry-After": "2"}, times=3)
        said = run(stage, receiver.url, clock, metrics="off")
        assert len(receiver.requests) == 4
    assert clock.waits == [2.0, 2.0, 2.0]
    assert len({span.trace_id for span in receiver.spans}) == 1
    assert len(receiver.spans) == 4
    assert said == [
        f"Traces wait to be sent: {receiver.url} cannot take it now (HTTP 503).",
        f"Traces: {receiver.url} takes them again.",
    ]


def test_a_long_refusal_backs_off_and_then_a_hundred_turns_arrive_in_order(stage: Stage) -> None:
    place_turns(stage, 100)
    started: list[Receiver] = []
    with closed_port() as port:
        pass

    def up(clock: FakeClock) -> None:
        if clock.passed > 600 and not started:
            started.append(Receiver(port).__enter__())

    clock = FakeClock(until=up)
    said = run(stage, f"http://127.0.0.1:{port}", clock, metrics="off")
    started[0].__exit__(None, None, None)
    assert roots(started[0]) == [f"s1-f{number}" for number in range(100)]
    assert len(started[0].spans) == 400
    steps = [1, 2, 4, 8, 16, 32, 64, 128, 250, 250, 250]
    assert all(step <= wait <= 1.2 * step for step, wait in zip(steps, clock.waits, strict=False))
    assert 8 < len(clock.waits) < 12
    assert len(said) == 2


def test_while_it_fails_the_store_knows_since_when_and_why(stage: Stage) -> None:
    place_turns(stage, 3)
    clock = FakeClock(until=lambda clock: len(clock.waits) == 3)
    with Receiver() as receiver:
        receiver.decide = lambda request: Reply(503)
        run(stage, receiver.url, clock, metrics="off")
    found = delivery(stage)
    assert (found.waiting, found.sent, found.failures, found.stopped) == (3, 0, 3, None)
    assert found.failing_since == clock.now() - round(1_000 * sum(clock.waits))
    assert found.next_try_at is not None
    assert abs(found.next_try_at - clock.now()) <= 1
    assert found.last_trouble == f"{receiver.url} cannot take it now (HTTP 503)"


def test_a_restart_does_not_forget_the_wait_that_was_asked_for(stage: Stage) -> None:
    place_turns(stage, 1)
    first = FakeClock(until=lambda clock: True)
    with Receiver() as receiver:
        receiver.reply(429, {"Retry-After": "600"})
        run(stage, receiver.url, first, metrics="off")
        second = FakeClock(now=first.now() - 570_000)
        run(stage, receiver.url, second, metrics="off")
    assert first.waits == [600.0]
    assert second.waits == [570.0]
    assert len(receiver.spans) == 4


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 415])
def test_an_endpoint_that_refuses_is_left_alone_until_it_changes_with_one_message(stage: Stage, status: int) -> None:
    place_turns(stage, 3)
    with Receiver() as receiver:
        receiver.decide = lambda request: Reply(status)
        said = run(stage, receiver.url, FakeClock(idle=50), metrics="off")
        tries = len(receiver.requests)
        # 400: is nothing refused, too? 415: without gzip?
        assert tries == (2 if status in {400, 415} else 1)
        assert len(said) == 1
        assert said[0].startswith(f"Traces are no longer sent: {receiver.url} ")
        assert f"(HTTP {status})" in said[0]
        found = delivery(stage)
        assert (found.waiting, found.parked) == (3, 0)
        assert found.stopped is not None
        # another start: one try
        assert len(run(stage, receiver.url, FakeClock(idle=50), metrics="off")) == 1
        assert len(receiver.requests) == 2 * tries
        # other headers
        receiver.decide = lambda request: Reply(200 if "authorization" in request.headers else status)
        assert run(stage, receiver.url, headers={"authorization": "Bearer x"}, metrics="off") == []
        assert roots(receiver) == ["s1-f0", "s1-f1", "s1-f2"]
    assert delivery(stage).stopped is None
    assert b"Bearer" not in stage.database.read_bytes()


def test_an_endpoint_without_metrics_gets_traces_all_the_same(stage: Stage) -> None:
    place_turns(stage, 2)
    with traces_only(Reply(404)) as receiver:
        said = run(stage, receiver.url, FakeClock(idle=5))
        place_turns(stage, 1, "s2")
        run(stage, receiver.url)
        assert len(roots(receiver)) == 3
    assert len(said) == 1
    assert said[0].startswith("Metrics are no longer sent")
    assert delivery(stage, "metrics").stopped is not None
    assert (delivery(stage).stopped, delivery(stage).waiting) == (None, 0)


def test_what_another_process_gets_through_ends_the_stop(stage: Stage) -> None:
    place_turns(stage, 2)

    def mended(clock: FakeClock) -> None:
        stage.connection.execute("UPDATE delivery SET stopped = NULL")

    with Receiver() as receiver:
        receiver.reply(404)
        said = run(stage, receiver.url, FakeClock(idle=2, until=mended), metrics="off")
        assert len(roots(receiver)) == 2
    assert said[1:] == [f"Traces: {receiver.url} takes them again."]


def refusing(*fusion_ids: str) -> Receiver:
    """A receiver that answers 400 to a request with one of these turns in it."""
    receiver = Receiver()

    def decide(request: Request) -> Reply:
        within = {values(span.attributes)[FUSION_ID] for span in request.spans}
        return Reply(400, {"Content-Type": "text/plain"}, b"bad span") if within & set(fusion_ids) else Reply()

    receiver.decide = decide
    return receiver


def test_turns_that_are_refused_are_found_and_set_aside_and_the_rest_goes_on(stage: Stage) -> None:
    place_turns(stage, 40)
    others = [f"s1-f{number}" for number in range(40) if number not in (7, 30)]
    with refusing("s1-f7", "s1-f30") as receiver:
        said = run(stage, receiver.url, FakeClock(idle=20), metrics="off")
        assert roots(receiver) == others
        assert len(receiver.requests) < 40
        requests = len(receiver.requests)
        run(stage, receiver.url, FakeClock(idle=20), metrics="off")
        assert len(receiver.requests) == requests
        found = delivery(stage)
        why = f"{receiver.url} does not understand what was sent (HTTP 400): bad span"
        assert (found.waiting, found.sent, found.parked, found.parked_why) == (0, 38, 2, ((why, 2),))
        assert said == ["Traces: 2 turns are not taken and set aside: " + why + "."]
        receiver.decide = lambda request: Reply()
        said = run(stage, receiver.url, headers={"x": "1"}, metrics="off")
        assert said == ["Traces: 2 turns that were set aside are tried again."]
        assert roots(receiver) == [*others, "s1-f7", "s1-f30"]
    assert delivery(stage).parked == 0


def test_one_refusal_that_does_not_come_again_costs_nothing(stage: Stage) -> None:
    place_turns(stage, 1)
    with Receiver() as receiver:
        receiver.reply(400)
        assert run(stage, receiver.url, metrics="off") == []
        assert [len(request.spans) for request in receiver.requests] == [4, 0, 4]


def test_a_receiver_that_takes_only_nothing_is_left_alone_after_a_few_tries_and_no_turn_is_blamed(stage: Stage) -> None:
    place_turns(stage, 100)
    with Receiver() as receiver:
        receiver.decide = lambda request: Reply(400 if request.spans else 200)
        said = run(stage, receiver.url, FakeClock(idle=5), metrics="off")
        assert len(receiver.requests) < 40
    assert len(said) == 1
    assert (delivery(stage).parked, delivery(stage).waiting) == (0, 100)


def test_a_receiver_that_fails_is_tried_again(stage: Stage) -> None:
    place_turns(stage, 2)
    clock = FakeClock()
    with Receiver() as receiver:
        receiver.reply(500, times=2)
        run(stage, receiver.url, clock, metrics="off")
        assert len(roots(receiver)) == 2
    assert len(clock.waits) == 1


def test_a_receiver_with_a_small_limit_gets_three_hundred_turns_once(stage: Stage) -> None:
    place_turns(stage, 300)
    with Receiver() as receiver:
        receiver.decide = lambda request: Reply(413 if len(request.body) > 100_000 else 200)
        assert run(stage, receiver.url, metrics="off") == []
        assert roots(receiver) == [f"s1-f{number}" for number in range(300)]
        assert len(receiver.spans) == 1_200
        assert 413 in {request.status for request in receiver.requests}


def test_a_receiver_that_hangs_up_on_large_requests_gets_smaller_ones(stage: Stage) -> None:
    place_turns(stage, 100)
    clock = FakeClock()
    with Receiver() as receiver:
        receiver.decide = lambda request: Reply(0 if len(request.spans) > 100 else 200)
        run(stage, receiver.url, clock, metrics="off")
        assert len(set(roots(receiver))) == 100
        sizes = [len(request.spans) for request in receiver.requests]
    assert max(sizes) == 400
    assert len(clock.waits) < 10


def test_a_partial_success_is_counted_and_not_sent_again(stage: Stage) -> None:
    place_turns(stage, 1)
    partly = ExportTraceServiceResponse(partial_success=ExportTracePartialSuccess(rejected_spans=3, error_message="no room"))
    with Receiver() as receiver:
        receiver.reply(200, body=partly.SerializeToString())
        said = run(stage, receiver.url, FakeClock(idle=5), metrics="off")
        run(stage, receiver.url, metrics="off")
        assert len(receiver.requests) == 1
    assert said == [f"Traces: {receiver.url} threw 3 spans away: no room."]
    assert (delivery(stage).lost, delivery(stage).waiting, delivery(stage).sent) == (3, 0, 1)


def test_a_turn_given_up_and_ended_after_all_adds_only_what_is_new_to_both_signals(stage: Stage) -> None:
    log = a_turn()
    repair, commit, end = log.lines[6:]
    del log.lines[5:]
    resume = log.resume()
    path = place(stage.root, log)
    stage.index()
    with Receiver() as receiver:
        run(stage, receiver.url)
        assert (len(receiver.spans), point_count(receiver)) == (3, 3 + 2 * 8)
        path.write_bytes(b"".join([*log.lines[:5], repair, commit, end, resume]))
        stage.index()
        run(stage, receiver.url)
        assert (len(receiver.spans), point_count(receiver)) == (4, 3 + 3 * 8)
    assert len({span.span_id for span in receiver.spans}) == 4


def test_what_was_queued_long_ago_is_sent_and_not_dropped_when_an_endpoint_first_fails(stage: Stage) -> None:
    place_turns(stage, 3)
    stage.connection.execute("UPDATE outbox SET queued_at = 0")
    with Receiver() as receiver:
        receiver.reply(503)
        run(stage, receiver.url, metrics="off")
        assert len(roots(receiver)) == 3
    assert delivery(stage).dropped == 0


def test_after_thirty_days_of_failure_what_is_old_is_dropped_and_counted_and_the_rest_kept(stage: Stage) -> None:
    place_turns(stage, 3)
    stage.connection.execute("UPDATE outbox SET queued_at = 0")
    day = 86_400

    def grow(clock: FakeClock) -> bool:
        if (
            clock.passed > 20 * day
            and not stage.connection.execute("SELECT 1 FROM turn WHERE session_id LIKE 's2%'").fetchone()
        ):
            place_turns(stage, 2, "s2")
            stage.connection.execute("UPDATE outbox SET queued_at = ? WHERE queued_at != 0", (clock.now(),))
        return clock.passed > 31 * day

    clock = FakeClock(until=grow)
    with Receiver() as receiver:
        receiver.decide = lambda request: Reply(429, {"Retry-After": str(day // 2)})
        said = run(stage, receiver.url, clock, metrics="off")
        found = delivery(stage)
        assert (found.dropped, found.waiting, found.sent) == (3, 2, 0)
        assert len([sentence for sentence in said if "dropped" in sentence]) == 1
        receiver.decide = lambda request: Reply()
        stage.connection.execute("UPDATE log SET signature = NULL, offset = 0, guard = x''")
        stage.index()
        run(stage, receiver.url, FakeClock(now=clock.now() + day * 1_000), metrics="off")
        assert roots(receiver) == ["s2-f0", "s2-f1"]


def test_a_clock_that_jumps_or_a_program_that_was_off_is_no_long_failure(stage: Stage) -> None:
    place_turns(stage, 3)
    stage.connection.execute("UPDATE outbox SET queued_at = 0")
    with closed_port() as port:
        for years in (0, 10):
            clock = FakeClock(now=10**12 + years * 365 * 86_400_000, until=lambda clock: True)
            run(stage, f"http://127.0.0.1:{port}", clock, metrics="off")
    assert (delivery(stage).dropped, delivery(stage).waiting) == (0, 3)


def test_more_than_may_wait_is_dropped_from_the_old_end_while_an_endpoint_fails(stage: Stage) -> None:
    place_turns(stage, 10)
    with Receiver() as receiver:
        receiver.reply(503)
        run(stage, receiver.url, FakeClock(until=lambda clock: True), metrics="off", bounds=Bounds(turns=4))
        assert (delivery(stage).dropped, delivery(stage).waiting) == (6, 4)
        run(stage, receiver.url, metrics="off")
        assert roots(receiver) == ["s1-f6", "s1-f7", "s1-f8", "s1-f9"]


def test_bounds_hold_for_an_endpoint_that_is_left_alone_too(stage: Stage) -> None:
    place_turns(stage, 10)
    with Receiver() as receiver:
        receiver.decide = lambda request: Reply(404)
        run(stage, receiver.url, FakeClock(idle=2), metrics="off", bounds=Bounds(turns=4))
    assert (delivery(stage).dropped, delivery(stage).waiting) == (6, 4)


def test_every_sentence_is_said_once_however_long_it_lasts(stage: Stage) -> None:
    place_turns(stage, 3)
    clock = FakeClock(until=lambda clock: clock.passed > 10_000)
    with closed_port() as port:
        said = run(stage, f"http://127.0.0.1:{port}", clock)
    assert Counter(sentence.split(":")[0] for sentence in said) == {"Traces wait to be sent": 1, "Metrics wait to be sent": 1}
