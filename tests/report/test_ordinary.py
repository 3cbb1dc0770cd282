"""The figures of turns without Fusion, and Fusion beside them; the money of turns is not what the log is silent about."""

from __future__ import annotations

from typing import Any

import pytest

from fusionscope.model import OrdinaryTurn
from fusionscope.report import ordinary
from fusionscope.report.figures import Tokens
from fusionscope.report.ordinary import Median, ModelFigures, SessionTotals
from fusionscope.report.ordinary_files import ordinary_object, ordinary_turns_csv
from fusionscope.store.ledger import ledgers
from tests.conftest import Stage
from tests.logs import CREDIT, Log, place
from tests.money import MoneyLog, fork_of
from tests.turns import CASCADE, TEN, leg, turn


def plain(interaction: str = "i1", cost: float | None = 2, **fields: Any) -> OrdinaryTurn:
    """One call of m-one in 4 s, metered, 1,000 + 50 tokens, unless told otherwise."""
    amount = None if cost is None else round(cost * CREDIT)
    given: dict[str, Any] = {
        "interaction_id": interaction, "session_id": "s1", "client": None, "cli_version": None, "repository": None,
        "branch": None, "started_at": TEN, "ended_at": TEN + 4_000, "models": ("m-one",), "calls": 1,
        "metered": 0 if cost is None else 1, "tool_calls": 0, "failed_tool_calls": 0, "input_tokens": 1_000,
        "output_tokens": 50, "cached_tokens": 800, "cache_write_tokens": 100, "nano_aiu": amount,
    }  # fmt: skip
    return OrdinaryTurn(**given | fields)


OLD = plain("old", None, input_tokens=None, output_tokens=None, cached_tokens=None, cache_write_tokens=None, calls=2)
PART = plain("part", 9, calls=2)
TURNS = [plain("a", 2), plain("b", 4), OLD, PART, plain("c", 3, models=("m-two",), session_id="s2", ended_at=TEN + 2_000)]


def test_sums_hold_what_is_known() -> None:
    assert ordinary.nano_aiu(TURNS) == 18 * CREDIT
    assert ordinary.nano_aiu([OLD]) is None
    assert (ordinary.sessions(TURNS), ordinary.calls(TURNS)) == (2, 7)
    assert ordinary.tokens(TURNS) == Tokens(4_000, 200, 3_200, 400)
    assert ordinary.tokens([OLD]) is None


def test_only_turns_whose_every_call_is_metered_are_in_the_median() -> None:
    assert ordinary.median_of(TURNS) == Median(3 * CREDIT, 3, 5)
    assert ordinary.median_of(TURNS[:2]) == Median(3 * CREDIT, 2, 2)
    assert ordinary.median_of([PART]) == Median(None, 0, 1)


def test_a_model_has_the_turns_that_it_answered_alone() -> None:
    both = plain("both", 50, models=("m-one", "m-two"))
    found = ordinary.by_model([*TURNS, both])
    assert list(found) == ["m-one", "m-two"]
    assert found["m-one"] == ModelFigures(
        turns=4, calls=6, tokens=Tokens(3_000, 150, 2_400, 300), nano_aiu=15 * CREDIT, median=Median(3 * CREDIT, 2, 4),
        mean_seconds=4.0,
    )  # fmt: skip
    assert found["m-two"].mean_seconds == 2.0
    several = ordinary.of_several_models([*TURNS, both])
    assert several is not None
    assert (several.turns, several.nano_aiu) == (1, 50 * CREDIT)
    assert ordinary.of_several_models(TURNS) is None


def test_the_median_of_fusion_leaves_out_open_turns_failed_routes_and_unknown_money() -> None:
    ended = [turn("f1", leg(nano_aiu=2 * CREDIT)), turn("f2", leg(nano_aiu=4 * CREDIT))]
    left_out = [
        turn("f3", leg(nano_aiu=90 * CREDIT), state="open"),
        turn("f4", state="failed", route_failure="router_timeout", reported_nano_aiu=0),
        turn("f5", leg(nano_aiu=None), reported_nano_aiu=None),
    ]
    assert ordinary.fusion_median([*ended, *left_out]) == Median(3 * CREDIT, 2, 3)
    assert ordinary.fusion_median([]) == Median(None, 0, 0)


def test_e9_more_cached_than_input_tokens_leave_none_that_are_fresh() -> None:
    used = ordinary.tokens([plain(input_tokens=100, cached_tokens=120, cache_write_tokens=0)])
    assert used is not None
    assert (used.cached, used.fresh) == (120, 0)


def totals_of(stage: Stage, *logs: Log) -> SessionTotals:
    for log in logs:
        place(stage.root, log)
    stage.index()
    return ordinary.without_fusion(ledgers(stage.connection))


def test_only_sessions_without_a_fusion_turn_are_in_the_totals_of_sessions(stage: Stage) -> None:
    plain, fused, failed, empty = (MoneyLog(name) for name in ("plain", "fused", "failed", "empty"))
    for log in (plain, fused, failed, empty):
        log.start()
    plain.ordinary("i1", 3)
    plain.total(3, requests=1)
    fused.turn("f1")
    fused.total(12.5)
    failed.route_failed("a1")
    failed.total(0, requests=2, status="unavailable")
    empty.shutdown()
    assert totals_of(stage, plain, fused, failed, empty) == SessionTotals(2, 1, 3 * CREDIT, 2, 3)


def test_a_fork_adds_to_the_totals_only_what_it_has_not_of_its_parent(stage: Stage) -> None:
    parent = MoneyLog("parent")
    parent.start()
    parent.ordinary("i1", 3)
    parent.ordinary("i2", 2)
    fork = fork_of(parent)
    fork.ordinary("i3", 4)
    parent.total(5, requests=2)
    fork.total(9, requests=3, usageAccountingWatermarks={parent.session_id: 2, fork.session_id: 1})
    assert totals_of(stage, parent, fork) == SessionTotals(2, 2, 9 * CREDIT, 2, 3)


def test_the_object_of_the_summary_says_null_where_nothing_is_known() -> None:
    nothing = ordinary_object([], ordinary.fusion_median([]), [])
    assert nothing == {
        "turns": 0, "sessions": 0, "calls": 0, "tool_calls": 0, "failed_tool_calls": 0, "tokens": None, "nano_aiu": None,
        "credits": None, "known_turns": 0, "median_credits": None, "by_model": {}, "several_models": None,
        "fusion": {"known_turns": 0, "median_credits": None},
        "sessions_without_fusion": {
            "sessions": 0, "metered_sessions": 0, "nano_aiu": None, "credits": None, "requests": None,
        },
    }  # fmt: skip
    told = ordinary_object(TURNS, ordinary.fusion_median([CASCADE]), [])
    assert (told["credits"], told["known_turns"], told["median_credits"]) == (18.0, 3, 3.0)
    assert told["fusion"] == {"known_turns": 1, "median_credits": 14.719596}
    assert {name: (each["median_credits"], each["known_turns"]) for name, each in told["by_model"].items()} == {
        "m-one": (3.0, 2), "m-two": (3.0, 1),
    }  # fmt: skip


def test_a_row_of_csv_has_empty_cells_for_what_is_unknown_and_no_formula() -> None:
    header, row = ordinary_turns_csv([OLD._replace(models=("=cmd()", "m-two"))]).splitlines()
    cells = dict(zip(header.split(","), row.replace('"', "").replace(", ", "; ").split(","), strict=True))
    assert (cells["credits"], cells["input_tokens"], cells["models"]) == ("", "", "'=cmd(); m-two")
    assert (cells["calls"], cells["duration_ms"], cells["started_at"]) == ("2", "4000", "2026-11-30T10:00:00.000Z")


@pytest.mark.parametrize("order", [1, -1])
def test_no_figure_depends_on_the_order_of_the_turns(order: int) -> None:
    turns = TURNS[::order]
    fusion = ordinary.fusion_median([CASCADE])
    assert ordinary_object(turns, fusion, []) == ordinary_object(TURNS, fusion, [])
