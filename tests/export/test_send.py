"""What waits in a real store goes to a real receiver: all of it, once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha1

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTracePartialSuccess, ExportTraceServiceResponse

from fusionscope.export.endpoint import Endpoint
from fusionscope.export.lock import sending
from fusionscope.export.send import Sent, send_waiting
from fusionscope.store import outbox
from tests.conftest import Stage
from tests.export.receiver import Receiver, Reply, closed_port, values
from tests.export.sending import FakeClock, delivery
from tests.logs import Log, a_turn, place


def _send(stage: Stage, receiver: Receiver) -> Sent:
    return send_waiting(stage.connection, Endpoint(receiver.url), "/root")


def _waiting(stage: Stage) -> int:
    return outbox.waiting_count(stage.connection, "traces")


def test_every_ended_turn_is_sent_once_with_a_span_a_leg(stage: Stage) -> None:
    log = a_turn()
    place(stage.root, log.turn("f2"))
    stage.index()
    with Receiver() as receiver:
        assert _send(stage, receiver) == Sent(2, 8, 0, None)
        assert [span.name for span in receiver.spans] == 2 * [
            "fusion cascade", "primary m-small", "judge m-big", "repair m-big",
        ]  # fmt: skip
        assert receiver.spans[0].trace_id.hex() == sha1(b"trace:f1").hexdigest()[:32]
        assert receiver.spans[1].parent_span_id == receiver.spans[0].span_id
        assert receiver.spans[0].end_time_unix_nano - receiver.spans[0].start_time_unix_nano == 9 * 10**9
        assert _send(stage, receiver) == Sent(0, 0, 0, None)
        stage.index()
        _send(stage, receiver)
        assert len(receiver.requests) == 1


def test_an_open_turn_waits_for_its_end(stage: Stage) -> None:
    log = a_turn()
    end = log.lines.pop()
    path = place(stage.root, log)
    stage.index()
    with Receiver() as receiver:
        assert _send(stage, receiver).turns == 0
        path.write_bytes(bytes(log) + end)
        stage.index()
        assert _send(stage, receiver) == Sent(1, 4, 0, None)


def test_a_turn_sent_as_given_up_adds_only_what_is_new_when_it_ends_after_all(stage: Stage) -> None:
    log = a_turn()
    repair, commit, end = log.lines[6:]
    del log.lines[5:]
    resume = log.resume()
    path = place(stage.root, log)
    stage.index()
    with Receiver() as receiver:
        assert _send(stage, receiver) == Sent(1, 3, 0, None)
        incomplete = {item.key: item.value.bool_value for item in receiver.spans[0].attributes}
        assert incomplete["github.copilot.fusion.incomplete"]
        path.write_bytes(b"".join([*log.lines[:5], repair, commit, end, resume]))
        stage.index()
        assert stage.turn().state == "completed"
        assert _send(stage, receiver) == Sent(1, 1, 0, None)
        assert receiver.spans[-1].name == "repair m-big"
        assert len({span.trace_id for span in receiver.spans}) == 1
        assert len({span.span_id for span in receiver.spans}) == 4


def test_a_turn_that_was_given_up_a_moment_ago_waits_for_its_end(stage: Stage) -> None:
    """Two CLIs in one session: the turn that begins looks like the end of the one that is running."""
    now = datetime.now(UTC).replace(tzinfo=None, microsecond=0) - timedelta(seconds=20)
    running, beside = Log("s1", now.isoformat()), Log("s1", (now + timedelta(seconds=12)).isoformat())
    running.turn("f1")
    end = running.lines.pop()
    beside.resolved("f2")
    path = place(stage.root, bytes(running) + bytes(beside))
    stage.index()
    assert {turn.fusion_id: turn.state for turn in stage.turns()} == {"f1": "abandoned", "f2": "open"}
    with Receiver() as receiver:
        assert _send(stage, receiver).turns == 0
        with path.open("ab") as file:
            file.write(end)
        stage.index()
        assert _send(stage, receiver).turns == 1
        (root,) = [span for span in receiver.spans if not span.parent_span_id]
        assert values(root.attributes)["github.copilot.fusion.outcome"] == "completed"


def test_a_refused_connection_is_one_sentence_and_nothing_is_marked_as_sent(stage: Stage) -> None:
    place(stage.root, a_turn())
    stage.index()
    with closed_port() as port:
        sent = send_waiting(stage.connection, Endpoint(f"http://127.0.0.1:{port}"), "/root")
    assert sent.turns == 0
    assert sent.failure is not None
    assert "connection refused" in sent.failure
    assert _waiting(stage) == 1
    with Receiver() as receiver:
        assert _send(stage, receiver).turns == 1


def test_what_was_taken_before_a_failure_is_not_sent_again(stage: Stage) -> None:
    log = a_turn()
    for n in range(2, 302):
        log.turn(f"f{n}")
    place(stage.root, log)
    stage.index()
    with Receiver() as receiver:
        receiver.reply(200)
        receiver.reply(503)
        first = _send(stage, receiver)
        assert first.turns == 512 // 4
        assert first.failure is not None
        assert _waiting(stage) == 301 - 128
        second = _send(stage, receiver)
        assert (second.turns, second.failure, _waiting(stage)) == (301 - 128, None, 0)
        sent = [span.span_id for request in receiver.requests if request.status == 200 for span in request.spans]
        assert len(sent) == len(set(sent)) == 301 * 4


def test_spans_the_receiver_throws_away_are_counted_and_not_sent_again(stage: Stage) -> None:
    place(stage.root, a_turn())
    stage.index()
    with Receiver() as receiver:
        partly = ExportTraceServiceResponse(
            partial_success=ExportTracePartialSuccess(rejected_spans=1, error_message="too old")
        )
        receiver.reply(200, body=partly.SerializeToString())
        assert _send(stage, receiver) == Sent(1, 3, 1, None)
        assert _waiting(stage) == 0


def test_metrics_are_sent_as_samples_and_leave_the_traces_waiting(stage: Stage) -> None:
    place(stage.root, a_turn())
    stage.index()
    with Receiver() as receiver:
        # the turn has 3 samples and each of its 3 legs has 8
        assert send_waiting(stage.connection, Endpoint(receiver.url), "/root", "metrics") == Sent(1, 27, 0, None)
        assert [request.path for request in receiver.requests] == ["/v1/metrics"]
    assert _waiting(stage) == 1


def test_a_turn_that_is_refused_is_set_aside_and_tried_again_when_somebody_asks(stage: Stage) -> None:
    log = a_turn()
    log.turn("f2")
    place(stage.root, log)
    stage.index()
    with Receiver() as receiver:
        receiver.decide = lambda request: Reply(400 if b"f1:p0" in request.body else 200)
        why = f"{receiver.url} does not understand what was sent (HTTP 400)"
        assert _send(stage, receiver) == Sent(1, 4, 0, None, 1, why)
        receiver.decide = lambda request: Reply()
        assert _send(stage, receiver) == Sent(0, 0, 0, None)
        assert send_waiting(stage.connection, Endpoint(receiver.url), "/root", parked_too=True) == Sent(1, 4, 0, None)


def test_what_another_process_is_sending_is_left_to_it(stage: Stage) -> None:
    place(stage.root, a_turn())
    stage.index()
    clock = FakeClock()
    with Receiver() as receiver, sending(stage.connection):
        sent = send_waiting(stage.connection, Endpoint(receiver.url), "/root", clock=clock)
        assert receiver.requests == []
    assert (sent.turns, sent.failure) == (0, "Another process is sending from this database")
    assert 30 < clock.passed < 31


def test_a_failure_is_noted_for_whoever_asks_later_but_does_not_make_anything_old(stage: Stage) -> None:
    place(stage.root, a_turn())
    stage.index()
    with Receiver() as receiver:
        receiver.reply(404)
        failure = _send(stage, receiver).failure
    found = delivery(stage)
    assert (found.last_trouble, found.failing_since, found.stopped) == (failure, None, None)
