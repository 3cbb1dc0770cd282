"""The ledger of a session: every level of its money, each event once, in whatever order the logs were read."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fusionscope.store.ledger import Ledger, ledger, ledgers, select
from fusionscope.store.read import Selection
from tests.conftest import Stage
from tests.logs import CREDIT, Log, a_turn, place
from tests.money import MoneyLog, at, fork_of

WHOLE = 25 * CREDIT // 2
PARENT, FORK = "1b055812-88a3-4369-99c9-56a031d26133", "848f1206-e6f6-4a71-b9f4-1559d4409564"


def only(stage: Stage, log: Log) -> Ledger:
    place(stage.root, log)
    stage.index()
    (found,) = ledgers(stage.connection)
    return found


def amounts(found: Ledger) -> dict[str, object]:
    return {
        "turns": [turn.nano_aiu for turn in found.turns],
        "calls": [(call.nano_aiu, call.in_fusion) for call in found.calls],
        "ordinary": [turn.nano_aiu for turn in found.ordinary],
        "compactions": [each.nano_aiu for each in found.compactions],
        "totals": found.totals and found.totals.nano_aiu,
    }


def test_every_level_is_kept_beside_the_others(stage: Stage) -> None:
    log = MoneyLog()
    log.start()
    log.ask("i0")
    log.resolved("f1", "single")
    log.call(2, "c0", fusion={"fusionId": "f1"})
    log.leg("f1", 0, "primary", "m-small", 2 * CREDIT)
    log.completed("f1", 0, "m-small", "single", durationMs=4_000.0)
    log.ordinary("i1", 3)
    log.compact(0.5)
    log.total(5.5)
    assert amounts(only(stage, log)) == {
        "turns": [2 * CREDIT],
        "calls": [(2 * CREDIT, True), (3 * CREDIT, False)],
        "ordinary": [3 * CREDIT],
        "compactions": [CREDIT // 2],
        "totals": 5_500_000_000,
    }


def test_a_call_in_the_interaction_of_a_fusion_turn_is_in_fusion_without_an_attribution(stage: Stage) -> None:
    log = MoneyLog()
    log.start()
    log.ask("i0")
    log.resolved("f1", "single")
    log.call(2, "c0")
    log.leg("f1", 0, "primary", "m-small", 2 * CREDIT)
    log.completed("f1", 0, "m-small", "single", durationMs=4_000.0)
    found = only(stage, log)
    assert [(call.fusion_id, call.in_fusion) for call in found.calls] == [(None, True)]
    assert found.ordinary == ()


def test_a_record_written_three_times_counts_once(stage: Stage) -> None:
    log = MoneyLog()
    log.start()
    log.ordinary("i1", 3)
    log.compact(1)
    log.total(4)
    log.lines = [line for line in log.lines for _ in range(3)]
    found = only(stage, log)
    assert amounts(found) == {
        "turns": [], "calls": [(3 * CREDIT, False)], "ordinary": [3 * CREDIT], "compactions": [CREDIT], "totals": 4 * CREDIT,
    }  # fmt: skip
    assert len(found.shutdowns_at) == 1


@pytest.mark.parametrize("first", ["parent", "fork"])
def test_what_a_fork_copied_is_its_parents_on_every_level(stage: Stage, first: str) -> None:
    parent = MoneyLog("parent")
    parent.start()
    parent.turn("f1")
    parent.ordinary("i1", 3)
    parent.compact(1)
    parent.total(16.5)
    parent.rewind()
    fork = fork_of(parent)
    fork.turn("f2")
    fork.compact(2)
    fork.total(29)
    logs = {"parent": parent, "fork": fork}
    for name in sorted(logs, key=lambda name: name != first):
        place(stage.root, logs[name])
        stage.index()
    of_parent, of_fork = ledgers(stage.connection)
    assert amounts(of_parent) == {
        "turns": [WHOLE], "calls": [(3 * CREDIT, False)], "ordinary": [3 * CREDIT], "compactions": [CREDIT],
        "totals": 16_500_000_000,
    }  # fmt: skip
    assert amounts(of_fork) == {
        "turns": [WHOLE], "calls": [], "ordinary": [], "compactions": [2 * CREDIT], "totals": 29 * CREDIT,
    }  # fmt: skip
    assert [turn.fusion_id for turn in of_fork.inherited_turns] == ["f1"]
    assert [call.nano_aiu for call in of_fork.inherited_calls] == [3 * CREDIT]
    assert [each.nano_aiu for each in of_fork.inherited_compactions] == [CREDIT]
    # the parent's rewind and shutdown stand in the fork's log too; its start is the fork's own under the parent's id
    assert (len(of_parent.rewound_at), of_fork.rewound_at, len(of_fork.shutdowns_at)) == (1, (), 1)
    assert of_fork.started_at == of_fork.origin.started_at != of_parent.started_at
    assert of_fork.totals is not None
    assert of_fork.totals.shutdowns == 1


def test_a_session_copied_under_another_name_counts_once_on_every_level(stage: Stage) -> None:
    log = MoneyLog()
    log.start()
    log.turn("f1")
    log.ordinary("i1", 3)
    log.compact(1)
    log.total(16.5)
    place(stage.root, bytes(log), "a-copy")
    place(stage.root, bytes(log), "b-copy")
    stage.index()
    first, second = ledgers(stage.connection)
    assert (first.session_id, amounts(first)["totals"], len(first.turns), len(first.calls)) == ("a-copy", 16_500_000_000, 1, 1)
    assert amounts(second) == {"turns": [], "calls": [], "ordinary": [], "compactions": [], "totals": None}


def test_a_forgotten_parent_leaves_its_events_to_the_fork(stage: Stage) -> None:
    parent = MoneyLog("parent")
    parent.start()
    parent.ordinary("i1", 3)
    fork = fork_of(parent)
    assert [call.nano_aiu for call in only(stage, fork).calls] == [3 * CREDIT]


def test_the_real_fork_has_three_calls_of_its_own_and_three_of_its_parent(stage: Stage, samples: Path) -> None:
    for session, sample in ((FORK, "fork-1.0.102"), (PARENT, "rewind-1.0.102-after")):
        place(stage.root, (samples / f"{sample}.jsonl").read_bytes(), session)
    stage.index()
    parent, fork = ledgers(stage.connection)
    # of the parent's three calls its own log, as we have it, holds two
    assert ([call.input_tokens for call in parent.calls], len(fork.inherited_calls)) == ([12_032, 12_033], 2)
    assert [call.input_tokens for call in fork.calls] == [12_037, 12_048, 12_068, 12_069]
    assert fork.totals is not None
    # two shutdowns, cumulative; both hold the parent's three requests
    assert (fork.totals.requests, len(fork.totals.segments), fork.totals.shutdowns) == (6, 1, 2)
    assert set(fork.totals.segments[0].covers) == {PARENT, FORK}
    assert [(each.requests, each.input_tokens, each.nano_aiu) for each in fork.compactions] == [(1, 12_051, None)]
    assert fork.totals.nano_aiu is None


def test_the_real_session_of_two_writers_lost_a_request_in_its_totals(stage: Stage, samples: Path) -> None:
    place(stage.root, (samples / "two-writers-1.0.102.jsonl").read_bytes(), "s1")
    stage.index()
    (found,) = ledgers(stage.connection)
    assert found.totals is not None
    # each of the two found 3 requests and made one: both say 4, five were made
    assert (len(found.calls), found.totals.requests, found.totals.shutdowns, len(found.totals.segments)) == (5, 4, 4, 1)


def test_the_totals_of_the_real_cli_84_are_not_taken_for_nothing(stage: Stage, samples: Path) -> None:
    place(stage.root, (samples / "one-prompt-1.0.84.jsonl").read_bytes(), "s1")
    stage.index()
    (found,) = ledgers(stage.connection)
    assert found.totals is not None
    assert (found.totals.nano_aiu, found.totals.requests) == (None, 2)


def test_one_ledger_is_the_same_as_among_all(stage: Stage, samples: Path) -> None:
    for session, sample in ((FORK, "fork-1.0.102"), (PARENT, "rewind-1.0.102-after"), ("s1", "two-writers-1.0.102")):
        place(stage.root, (samples / f"{sample}.jsonl").read_bytes(), session)
    parent = a_turn()
    place(stage.root, parent)
    place(stage.root, fork_of(parent))
    stage.index()
    every = ledgers(stage.connection)
    assert len(every) == 5
    assert [ledger(stage.connection, each.session_id) for each in every] == every
    assert ledger(stage.connection, "nobody") is None


def test_sessions_are_selected_by_start_client_and_id(stage: Stage) -> None:
    early, late = MoneyLog("early", "2026-11-29T10:00:00"), MoneyLog("late")
    for log in (early, late):
        log.start()
        path = place(stage.root, log)
        (path.parent / "workspace.yaml").write_text(f"client_name: {log.session_id[:4]}\n")
    stage.index()
    every = ledgers(stage.connection)
    assert [each.session_id for each in every] == [early.session_id, late.session_id]
    assert select(every, Selection(since=at(late))) == every[1:]
    assert select(every, Selection(until=at(late))) == every[:1]
    assert select(every, Selection(client=late.session_id[:4])) == every[1:]
    assert select(every, Selection(session=early.session_id[:8])) == every[:1]


def test_a_session_of_unknown_start_begins_with_what_it_spent_first(stage: Stage) -> None:
    log = MoneyLog()
    log.compact(1)
    first = at(log)
    log.total(1)
    assert only(stage, log).started_at == first


@contextmanager
def a_stage() -> Iterator[Stage]:
    with tempfile.TemporaryDirectory() as directory:
        stage = Stage(Path(directory))
        try:
            yield stage
        finally:
            stage.connection.close()


def _family() -> list[Log]:
    """A parent that was rewound, its fork, and the fork of the fork, all with every level of money."""
    parent = MoneyLog("parent")
    parent.start()
    parent.turn("f1")
    parent.ordinary("i1", 3)
    parent.compact(1)
    parent.total(16.5)
    parent.resume()
    parent.ordinary("i2", 2)
    parent.turn("f2")
    parent.total(31)
    fork = fork_of(parent)
    fork.ordinary("i3", 4)
    fork.total(35, usageAccountingWatermarks={parent.session_id: 2, fork.session_id: 1})
    second = fork_of(fork, "second", "2026-11-30T13:00:00")
    second.turn("f3")
    second.rewind()
    return [parent, fork, second]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_no_order_of_reading_changes_a_ledger(data: st.DataObject) -> None:
    """Logs appear in any order and grow in any steps, whole lines or not."""
    logs = _family()
    with a_stage() as cold:
        for log in logs:
            place(cold.root, log)
        cold.index()
        expected = ledgers(cold.connection)
    assert [len(each.calls) for each in expected] == [2, 1, 0]
    steps = [
        (log, cut)
        for log in logs
        for cut in [*sorted(data.draw(st.lists(st.integers(1, len(bytes(log))), max_size=3))), len(bytes(log))]
    ]
    order = data.draw(st.permutations(range(len(logs))))
    mixed = sorted(range(len(steps)), key=lambda n: (order[logs.index(steps[n][0])], n))
    if data.draw(st.booleans()):  # in turns, one step of each log
        mixed = sorted(mixed, key=lambda n: (sum(steps[m][0] is steps[n][0] for m in range(n)), order[logs.index(steps[n][0])]))
    with a_stage() as stage:
        for n in mixed:
            log, cut = steps[n]
            place(stage.root, bytes(log)[:cut], log.session_id)
            stage.index()
        assert ledgers(stage.connection) == expected
