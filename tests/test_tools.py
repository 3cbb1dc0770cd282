"""Which leg a tool call belongs to, and which call made it."""

from __future__ import annotations

from fusionscope.model import Turn
from fusionscope.tools import key_of, placed
from tests.turns import TEN, call, leg, turn


def _legs(made: Turn) -> list[tuple[str, int] | None]:
    return [one.leg and (one.leg.phase_id, one.leg.attempt) for one in placed(made)]


def test_a_call_belongs_to_the_leg_that_the_log_names_and_to_none_without_a_name() -> None:
    calls = call("c1", "f1:p0"), call("c2", None), call("c3", "elsewhere")
    assert _legs(turn("f1", leg(), tool_calls=calls)) == [("f1:p0", 0), None, None]


def test_a_call_of_a_phase_that_was_tried_again_belongs_to_the_attempt_whose_time_holds_its_start() -> None:
    attempts = (
        leg(status="failed", ended_at=TEN + 5_000, duration_ms=5_000),
        leg(attempt=1, index=1, ended_at=TEN + 10_000, duration_ms=4_900),
    )
    starts = (0, 4_999, 5_100, 9_000, 12_000)
    calls = tuple(call(f"c{at}", started_at=TEN + at, ended_at=TEN + 13_000) for at in starts)
    first, second = ("f1:p0", 0), ("f1:p0", 1)
    # the last one is work that went on after the phase
    assert _legs(turn("f1", *attempts, tool_calls=calls)) == [first, first, second, second, second]


def test_a_call_without_a_phase_belongs_to_that_of_the_call_that_made_it() -> None:
    made = turn("f1", leg(), tool_calls=(call("a"), call("b", None, parent_tool_call_id="a", started_at=TEN + 1_200)))
    assert [(one.caller, one.leg and one.leg.phase_id) for one in placed(made)] == [(None, "f1:p0"), (0, "f1:p0")]


def test_a_caller_is_the_newest_call_of_its_id_and_a_circle_is_none() -> None:
    calls = (
        call("a", parent_tool_call_id="b"),
        call("b", parent_tool_call_id="a", started_at=TEN + 1_100),
        call("b", parent_tool_call_id="b", started_at=TEN + 1_200),
        call("c", parent_tool_call_id="b", started_at=TEN + 1_300),
        call("d", parent_tool_call_id="lost", started_at=TEN + 1_400),
    )
    found = placed(turn("f1", leg(), tool_calls=calls))
    assert [one.caller for one in found] == [None, 0, 1, 2, None]
    assert [one.number for one in found] == [0, 0, 1, 0, 0]


def test_only_an_ended_call_has_a_key() -> None:
    assert key_of(call("a", ended_at=TEN)) == ("a", TEN)
    assert key_of(call("a", ended_at=None)) is None
