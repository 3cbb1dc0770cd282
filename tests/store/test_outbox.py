"""What waits, what went, what is set aside and what is dropped, in a real database."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from fusionscope.store import delivery, metrics, outbox
from fusionscope.store.database import transaction
from fusionscope.store.metrics import Claim
from fusionscope.store.outbox import Delivery
from fusionscope.store.quiet import give_up_quiet_turns
from tests.conftest import Stage
from tests.logs import CREDIT, Log, a_turn, place

HOUR = 3_600_000
DAY = 24 * HOUR


def waiting_ids(stage: Stage, signal: str = "traces") -> list[str]:
    return [item.turn.fusion_id for item in outbox.waiting(stage.connection, signal, 100)]


def send_all(stage: Stage, signal: str = "traces") -> None:
    page = outbox.waiting(stage.connection, signal, 100)
    with transaction(stage.connection):
        outbox.mark_sent(stage.connection, signal, page)


def place_turns(stage: Stage, count: int) -> None:
    log = a_turn("f0")
    for number in range(1, count):
        log.turn(f"f{number}")
    place(stage.root, log)
    stage.index()


def test_a_turn_that_ends_is_queued_for_both_signals_and_each_is_done_by_itself(stage: Stage) -> None:
    place_turns(stage, 2)
    assert waiting_ids(stage, "traces") == waiting_ids(stage, "metrics") == ["f0", "f1"]
    send_all(stage)
    assert (waiting_ids(stage, "traces"), waiting_ids(stage, "metrics")) == ([], ["f0", "f1"])
    assert outbox.waiting_count(stage.connection, "metrics") == 2
    assert not outbox.anything_waits(stage.connection, "traces")
    assert outbox.anything_waits(stage.connection, "metrics")
    stage.connection.execute("UPDATE log SET signature = NULL, offset = 0, guard = x''")
    stage.index()
    assert waiting_ids(stage, "traces") == []


def test_turns_wait_in_the_order_of_their_ends(stage: Stage) -> None:
    long = Log("long", "2026-11-30T10:00:00")
    long.resolved("f-long", "single")
    long.leg("f-long", 0, "primary", "m", 1, seconds=3_000, durationMs=3_000_000)
    long.completed("f-long", 0, "m", "single", durationMs=3_000_000.0)
    place(stage.root, long)
    place(stage.root, Log("short", "2026-11-30T10:10:00").turn("f-short"))
    stage.index()
    assert waiting_ids(stage) == ["f-short", "f-long"]
    assert [turn.fusion_id for turn in stage.turns()] == ["f-long", "f-short"]


def test_a_turn_that_was_given_up_and_is_open_again_waits_for_its_end(stage: Stage) -> None:
    log = a_turn()
    path = place(stage.root, b"".join(log.lines[:5]), log.session_id)
    stage.index()
    give_up_quiet_turns(stage.connection, stage.turn().last_event_at + 1)
    assert waiting_ids(stage) == ["f1"]
    path.write_bytes(b"".join(log.lines[:7]))
    stage.index()
    assert stage.turn().is_open
    assert waiting_ids(stage) == []
    assert not outbox.anything_waits(stage.connection, "traces")
    path.write_bytes(bytes(log))
    stage.index()
    (item,) = outbox.waiting(stage.connection, "traces", 1)
    assert (item.root_sent, item.sent_legs, len(item.turn.legs)) == (False, frozenset(), 3)


def test_a_new_leg_while_a_turn_is_on_its_way_keeps_it_waiting_with_that_leg(stage: Stage) -> None:
    log = a_turn()
    log.lines[5:] = []
    log.resume()
    path = place(stage.root, log)
    stage.index()
    taken = outbox.waiting(stage.connection, "traces", 1)
    with path.open("ab") as file:
        file.write(a_turn().lines[6])
    stage.index()
    with transaction(stage.connection):
        outbox.mark_sent(stage.connection, "traces", taken)
    (item,) = outbox.waiting(stage.connection, "traces", 1)
    assert (item.root_sent, item.sent_legs) == (True, frozenset({("f1:p0", 0), ("f1:p1", 0)}))


def test_what_is_set_aside_is_passed_over_until_it_is_released(stage: Stage) -> None:
    place_turns(stage, 3)
    with transaction(stage.connection):
        outbox.park(stage.connection, "traces", "f1", "bad")
    assert (waiting_ids(stage, "traces"), waiting_ids(stage, "metrics")) == (["f0", "f2"], ["f0", "f1", "f2"])
    assert outbox.waiting_count(stage.connection, "traces") == 2
    # reading it again does not let it wait again
    stage.connection.execute("UPDATE log SET signature = NULL, offset = 0, guard = x''")
    stage.index()
    assert waiting_ids(stage) == ["f0", "f2"]
    with transaction(stage.connection):
        assert outbox.release(stage.connection, "traces") == 1
    assert waiting_ids(stage) == ["f0", "f1", "f2"]


def test_what_is_dropped_is_not_queued_again_but_a_new_leg_brings_all_of_it(stage: Stage) -> None:
    log = a_turn()
    log.lines[5:] = []
    log.resume()
    path = place(stage.root, log)
    stage.index()
    with transaction(stage.connection):
        assert outbox.drop_excess(stage.connection, "traces", 5) == 0
        assert outbox.drop_excess(stage.connection, "traces", 0) == 1
    stage.connection.execute("UPDATE log SET signature = NULL, offset = 0, guard = x''")
    stage.index()
    assert (waiting_ids(stage, "traces"), waiting_ids(stage, "metrics")) == ([], ["f1"])
    with path.open("ab") as file:
        file.write(b"".join(a_turn().lines[6:]))
    stage.index()
    (item,) = outbox.waiting(stage.connection, "traces", 1)
    assert (item.root_sent, item.sent_legs) == (False, frozenset())


def test_what_went_before_it_was_dropped_is_remembered(stage: Stage) -> None:
    log = a_turn()
    path = place(stage.root, b"".join([*log.lines[:4], a_turn("x").resume()]), log.session_id)
    stage.index()
    send_all(stage)
    path.write_bytes(b"".join([*log.lines[:5], a_turn("x").resume()]))
    stage.index()
    with transaction(stage.connection):
        assert outbox.drop_old(stage.connection, "traces", 2**62) == 1
    path.write_bytes(bytes(log))
    stage.index()
    (item,) = outbox.waiting(stage.connection, "traces", 1)
    assert (item.root_sent, item.sent_legs) == (True, frozenset({("f1:p0", 0)}))


def test_how_sending_goes_is_told_for_every_signal_that_there_is(stage: Stage) -> None:
    assert outbox.deliveries(stage.connection) == []
    place_turns(stage, 3)
    stage.connection.execute("UPDATE outbox SET queued_at = 1000 + (fusion_id = 'f2')")
    with transaction(stage.connection):
        delivery.begin(stage.connection, "traces", "endpoint")
        outbox.park(stage.connection, "traces", "f0", "bad")
        delivery.note_taken(stage.connection, "traces", 5_000)
        delivery.note_lost(stage.connection, "traces", 2)
        delivery.note_failure(stage.connection, "traces", 6_000, "away", 3, 9_000)
        delivery.note_dropped(stage.connection, "traces", 7)
    traces, samples = outbox.deliveries(stage.connection)
    assert traces == Delivery(
        signal="traces", configured=True, waiting=2, oldest_queued_at=1_000, sent=0, parked=1, parked_why=(("bad", 1),),
        dropped=7, lost=2, stopped=None, failing_since=6_000, failures=3, next_try_at=9_000, last_success_at=5_000,
        last_trouble_at=6_000, last_trouble="away",
    )  # fmt: skip
    assert (samples.signal, samples.configured, samples.waiting) == ("metrics", False, 3)


def test_a_failure_lasts_as_long_as_it_was_looked_at(stage: Stage) -> None:
    with transaction(stage.connection):
        delivery.begin(stage.connection, "traces", "endpoint")
        since = [delivery.note_still_failing(stage.connection, "traces", at) for at in (DAY, 2 * DAY, 3 * DAY, 5 * DAY)]
        assert since == [DAY, DAY, DAY, 5 * DAY]
        delivery.note_taken(stage.connection, "traces", 5 * DAY)
        assert delivery.note_still_failing(stage.connection, "traces", 5 * DAY + 1) == 5 * DAY + 1


def test_the_same_endpoint_again_keeps_the_notes_and_another_one_begins_anew(stage: Stage) -> None:
    place_turns(stage, 1)
    with transaction(stage.connection):
        assert delivery.begin(stage.connection, "traces", "a") == (True, 0, None, 0)
        outbox.park(stage.connection, "traces", "f0", "bad")
        delivery.note_failure(stage.connection, "traces", 0, "away", 3, 9_000, asked=True)
        assert delivery.begin(stage.connection, "traces", "a") == (False, 3, 9_000, 0)
        delivery.note_stopped(stage.connection, "traces", 0, "no")
        assert delivery.is_stopped(stage.connection, "traces")
        assert delivery.begin(stage.connection, "traces", "b") == (False, 0, None, 1)
        assert not delivery.is_stopped(stage.connection, "traces")
        delivery.only(stage.connection, ["metrics"])
        assert delivery.begin(stage.connection, "traces", "b") == (True, 0, None, 0)


def test_counters_are_queued_only_where_they_are_used(stage: Stage) -> None:
    place_turns(stage, 1)
    with transaction(stage.connection):
        delivery.begin(stage.connection, "counters", "endpoint")
        outbox.queue(stage.connection, 0, signals=("counters",))
    assert waiting_ids(stage, "counters") == ["f0"]
    send_all(stage, "counters")
    place_turns(stage, 2)
    assert waiting_ids(stage, "counters") == ["f1"]
    with transaction(stage.connection):
        delivery.only(stage.connection, ())
    place_turns(stage, 3)
    assert waiting_ids(stage, "counters") == []
    with transaction(stage.connection):
        outbox.queue(stage.connection, 0, signals=("counters",))
    assert waiting_ids(stage, "counters") == ["f1", "f2"]


def test_the_queue_is_looked_at_in_order_and_never_sorted(stage: Stage) -> None:
    plans: list[str] = []
    stage.connection.set_trace_callback(plans.append)
    outbox.waiting(stage.connection, "traces", 10)
    outbox.anything_waits(stage.connection, "traces")
    stage.connection.set_trace_callback(None)
    for query in [plan for plan in plans if "FROM outbox" in plan]:
        steps = [row[3] for row in stage.connection.execute(f"EXPLAIN QUERY PLAN {query}")]
        assert "outbox_next" in steps[0], query
        assert not [step for step in steps if "SCAN" in step or "TEMP B-TREE" in step], steps


def test_claims_are_found_as_far_as_they_reach_without_a_gap(stage: Stage) -> None:
    taken = [Claim(1, at, at * 10) for at in (*range(100, 148), 150)] + [Claim(2, 100, 7)]
    with transaction(stage.connection):
        metrics.keep_claims(stage.connection, taken)
    for start, end in ((100, 148), (116, 148), (147, 148), (150, 151)):
        assert [claim.at for claim in metrics.claims_from(stage.connection, 1, start)] == list(range(start, end))
    assert metrics.claims_from(stage.connection, 1, 99) == metrics.claims_from(stage.connection, 1, 148) == []
    assert metrics.claims_from(stage.connection, 2, 100) == [Claim(2, 100, 7)]
    with pytest.raises(sqlite3.IntegrityError), transaction(stage.connection):
        metrics.keep_claims(stage.connection, [Claim(1, 100, 8)])


def test_models_are_told_once_with_their_earliest_end(stage: Stage) -> None:
    place_turns(stage, 2)
    found, arrival = metrics.models_after(stage.connection, 0)
    first = stage.turns()[0]
    assert found == {"m-small": first.legs[0].ended_at, "m-big": first.legs[1].ended_at}
    assert metrics.models_after(stage.connection, arrival) == ({}, arrival)


def test_the_database_knows_when_it_was_made(stage: Stage) -> None:
    # after 2026-01-01; the clock of this machine is not to be trusted further
    assert metrics.created_at(stage.connection) > 1_767_225_600_000


def test_a_turn_that_awaits_work_in_the_background_waits_for_its_last_roll_up(stage: Stage) -> None:
    log = Log(begins=(datetime.now(UTC) - timedelta(minutes=5)).replace(tzinfo=None).isoformat())
    log.resolved("f1", "single")
    log.leg("f1", 0, "primary", "m-small", CREDIT, endedWithBackgroundWork=True)
    log.completed("f1", 0, "m-small", "single", awaitingBackgroundWork=True)
    path = place(stage.root, log)
    stage.index()
    assert stage.turn().state == "completed"
    assert [waiting_ids(stage, signal) for signal in outbox.SIGNALS] == [[], []]
    log.leg("f1", 1, "follow_up", "m-small", 2 * CREDIT)
    log.completed("f1", 1, "m-small", "single", totalNanoAiu=4 * CREDIT)
    path.write_bytes(bytes(log))
    stage.index()
    (item,) = outbox.waiting(stage.connection, "traces", 10)
    assert (item.root_sent, item.turn.nano_aiu, len(item.turn.legs)) == (False, 4 * CREDIT, 2)


def test_a_turn_whose_background_work_never_ends_is_sent_after_a_while(stage: Stage) -> None:
    log = Log()  # of hours ago
    log.resolved("f1", "single")
    log.leg("f1", 0, "primary", "m-small", CREDIT, endedWithBackgroundWork=True)
    log.completed("f1", 0, "m-small", "single", awaitingBackgroundWork=True)
    place(stage.root, log)
    stage.index()
    assert waiting_ids(stage) == ["f1"]
