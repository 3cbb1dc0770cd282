"""The log line of a turn."""

from __future__ import annotations

from fusionscope.report.logline import turn_line
from tests.turns import CASCADE, leg, turn


def test_a_turn_is_one_line_with_its_models_by_name() -> None:
    assert turn_line(CASCADE) == "fusion-fa51fa07 cascade legs=3 models=gpt-5.6-sol,mai-code-1.1-flash credits=14.72"


def test_a_state_other_than_completed_and_an_unknown_cost_are_said() -> None:
    unknown = turn("f1", leg(nano_aiu=None), state="open", reported_nano_aiu=None, pattern=None)
    assert turn_line(unknown) == "f1 unknown legs=1 models=m-small credits=unknown state=open"


def test_what_comes_from_a_log_can_neither_break_the_line_nor_command_a_terminal() -> None:
    line = turn_line(turn("f1\nf2", leg(model="m\x1b[31m\r\nfake"), pattern="a\u2028b"))
    assert len(line.splitlines()) == 1
    assert "\x1b" not in line
