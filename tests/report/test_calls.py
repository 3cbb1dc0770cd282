from __future__ import annotations

import pytest

from fusionscope.model import ToolCall
from fusionscope.report.calls import CallRow, call_remark, calls_by_leg, folded, total
from tests.turns import TEN, call, leg, turn


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (call(), "ok, exit 0"),
        (call(exit_code=None), "ok"),
        (call(success=False, exit_code=2), "failed, exit 2"),
        (call(success=False, exit_code=None, error="time\x1bout"), "failed: time\ufffdout"),
        (call(success=None, exit_code=None), "ended"),
        (call(ended_at=None, success=None, exit_code=None), "no end in the log"),
    ],
)
def test_how_a_call_ended_is_said_in_words(made: ToolCall, expected: str) -> None:
    assert call_remark(turn("f1"), made) == expected


def test_a_call_of_an_open_turn_may_still_end() -> None:
    assert call_remark(turn("f1", state="open"), call(ended_at=None)) == "no end yet"


def test_calls_stand_below_their_leg_and_below_the_call_that_made_them() -> None:
    calls = (
        call("a", name="task"),
        call("b", name="task", started_at=TEN + 1_100),
        call("a1", None, name="grep", parent_tool_call_id="a", started_at=TEN + 1_200),
        call("b1", None, name="view", parent_tool_call_id="b", started_at=TEN + 1_300),
        call("a2", "f1:p0", name="bash", parent_tool_call_id="a1", started_at=TEN + 1_400),
        call("x", None, name="memory", started_at=TEN + 1_500),
        call("j", "f1:j", name="look", parent_tool_call_id="a", started_at=TEN + 1_600),
    )
    by_leg, loose = calls_by_leg(turn("f1", leg(), leg("f1:j", kind="judge", index=1), tool_calls=calls))
    assert [[(row.call.tool_call_id, row.depth) for row in rows] for rows in by_leg] == [
        [("a", 0), ("a1", 1), ("a2", 2), ("b", 0), ("b1", 1)],
        # of another leg than its caller
        [("j", 0)],
    ]
    assert loose == [CallRow(calls[5], 0)]


def test_many_calls_are_a_line_a_tool() -> None:
    calls = [call(f"b{n}", started_at=TEN, ended_at=TEN + 860, success=n != 3) for n in range(14)]
    calls += [call("v", name="view", started_at=TEN, ended_at=TEN + 10), call("w", name="view", ended_at=None)]
    assert folded([CallRow(each, 0) for each in calls]) == [
        "bash x14 (1 failed), 12 s",
        "view x2 (1 without an end), 10 ms",
    ]


def test_the_number_of_calls_is_said_with_those_that_failed() -> None:
    assert total(turn("f1")) == ""
    assert total(turn("f1", tool_calls=(call(),))) == "1 tool call"
    two = (call(success=False), call("b"), call("c", ended_at=None, success=None))
    assert total(turn("f1", tool_calls=two)) == "3 tool calls (1 failed, 1 without an end)"
