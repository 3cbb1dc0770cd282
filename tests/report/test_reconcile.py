"""The levels of money beside each other, and what explains their differences. Fault kinds C and E; O13 to O15, O21."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fusionscope.report import levels
from fusionscope.report.levels import Level
from fusionscope.report.outside import Outside, outside
from fusionscope.report.reconcile import Difference, differences
from fusionscope.store.ledger import Ledger, ledgers
from tests.conftest import Stage
from tests.logs import CREDIT, Log, a_turn, place
from tests.money import MoneyLog, fork_of

WHOLE = 25 * CREDIT // 2

#: the shutdown of fault E1: of the 12.5 credits of the session 12 were spent by m-big
E1: dict[str, Any] = {
    "totalApiDurationMs": 1, "sessionStartTime": 0, "codeChanges": {}, "totalNanoAiu": 12_500_000_000,
    "modelMetrics": {"m-big": {
        "requests": {"count": 2, "cost": 0}, "totalNanoAiu": 12_000_000_000,
        "usage": {"inputTokens": 200, "outputTokens": 20, "cacheReadTokens": 0, "cacheWriteTokens": 0}}},
}  # fmt: skip


def read(stage: Stage, *logs: Log) -> list[Ledger]:
    for log in logs:
        place(stage.root, log)
    stage.index()
    return ledgers(stage.connection)


def session(fill: Callable[[MoneyLog], None]) -> MoneyLog:
    log = MoneyLog()
    log.start()
    fill(log)
    return log


def reasons(difference: Difference) -> dict[str, float]:
    """The reasons in credits, with what remains."""
    found = {reason.name: reason.nano_aiu / CREDIT for reason in difference.reasons}
    return found | ({"unexplained": difference.unexplained_nano_aiu / CREDIT} if difference.unexplained_nano_aiu else {})


def of_shutdown(ledger: Ledger) -> tuple[float | None, dict[str, float]]:
    difference = differences(ledger)[2]
    return difference.nano_aiu if difference.nano_aiu is None else difference.nano_aiu / CREDIT, reasons(difference)


def test_e1_legs_roll_ups_and_totals_are_the_same_money(stage: Stage) -> None:
    log = a_turn()
    log.shutdown(**E1)
    (found,) = read(stage, log)
    assert levels.counted(found) == Level(WHOLE, 1, 0)
    assert levels.legs(found) == Level(WHOLE, 3, 0)
    assert levels.roll_ups(found) == Level(WHOLE, 1, 0)
    assert levels.shutdown(found) == Level(WHOLE, 1, 0)
    assert levels.usage_records(found) == Level(None, 0, 0)
    assert [(each.nano_aiu, each.missing) for each in differences(found)] == [(0, None), (None, "no usage records"), (0, None)]
    assert stage.nano_aiu() == WHOLE


def test_e3_a_cumulative_total_after_a_resume_holds_the_first(stage: Stage) -> None:
    log = a_turn("f1")
    log.shutdown(**E1)
    log.resume()
    log.turn("f2")
    log.shutdown(**E1 | {"totalNanoAiu": 25_000_000_000})
    (found,) = read(stage, log)
    assert (levels.shutdown(found).nano_aiu, levels.counted(found).nano_aiu) == (2 * WHOLE, 2 * WHOLE)
    assert of_shutdown(found) == (0, {})


def test_totals_of_each_segment_are_added(stage: Stage) -> None:
    log = a_turn("f1")
    log.shutdown(**E1)
    log.resume()
    log.turn("f2")
    log.shutdown(**E1 | {"sessionStartTime": 5_000})
    (found,) = read(stage, log)
    assert (levels.shutdown(found), of_shutdown(found)) == (Level(2 * WHOLE, 2, 0), (0, {}))


@pytest.mark.parametrize("first", ["parent", "fork"])
def test_e5_the_totals_of_a_fork_may_hold_those_of_its_parent(stage: Stage, first: str) -> None:
    parent = MoneyLog("parent")
    parent.start()
    parent.turn("f1")
    fork = fork_of(parent)
    fork.turn("f2")
    fork.total(25, usageAccountingWatermarks={parent.session_id: 3, fork.session_id: 3})
    for log in (parent, fork) if first == "parent" else (fork, parent):
        read(stage, log)
    of_parent, of_fork = ledgers(stage.connection)
    assert [levels.counted(each).nano_aiu for each in (of_parent, of_fork)] == [WHOLE, WHOLE]
    assert of_shutdown(of_fork) == (12.5, {"the session it was forked from": 12.5})
    assert differences(of_parent)[2].missing == "no shutdown"


@pytest.mark.parametrize("covers_itself", [False, True])
def test_a_fork_whose_totals_are_its_own_differs_in_nothing(stage: Stage, covers_itself: bool) -> None:
    parent = MoneyLog("parent")
    parent.start()
    parent.turn("f1")
    parent.ordinary("i1", 2)
    fork = fork_of(parent)
    fork.turn("f2")
    fork.total(12.5, usageAccountingWatermarks={fork.session_id: 3} if covers_itself else None)
    assert of_shutdown(read(stage, parent, fork)[1]) == (0, {})


def test_e6_credits_are_exact_on_every_level(stage: Stage, samples: Path) -> None:
    place(stage.root, (samples / "cascade-14.72.jsonl").read_bytes(), "s1")
    stage.index()
    (found,) = ledgers(stage.connection)
    assert levels.legs(found).nano_aiu == levels.roll_ups(found).nano_aiu == levels.counted(found).nano_aiu == 14_719_596_000


def test_e7_what_was_not_metered_is_unknown_on_its_level_and_not_compared(stage: Stage) -> None:
    def fill(log: MoneyLog) -> None:
        log.ordinary("i1", None)
        log.compact(None)
        log.total(0, status="unavailable")

    (found,) = read(stage, session(fill))
    assert levels.usage_records(found) == Level(None, 1, 1)
    assert levels.ordinary(found) == Level(None, 1, 1)
    assert levels.compaction(found) == Level(None, 1, 1)
    assert levels.shutdown(found) == Level(None, 1, 1)
    assert differences(found)[2].missing == "not metered"
    assert outside(stage.connection, found.session_id) == Outside(1, 1, None, 1, 1, 1, None)


def test_e10_a_compaction_is_outside_the_turns_and_once_in_the_session(stage: Stage) -> None:
    parent = session(lambda log: log.compact(2))
    parent.turn("f1")
    fork = fork_of(parent)
    found = read(stage, parent, fork)
    assert [outside(stage.connection, each.session_id) for each in found] == [
        Outside(0, 0, None, 0, 1, 0, 2 * CREDIT), Outside(0, 0, None, 0, 0, 0, None),
    ]  # fmt: skip
    assert stage.nano_aiu() == WHOLE


@pytest.mark.parametrize(("total", "expected"), [(14.5, (2, {"compaction": 2})), (12.5, (0, {}))])
def test_totals_hold_a_compaction_or_not_by_version(stage: Stage, total: float, expected: object) -> None:
    def fill(log: MoneyLog) -> None:
        log.turn("f1")
        log.compact(2)
        log.total(total)

    (found,) = read(stage, session(fill))
    assert of_shutdown(found) == expected


def test_a_difference_that_a_compaction_is_too_large_for_stays_unexplained(stage: Stage) -> None:
    def fill(log: MoneyLog) -> None:
        log.turn("f1")
        log.compact(2)
        log.total(13.5)

    assert of_shutdown(read(stage, session(fill))[0]) == (1, {"unexplained": 1})


def test_o14_totals_after_a_rewind_forget_the_turns_that_were_removed(stage: Stage) -> None:
    log = MoneyLog()
    log.start()
    log.turn("f1")
    kept = len(log.lines)
    log.turn("f2")
    log.total(25)
    read(stage, log)
    del log.lines[kept:]
    log.rewind()
    log.turn("f3")
    log.total(25)
    (found,) = read(stage, log)
    assert [turn.rewound for turn in found.turns] == [False, True, False]
    assert levels.counted(found).nano_aiu == 3 * WHOLE
    assert of_shutdown(found) == (-12.5, {"rewound turns": -12.5})


def test_a_segment_that_ended_before_a_rewind_remembers_what_was_removed_later(stage: Stage) -> None:
    log = MoneyLog()
    log.start()
    log.turn("f1")
    kept = len(log.lines)
    log.turn("f2")
    log.total(25, started=100)
    gone = log.lines[kept:-1]
    read(stage, log)
    log.lines = [line for line in log.lines if line not in gone]
    log.resume()
    log.rewind()
    log.turn("f3")
    log.total(12.5, started=200)
    (found,) = read(stage, log)
    assert of_shutdown(found) == (0, {})


def test_ordinary_turns_before_a_rewind_may_be_what_the_totals_miss(stage: Stage) -> None:
    def fill(log: MoneyLog) -> None:
        log.ordinary("i1", 1)
        log.ordinary("i2", 2)
        log.rewind()
        log.ordinary("i3", 4)
        log.total(5)

    assert of_shutdown(read(stage, session(fill))[0]) == (-2, {"ordinary turns before a rewind": -2})


def test_o21_what_came_after_the_last_shutdown_is_in_no_total(stage: Stage) -> None:
    def fill(log: MoneyLog) -> None:
        log.turn("f1")
        log.total(12.5)
        log.resume()
        log.turn("f2")
        log.ordinary("i1", 3)

    (found,) = read(stage, session(fill))
    assert of_shutdown(found) == (-15.5, {"after the last shutdown": -15.5})
    assert differences(found)[2].reasons[0].parts == 2


def test_a_run_that_was_killed_may_be_missing_from_later_totals(stage: Stage) -> None:
    def fill(log: MoneyLog) -> None:
        log.turn("f1")
        log.total(12.5)
        log.resume()
        log.ordinary("i1", 3)  # killed
        log.resume()
        log.turn("f2")
        log.total(25)

    assert of_shutdown(read(stage, session(fill))[0]) == (-3, {"runs without a shutdown": -3})


def test_a_killed_run_that_later_totals_hold_needs_no_reason(stage: Stage) -> None:
    def fill(log: MoneyLog) -> None:
        log.ordinary("i1", 3)
        log.resume()
        log.turn("f2")
        log.total(15.5)

    assert of_shutdown(read(stage, session(fill))[0]) == (0, {})


def test_of_two_clis_at_once_each_counts_its_own(stage: Stage) -> None:
    def fill(log: MoneyLog) -> None:
        log.ordinary("i1", 3)
        log.total(3)
        log.resume()
        log.resume()
        log.ordinary("i2", 2)
        log.ordinary("i3", 1)
        log.total(5)
        log.total(4)

    assert of_shutdown(read(stage, session(fill))[0]) == (-1, {"another CLI at the same time": -1})


def test_totals_without_the_sub_agents_are_explained_by_them(stage: Stage) -> None:
    log = MoneyLog()
    log.start()
    log.turn("f1")
    first = len(log.lines)
    log.turn("f2")
    agents = [line.replace(b'"parentId"', b'"agentId":"ag-1","parentId"') for line in log.lines[first:]]
    log.lines[first:] = agents
    log.total(12.5)
    (found,) = read(stage, log)
    assert of_shutdown(found) == (-12.5, {"sub-agents": -12.5})


def test_one_turn_explains_a_difference_only_once(stage: Stage) -> None:
    log = MoneyLog()
    log.start()
    log.turn("f1")
    log.turn("f2")
    log.total(12.5)
    first = len(log.lines)
    log.turn("f3")
    log.lines[first:] = [line.replace(b'"parentId"', b'"agentId":"ag-1","parentId"') for line in log.lines[first:]]
    # f3 is a sub-agent's, but it is missing because it came too late; that f2 is missing has no reason
    (found,) = read(stage, log)
    assert of_shutdown(found) == (-25, {"after the last shutdown": -12.5, "unexplained": -12.5})


def test_a_failed_route_is_no_turn_of_unknown_cost(stage: Stage) -> None:
    def fill(log: MoneyLog) -> None:
        log.route_failed("a1")
        log.ordinary("i1", 3)
        log.total(4)

    (found,) = read(stage, session(fill))
    assert levels.counted(found) == Level(None, 0, 0)
    assert of_shutdown(found) == (1, {"unexplained": 1})


def test_what_turns_of_unknown_cost_cost_is_left_over(stage: Stage) -> None:
    def fill(log: MoneyLog) -> None:
        log.turn("f1")
        log.ask("i1")
        log.reply("i1")  # a CLI without usage records
        log.total(15)

    assert of_shutdown(read(stage, session(fill))[0]) == (2.5, {"turns of unknown cost": 2.5})


def test_a_difference_that_nothing_explains_is_said(stage: Stage) -> None:
    def fill(log: MoneyLog) -> None:
        log.turn("f1")
        log.total(13)

    assert of_shutdown(read(stage, session(fill))[0]) == (0.5, {"unexplained": 0.5})


def test_reasons_of_either_sign_add_up_to_the_difference(stage: Stage) -> None:
    parent = MoneyLog("parent")
    parent.start()
    parent.ordinary("i0", 4)
    fork = fork_of(parent)
    fork.turn("f1")
    fork.compact(2)
    fork.total(18.5, usageAccountingWatermarks={parent.session_id: 1})
    fork.resume()
    fork.ordinary("i9", 3)
    of_fork = read(stage, parent, fork)[1]
    # 18.5 in the totals: 12.5 + 4 of the parent + 2; counted are 12.5 + 3
    assert of_shutdown(of_fork) == (
        3.0, {"after the last shutdown": -3, "the session it was forked from": 4, "compaction": 2},
    )  # fmt: skip


def test_d14_a_roll_up_above_its_legs_is_not_itemised(stage: Stage) -> None:
    log = a_turn("f1")
    log.resolved("f2", "single")
    log.leg("f2", 0, "primary", "m-small", CREDIT)
    log.completed("f2", 0, "m-small", "single", totalNanoAiu=1_100_000_000)
    log.resolved("f3", "single")
    log.leg("f3", 0, "primary", "m-small", CREDIT)
    log.completed("f3", 0, "m-small", "single", totalNanoAiu=700_000_000)
    found = read(stage, log)[0]
    difference = differences(found)[0]
    assert (difference.nano_aiu, reasons(difference)) == (-200_000_000, {"not itemised": 0.1, "legs above the roll-up": -0.3})
    assert levels.counted(found).nano_aiu == 14_300_000_000


def test_d7_legs_that_are_not_in_the_log_are_not_itemised(stage: Stage) -> None:
    lines = a_turn().lines
    place(stage.root, b"".join(lines[4:]))
    stage.index()
    difference = differences(ledgers(stage.connection)[0])[0]
    assert (difference.nano_aiu, reasons(difference)) == (CREDIT // 2, {"not itemised": 0.5})


def test_a_leg_that_was_not_metered_explains_what_its_roll_up_has_more(stage: Stage) -> None:
    log = Log()
    log.start()
    log.resolved("f1", "single")
    log.leg("f1", 0, "primary", "m-small", 0, usage={"requestCount": 1})
    log.completed("f1", 0, "m-small", "single", totalNanoAiu=CREDIT)
    (found,) = read(stage, log)
    assert levels.legs(found) == Level(None, 1, 1)
    assert reasons(differences(found)[0]) == {"legs not metered": 1}


def test_an_unfinished_turn_counts_by_its_legs_and_has_no_roll_up(stage: Stage) -> None:
    log = a_turn()
    del log.lines[5:]
    (found,) = read(stage, log)
    assert (levels.counted(found), levels.roll_ups(found)) == (Level(5 * CREDIT // 2, 1, 0), Level(None, 0, 0))
    assert differences(found)[0].nano_aiu == 0


def _fused(log: MoneyLog, fusion_id: str, cost: int, *calls: float | None) -> None:
    log.ask(f"i-{fusion_id}")
    log.resolved(fusion_id, "single")
    for number, spent in enumerate(calls):
        log.call(spent, f"{fusion_id}-{number}", fusion={"fusionId": fusion_id})
    log.leg(fusion_id, 0, "primary", "m-small", cost * CREDIT)
    log.completed(fusion_id, 0, "m-small", "single", durationMs=1_000.0 * (3 + len(calls)))


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        (((3, 2), (4,)), (0, {})),
        (((3, 2), ()), (-4, {"turns without usage records": -4})),
        (((3, None), (4,)), (-2, {"calls not metered": -2})),
        (((3,), (4,)), (-2, {"unexplained": -2})),
        (((3, 2), (5,)), (1, {"unexplained": 1})),
    ],
)
def test_usage_records_are_compared_with_the_turns_they_belong_to(
    stage: Stage, calls: tuple[tuple[float | None, ...], ...], expected: tuple[int, dict[str, float]]
) -> None:
    log = MoneyLog()
    log.start()
    _fused(log, "f1", 5, *calls[0])
    _fused(log, "f2", 4, *calls[1])
    log.ordinary("i9", 7)
    (found,) = read(stage, log)
    difference = differences(found)[1]
    assert difference.nano_aiu is not None
    assert (difference.nano_aiu / CREDIT, reasons(difference)) == expected


def test_without_a_fusion_turn_there_is_nothing_to_compare_usage_records_with(stage: Stage) -> None:
    (found,) = read(stage, session(lambda log: log.ordinary("i1", 7)))
    assert [each.missing for each in differences(found)] == ["no turns", "no turns", "no shutdown"]
    assert levels.counted(found) == Level(None, 0, 0)


def test_spend_outside_turns_is_ordinary_turns_and_compactions(stage: Stage) -> None:
    def fill(log: MoneyLog) -> None:
        log.turn("f1")
        log.ordinary("i1", 3)
        log.ask("i2")
        log.call(1, "c1")
        log.call(None, "c2")
        log.compact(2)
        log.compact(None)

    (found,) = read(stage, session(fill))
    apart = outside(stage.connection, found.session_id)
    assert apart == Outside(2, 1, 4 * CREDIT, 3, 2, 1, 2 * CREDIT)
    assert apart is not None
    assert apart.nano_aiu == 6 * CREDIT
    assert outside(stage.connection, "nobody") is None


def test_a_turn_that_its_session_rewound_is_missing_from_its_totals_even_where_a_fork_still_has_it(stage: Stage) -> None:
    parent = MoneyLog("parent")
    parent.start()
    parent.turn("f1")
    kept = len(parent.lines)
    parent.turn("f2")
    fork = fork_of(parent)
    read(stage, parent, fork)
    del parent.lines[kept:]
    parent.rewind()
    parent.turn("f3")
    parent.total(25)
    of_parent, of_fork = read(stage, parent)
    assert [turn.rewound for turn in of_parent.turns] == [False, True, False]
    assert of_shutdown(of_parent) == (-12.5, {"rewound turns": -12.5})
    assert [turn.fusion_id for turn in of_fork.inherited_turns] == ["f1", "f2"]
    assert stage.nano_aiu() == 3 * WHOLE
