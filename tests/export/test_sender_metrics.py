"""Both forms of the metrics, from a real store to a real receiver, over restarts and rebuilt databases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pytest

from fusionscope.export.courier import IDLE_S
from fusionscope.store import metrics, outbox
from fusionscope.store.database import connect
from fusionscope.store.outbox import deliveries
from tests.conftest import Stage
from tests.export.receiver import Receiver, Reply, Request
from tests.export.sending import FakeClock, delivery, place_turns, run
from tests.export.wire import series
from tests.logs import CREDIT, Log, a_turn, place

if TYPE_CHECKING:
    from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric

F = "github.copilot.fusion."

Place = tuple[str, tuple[tuple[str, Any], ...], int]


def samples(of: Iterable[Metric]) -> dict[Place, float]:
    """The value of every sample by metric, labels and millisecond; fails where two share one."""
    found: dict[Place, float] = {}
    for metric in of:
        for point in metric.gauge.data_points:
            place = (metric.name.removeprefix(F), series(point), point.time_unix_nano // 10**6)
            assert place not in found
            found[place] = getattr(point, point.WhichOneof("value"))
    return found


def total(found: dict[Place, float], name: str) -> float:
    return sum(value for (metric, _, _), value in found.items() if metric == name)


def together(name: str, begins: str, count: int, critics: int = 3) -> Log:
    """Turns of which several critics end at once; sessions that begin together end together."""
    log = Log(name, begins)
    log.start()
    for number in range(count):
        fusion_id = f"{name}-f{number}"
        log.resolved(fusion_id, "critique")
        log.leg(fusion_id, 0, "draft", "m-small", CREDIT)
        for critic in range(critics):
            log.leg(fusion_id, 1 + critic, "critic", "m-big", (number + critic) * CREDIT, seconds=0)
        log.leg(fusion_id, 9, "revision", "m-big", CREDIT)
        log.completed(fusion_id, 9, "m-big", "critique")
    return log


def test_samples_of_one_series_never_share_a_millisecond_over_pages_and_restarts(stage: Stage) -> None:
    with Receiver() as receiver:
        for name in ("s3", "s1", "s2"):
            place(stage.root, together(name, "2026-11-30T10:00:00", 5))
            stage.index()
            run(stage, receiver.url)
        found = samples(receiver.metrics)
    assert total(found, "turn") == 15
    assert total(found, "leg") == 15 * 5
    assert total(found, "leg.credits") == 3 * sum(2 + 3 * number + 3 for number in range(5))


def test_more_samples_in_a_millisecond_than_are_looked_at_together_are_kept_apart(stage: Stage) -> None:
    with Receiver() as receiver:
        for name in ("s1", "s2"):
            place(stage.root, together(name, "2026-11-30T10:00:00", 1, critics=40))
            stage.index()
            run(stage, receiver.url)
        critics = {
            at for (name, labels, at) in samples(receiver.metrics) if name == "leg" and "critic" in dict(labels).values()
        }
    assert critics == set(range(min(critics), min(critics) + 80))


def test_a_database_that_is_made_again_gives_the_same_samples_to_the_bit(stage: Stage) -> None:
    first, second = together("s1", "2026-11-30T10:00:00", 4), together("s2", "2026-11-30T10:00:00", 4)
    place_turns(stage, 3, "s0")
    with Receiver() as receiver:
        # as it happened: turn by turn, in the order of their ends
        for lines in range(len(first.lines) + 1):
            place(stage.root, b"".join(first.lines[:lines]), first.session_id)
            place(stage.root, b"".join(second.lines[:lines]), second.session_id)
            stage.index()
            run(stage, receiver.url)
        lived = samples(receiver.metrics)
        assert len(receiver.requests) > 4
    stage.connection.close()
    stage.database.unlink()
    stage.connection = connect(stage.database)
    stage.index()
    with Receiver() as receiver:
        run(stage, receiver.url)
        assert samples(receiver.metrics) == lived


def test_the_models_that_were_seen_first_keep_their_name_whenever_their_turns_are_sent(stage: Stage) -> None:
    def session(name: str, begins: str, models: Iterable[int]) -> Log:
        log = Log(name, begins)
        log.start()
        for model in models:
            log.resolved(f"f{model}", "single")
            log.leg(f"f{model}", 0, "primary", f"m{model:02}", CREDIT)
            log.completed(f"f{model}", 0, f"m{model:02}", "single")
        return log

    with Receiver() as receiver:
        # the later session is read and sent first
        place(stage.root, session("late", "2026-11-30T12:00:00", range(15, 30)))
        stage.index()
        run(stage, receiver.url)
        place(stage.root, session("early", "2026-11-30T10:00:00", range(15)))
        place(stage.root, session("again", "2026-11-30T14:00:00", [100, 101]))
        stage.index()
        run(stage, receiver.url)
        labels = {dict(labels)["gen_ai.response.model"] for (name, labels, _) in samples(receiver.metrics) if name == "leg"}
    assert labels == {*(f"m{number:02}" for number in range(30)), "_other"}
    known = metrics.models_after(stage.connection, 0)[0]
    assert len(known) == 32


def test_what_is_too_old_for_prometheus_is_found_without_asking_for_each_and_the_rest_is_sent(stage: Stage) -> None:
    place_turns(stage, 60)
    with Receiver() as receiver:
        limit = stage.turns()[50].ended_at or 0

        def window(request: Request) -> Reply:
            times = [point.time_unix_nano // 10**6 for metric in request.metrics for point in metric.gauge.data_points]
            too_old = any(time <= limit for time in times)
            return Reply(400, {"Content-Type": "text/plain"}, b"too old sample") if too_old else Reply()

        receiver.decide = window
        said = run(stage, receiver.url, FakeClock(idle=3))
        requests = [request for request in receiver.requests if request.path == "/v1/metrics"]
        assert total(samples(receiver.metrics), "turn") == 9
    assert len(requests) < 50
    assert len(said) == 1
    assert said[0].endswith("too old sample.")
    found = delivery(stage, "metrics")
    assert (found.sent, found.waiting, found.parked) == (60, 0, 0)
    # and the route of the next turn, which began before
    assert found.lost == 51 * 27 + 1


def test_series_are_few_however_many_sessions_there_are(stage: Stage) -> None:
    for number in range(40):
        place(stage.root, a_turn(f"f{number}"), f"s{number}")
    stage.index()
    with Receiver() as receiver:
        run(stage, receiver.url)
        found = samples(receiver.metrics)
        resources = {request.resource_metrics[0].resource.SerializeToString() for request in receiver.requests[1:]}
    assert total(found, "turn") == 1 * 40
    assert len({(name, labels) for name, labels, _ in found}) == 3 + 3 * 8
    assert len(resources) == 1


def counters(request: Request) -> dict[str, float]:
    """The sum over the series of each counter in one request."""
    found: defaultdict[str, float] = defaultdict(float)
    for metric in request.metrics:
        for point in metric.sum.data_points:
            found[metric.name.removeprefix(F)] += getattr(point, point.WhichOneof("value"))
        for bucket in metric.histogram.data_points:
            found[metric.name.removeprefix(F)] += bucket.sum
    return dict(found)


def starts(receiver: Receiver) -> set[int]:
    return {
        point.start_time_unix_nano
        for metric in receiver.metrics
        for point in (*metric.sum.data_points, *metric.histogram.data_points)
    }


def reports(receiver: Receiver) -> list[dict[str, float]]:
    return [counters(request) for request in receiver.requests if request.path == "/v1/metrics"]


def test_counters_grow_over_restarts_and_are_never_reset(stage: Stage) -> None:
    with Receiver() as receiver:
        for number in range(5):
            place_turns(stage, 10, f"s{number}")
            run(stage, receiver.url, metrics="counters")
        # a start with nothing new says the same again
        run(stage, receiver.url, metrics="counters")
        found = reports(receiver)
        assert starts(receiver) == {metrics.created_at(stage.connection) * 10**6}
    assert [report["credits"] for report in found] == [125.0, 250.0, 375.0, 500.0, 625.0, 625.0]
    assert [report["turn.count"] for report in found] == [10, 20, 30, 40, 50, 50]
    assert found[-1]["phase.count"] == 150
    assert found[-1]["usage.input_tokens"] == 15_000
    assert found[-1]["turn.duration"] == 450.0
    assert [one.signal for one in deliveries(stage.connection) if one.configured] == ["traces", "counters"]


def test_counters_are_sent_at_the_start_and_a_minute_later_only_when_something_changed(stage: Stage) -> None:
    place_turns(stage, 1)

    def grow(clock: FakeClock) -> None:
        if clock.passed == 3 * IDLE_S:
            place_turns(stage, 2, "s2")

    clock = FakeClock(idle=40, until=grow)
    with Receiver() as receiver:
        run(stage, receiver.url, clock, metrics="counters")
        assert [report["turn.count"] for report in reports(receiver)] == [1, 3]
        times = [
            request.metrics[0].sum.data_points[0].time_unix_nano
            for request in receiver.requests
            if request.path == "/v1/metrics"
        ]
    assert times[1] - times[0] == 60 * 10**9


def test_counters_do_not_fall_when_a_turn_that_was_given_up_goes_on(stage: Stage) -> None:
    log = a_turn()
    repair, commit, end = log.lines[6:]
    del log.lines[5:]
    resume = log.resume()
    path = place(stage.root, log)
    stage.index()
    with Receiver() as receiver:
        run(stage, receiver.url, metrics="counters")
        path.write_bytes(b"".join([*log.lines[:5], repair, commit, end, resume]))
        stage.index()
        run(stage, receiver.url, metrics="counters")
        found = reports(receiver)
    assert [(report["turn.count"], report["credits"]) for report in found] == [(1, 2.5), (1, 12.5)]


def test_counters_survive_a_receiver_that_is_away(stage: Stage) -> None:
    place_turns(stage, 2)
    with Receiver() as receiver:
        receiver.decide = lambda request: Reply() if request.path == "/v1/traces" or len(receiver.requests) > 4 else Reply(503)
        said = run(stage, receiver.url, metrics="counters")
        assert counters(receiver.requests[-1])["turn.count"] == 2
    assert said[0].startswith("Counters wait to be sent")
    assert said[1].startswith("Counters: ")


def test_turns_that_came_while_counters_were_off_are_added_when_they_are_on_again(stage: Stage) -> None:
    place_turns(stage, 1)
    with Receiver() as receiver:
        run(stage, receiver.url, metrics="counters")
        place_turns(stage, 1, "s2")
        run(stage, receiver.url, metrics="samples")
        place_turns(stage, 1, "s3")
        run(stage, receiver.url, metrics="off")
        run(stage, receiver.url, metrics="counters")
        assert counters(receiver.requests[-1])["turn.count"] == 3
        # the form that was off has what it missed, too
        run(stage, receiver.url, metrics="samples")
        assert total(samples(receiver.metrics), "turn") == 3


def test_samples_wait_while_metrics_are_off(stage: Stage) -> None:
    place_turns(stage, 2)
    with Receiver() as receiver:
        run(stage, receiver.url, metrics="off")
        assert {request.path for request in receiver.requests} == {"/v1/traces"}
    assert (delivery(stage, "metrics").waiting, delivery(stage, "metrics").configured) == (2, False)


def test_a_counter_that_a_receiver_finds_too_large_does_not_take_the_others_with_it(stage: Stage) -> None:
    place_turns(stage, 2)
    with Receiver() as receiver:
        receiver.decide = lambda request: Reply(413 if F + "credits" in {metric.name for metric in request.metrics} else 200)
        run(stage, receiver.url, metrics="counters")
        names = {metric.name for metric in receiver.metrics}
    assert len(names) == 10
    assert F + "credits" not in names
    assert delivery(stage, "counters").lost == 1


@pytest.mark.parametrize("status", [400, 404])
def test_refused_counters_stop_and_are_said_once(stage: Stage, status: int) -> None:
    place_turns(stage, 2)
    with Receiver() as receiver:
        receiver.decide = lambda request: Reply(200 if request.path == "/v1/traces" else status)
        said = run(stage, receiver.url, FakeClock(idle=20), metrics="counters")
        assert len(reports(receiver)) == 1
    assert [sentence.split(":")[0] for sentence in said] == ["Counters are no longer sent"]
    assert outbox.waiting_count(stage.connection, "counters") == 0
