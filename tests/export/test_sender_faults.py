"""The sender and its own process: killed, stopped, woken, and with a store that cannot be written."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from fusionscope.export.clock import Clock
from fusionscope.export.lock import sending
from fusionscope.export.sender import Sender
from fusionscope.store import outbox
from fusionscope.store.database import StoreError, connect
from tests.conftest import Stage
from tests.export.receiver import Receiver, Reply
from tests.export.sending import FakeClock, Killed, delivery, place_turns, roots, run, sender
from tests.export.wire import series


def ids(receiver: Receiver) -> list[bytes]:
    return [span.span_id for span in receiver.spans]


def samples(receiver: Receiver) -> list[tuple[object, ...]]:
    return [
        (metric.name, series(point), point.time_unix_nano, point.as_double, point.as_int)
        for metric in receiver.metrics
        for point in metric.gauge.data_points
    ]


def wait_for(condition: Callable[[], object], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize("signal", ["traces", "metrics"])
def test_killed_between_the_answer_and_the_note_the_next_start_sends_the_same_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, signal: str
) -> None:
    place_turns(stage, 3)
    mark_sent = outbox.mark_sent

    def killed(connection: sqlite3.Connection, of: str, sent: list[outbox.Waiting]) -> None:
        mark_sent(connection, of, sent)
        if of == signal:
            raise Killed

    with Receiver() as receiver:
        with monkeypatch.context() as patched:
            patched.setattr(outbox, "mark_sent", killed)
            with pytest.raises(Killed):
                run(stage, receiver.url)
        # a turn that ended before comes in between
        place_turns(stage, 1, "s0")
        run(stage, receiver.url)
    expected = 2 if signal == "traces" else 1
    assert sorted(Counter(ids(receiver)).values()) == [1] * 4 + [expected] * 12
    # each of the 3 + 3 * 8 samples of a turn is the same one when it is sent again
    assert len(set(samples(receiver))) == 4 * 27
    assert len(samples(receiver)) == (4 if signal == "traces" else 7) * 27


def test_killed_in_the_middle_of_a_page_nothing_is_lost_and_what_was_noted_is_not_sent_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_turns(stage, 300)
    mark_sent = outbox.mark_sent
    calls = []

    def killed(connection: sqlite3.Connection, of: str, sent: list[outbox.Waiting]) -> None:
        calls.append(of)
        if len(calls) == 2:
            raise Killed
        mark_sent(connection, of, sent)

    with Receiver() as receiver:
        with monkeypatch.context() as patched:
            patched.setattr(outbox, "mark_sent", killed)
            with pytest.raises(Killed):
                run(stage, receiver.url, metrics="off")
        run(stage, receiver.url, metrics="off")
        # 128 turns are a request, 72 the rest of the page of 200
        assert roots(receiver) == [f"s1-f{number}" for number in [*range(200), *range(128, 300)]]


def test_a_store_that_is_locked_when_the_answer_comes_is_noted_later_and_nothing_is_sent_twice(stage: Stage) -> None:
    place_turns(stage, 3)
    other = sqlite3.connect(stage.database, isolation_level=None, check_same_thread=False)

    def impatient() -> sqlite3.Connection:
        connection = connect(stage.database)
        connection.execute("PRAGMA busy_timeout = 1")
        return connection

    def unlock(clock: FakeClock) -> None:
        if len(clock.waits) == 3 and other.in_transaction:
            other.execute("ROLLBACK")

    clock = FakeClock(until=unlock)
    with Receiver() as receiver, closing(other):

        def locked(request: object) -> Reply:
            other.execute("BEGIN IMMEDIATE")
            return Reply()

        receiver.decide = locked
        said = run(stage, receiver.url, clock, metrics="off", opened=impatient)
        assert len(receiver.requests) == 1
    assert said == ["Sending waits: the database cannot be used (database is locked).", "Sending goes on."]
    assert (delivery(stage).waiting, delivery(stage).sent) == (0, 3)
    assert len(clock.waits) == 3


def test_a_store_that_cannot_be_opened_is_tried_again_and_said_once(stage: Stage) -> None:
    place_turns(stage, 1)
    troubles = iter([StoreError("Cannot open the database."), sqlite3.OperationalError("disk is full"), ZeroDivisionError()])

    def fails_at_first() -> sqlite3.Connection:
        for trouble in troubles:
            raise trouble
        return connect(stage.database)

    with Receiver() as receiver:
        said = run(stage, receiver.url, metrics="off", opened=fails_at_first)
        assert roots(receiver) == ["s1-f0"]
    assert said == ["Sending waits: Cannot open the database.", "Sending goes on."]


def test_a_listener_that_is_gone_does_not_stop_the_sending(stage: Stage) -> None:
    place_turns(stage, 1)

    def gone(sentence: str) -> None:
        raise BrokenPipeError

    with Receiver() as receiver:
        receiver.reply(503)
        run(stage, receiver.url, metrics="off", say=gone)
        assert roots(receiver) == ["s1-f0"]


def test_while_another_process_sends_the_queue_is_left_to_it(stage: Stage) -> None:
    place_turns(stage, 1)
    with Receiver() as receiver, sending(stage.connection) as free:
        assert free
        clock = FakeClock(until=lambda clock: len(clock.waits) == 3)
        assert run(stage, receiver.url, clock, metrics="off") == []
        assert receiver.requests == []
        assert clock.waits == [1.0, 1.0, 1.0]


@pytest.fixture
def threads() -> Iterator[list[Sender]]:
    """Senders that run in a thread, to be stopped when the test is over."""
    running: list[Sender] = []
    yield running
    for one in running:
        assert one.stop(10)


def test_a_sender_that_sleeps_is_woken_by_a_new_turn(stage: Stage, threads: list[Sender]) -> None:
    with Receiver() as receiver:
        threads.append(sender(stage.database, receiver.url, Clock()))
        threads[0].start()
        time.sleep(0.2)
        assert receiver.requests == []
        place_turns(stage, 1)
        threads[0].wake()
        wait_for(lambda: len(receiver.requests) == 2, 5)
        assert roots(receiver) == ["s1-f0"]
        assert threads[0].stop()


def test_stopping_does_not_wait_for_a_slow_receiver_and_the_next_start_sends_what_is_left(
    stage: Stage, threads: list[Sender]
) -> None:
    place_turns(stage, 50)
    with Receiver() as receiver:
        receiver.reply(0, delay=30)
        threads.append(sender(stage.database, receiver.url, Clock(), metrics="off"))
        threads[0].start()
        wait_for(lambda: receiver.requests)
        begun = time.monotonic()
        assert not threads[0].stop(0.2)
        assert time.monotonic() - begun < 2
        assert outbox.waiting_count(stage.connection, "traces") == 50
    # the receiver went away without an answer; the thread ends by itself
    assert threads[0].stop(10)
    assert outbox.waiting_count(stage.connection, "traces") == 50
    with Receiver() as receiver:
        run(stage, receiver.url, metrics="off")
        assert roots(receiver) == [f"s1-f{number}" for number in range(50)]


def test_an_answer_that_comes_while_stopping_counts(stage: Stage, threads: list[Sender]) -> None:
    place_turns(stage, 300)
    with Receiver() as receiver:
        receiver.reply(200, delay=0.3)
        threads.append(sender(stage.database, receiver.url, Clock()))
        threads[0].start()
        wait_for(lambda: receiver.requests)
        assert threads[0].stop()
        assert len(receiver.requests) == 1
    assert outbox.waiting_count(stage.connection, "traces") == 300 - 128
    assert (delivery(stage).failures, delivery(stage).last_trouble) == (0, None)


def test_stopping_ends_a_wait_for_another_try_at_once(stage: Stage, threads: list[Sender]) -> None:
    place_turns(stage, 1)
    with Receiver() as receiver:
        receiver.reply(503, {"Retry-After": "3600"}, times=2)
        threads.append(sender(stage.database, receiver.url, Clock()))
        threads[0].start()
        wait_for(lambda: len(receiver.requests) == 2)
        assert threads[0].stop(2)


def test_a_sender_that_was_never_started_is_stopped(stage: Stage) -> None:
    assert sender(stage.database, "http://127.0.0.1:9", Clock()).stop()


def test_an_unknown_form_of_metrics_is_refused(stage: Stage) -> None:
    with pytest.raises(ValueError, match="delta"):
        sender(stage.database, "http://127.0.0.1:9", Clock(), metrics="delta")
