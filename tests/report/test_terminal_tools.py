"""Tool calls and legs that never ran, in the waterfall of the terminal."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from fusionscope.model import PlannedLeg, Turn
from fusionscope.report.terminal import Tools, print_turn
from tests.report.screen import printed, widest
from tests.report.strategies import some, turns
from tests.turns import CASCADE, TEN, call, leg, turn


def _printed(turned: Turn, tools: Tools = Tools.SOME, **options: Any) -> str:
    def print_view(console: Any, shown: Turn, zone: Any) -> None:
        print_turn(console, shown, zone=zone, tools=tools)

    return printed(print_view, turned, **options)


CALLS = (
    call("a", success=False, exit_code=1),
    call("b", name="task", started_at=TEN + 1_200, ended_at=TEN + 1_900, exit_code=None),
    call("c", None, name="grep", parent_tool_call_id="b", started_at=TEN + 1_300, ended_at=TEN + 1_400, exit_code=None),
    call("d", None, name="memory", started_at=TEN + 3_000, ended_at=TEN + 3_100, exit_code=None),
)
TURN = turn("f1", leg(is_answer=True), tool_calls=CALLS)
MANY = turn("f1", leg(), tool_calls=tuple(call(f"c{n}", started_at=TEN, ended_at=TEN + 860, success=n != 3) for n in range(14)))

GOLDEN = """\
                      0 ────────────────── 9.0 s   time  credits
► m-small   answered  ██████                      2.0 s     0.50  the answer
    bash                 ╳                        0.5 s           failed, exit 1
    task                 ━━                       0.7 s           ok
      grep                ━                       0.1 s           ok
  tool calls of no leg in the log:
    memory                     ━                  0.1 s           ok

  4 tool calls (1 failed)
"""


def test_calls_stand_below_their_leg_with_time_success_and_exit_code() -> None:
    assert GOLDEN in _printed(TURN)


def test_without_being_asked_for_calls_are_only_counted() -> None:
    text = _printed(TURN, Tools.NONE)
    assert "bash" not in text
    assert "\n  4 tool calls (1 failed): --tools shows them\n" in text
    assert "tool" not in _printed(CASCADE, Tools.NONE)


def test_a_failed_call_is_told_without_colour_and_in_ascii() -> None:
    line = next(line for line in _printed(TURN, encoding="ascii").split("\n") if "bash" in line)
    assert line.split() == ["bash", "x", "0.5", "s", "failed,", "exit", "1"]


def test_many_calls_are_folded_by_tool_and_it_is_said_how_to_see_each() -> None:
    text = _printed(MANY)
    assert "\n    bash x14 (1 failed), 12 s\n" in text
    assert "14 tool calls (1 failed), folded by tool where a leg has more than 8:\n  --tools=all or --json has each\n" in text
    every = _printed(MANY, Tools.ALL)
    assert sum(line.startswith("    bash ") for line in every.split("\n")) == 14
    assert "folded" not in every


def test_eight_calls_of_a_leg_are_not_folded_and_nine_are() -> None:
    assert "x8" not in _printed(MANY._replace(tool_calls=MANY.tool_calls[:8]))
    assert "bash x9 (1 failed), 7.7 s" in _printed(MANY._replace(tool_calls=MANY.tool_calls[:9]))


def test_a_turn_without_calls_says_so_when_asked() -> None:
    assert "\n  no tool call in the log is tied to this turn\n" in _printed(CASCADE)


def test_calls_of_a_turn_without_legs_are_shown() -> None:
    text = _printed(turn("f1", state="open", tool_calls=CALLS[:1]))
    assert text.index("tool calls of no leg in the log:") < text.index("bash") < text.index("no leg in the log yet")


def test_where_the_clock_moved_calls_have_no_bar() -> None:
    text = _printed(TURN._replace(started_at=TEN + 8_000))
    assert "the clock moved" in text
    assert "━" not in text


def test_a_call_that_runs_on_after_the_axis_is_drawn_up_to_its_end() -> None:
    late = call("z", started_at=TEN + 8_000, ended_at=TEN + 900_000)
    line = next(line for line in _printed(TURN._replace(tool_calls=(late,))).split("\n") if "bash" in line)
    assert line.split()[1:] == ["━━━", "14", "min", "52", "s", "ok,", "exit", "0"]


def test_legs_that_never_ran_are_lines_without_a_bar() -> None:
    plan = (
        PlannedLeg("primary", "r", "root", False),
        PlannedLeg("judge", "r", "review", False),
        PlannedLeg("repair", "r", "root", True),
    )
    given_up = turn("f1", leg(), pattern="cascade", state="abandoned", planned=plan, judge_model="m-judge")
    lines = [line.split() for line in _printed(given_up, Tools.NONE).split("\n")]
    assert ["m-judge", "judge", "never", "ran"] in lines
    assert ["(planned)", "repair", "not", "asked", "for"] in lines
    accepted = [line.split() for line in _printed(given_up._replace(state="completed"), Tools.NONE).split("\n")]
    assert ["(planned)", "repair", "not", "needed"] in accepted


def test_parallel_critics_that_began_apart_have_bars_that_overlap() -> None:
    critics = [
        leg(f"f1:c{n}", index=n, kind="critic", model=f"m-{n}", ended_at=TEN + 6_000 + 1_000 * n, duration_ms=5_000.0)
        for n in range(3)
    ]
    lines = [line for line in _printed(turn("f1", *critics), Tools.NONE).split("\n") if "criticised" in line and "▒" in line]
    bars = [(line.index("▒"), line.rindex("▒")) for line in lines]
    assert len(bars) == 3
    assert bars[0][0] < bars[1][0] < bars[2][0] < bars[0][1] < bars[1][1] < bars[2][1]


def test_what_a_compaction_or_the_next_request_would_do_stands_with_the_route() -> None:
    followed = turn("f1", leg(), follow_up=(("user_turn", "reuse_primary"), ("compaction_turn", "reroute")))
    text = _printed(followed, Tools.NONE)
    assert "follow-up user_turn: reuse_primary" in text
    assert "follow-up compaction_turn: reroute" in text


def test_nothing_of_a_tool_is_taken_for_markup_or_a_command() -> None:
    text = _printed(TURN._replace(tool_calls=(call(name="[red]x[/red]\x1b[31m"),)), force_terminal=True)
    assert "[red]x[/red]\ufffd[31m" in text
    assert "\x1b[31m" not in text


@some
@given(turns())
def test_every_turn_with_its_calls_fits_in_80_columns(turned: Turn) -> None:
    assert widest(_printed(turned)) <= 80
