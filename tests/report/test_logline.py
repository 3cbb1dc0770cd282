"""The log line of a turn."""

from __future__ import annotations

import json

from fusionscope.report.logline import as_json, as_text
from tests.turns import CASCADE, leg, turn


def test_a_turn_is_one_line_with_its_models_by_name() -> None:
    assert as_text(CASCADE) == "fusion-fa51fa07 cascade legs=3 models=gpt-5.6-sol,mai-code-1.1-flash credits=14.72"


def test_a_state_other_than_completed_and_an_unknown_cost_are_said() -> None:
    unknown = turn("f1", leg(nano_aiu=None), state="open", reported_nano_aiu=None, pattern=None)
    assert as_text(unknown) == "f1 unknown legs=1 models=m-small credits=unknown state=open"


def test_what_comes_from_a_log_can_neither_break_the_line_nor_command_a_terminal() -> None:
    line = as_text(turn("f1\nf2", leg(model="m\x1b[31m\r\nfake"), pattern="a\u2028b"))
    assert len(line.splitlines()) == 1
    assert "\x1b" not in line


def test_as_json_a_turn_is_an_object_on_one_line_with_the_number_of_its_legs() -> None:
    line = as_json(CASCADE)
    assert "\n" not in line
    turn = json.loads(line)["turn"]
    assert (turn["fusion_id"], turn["nano_aiu"], turn["legs"]) == (CASCADE.fusion_id, 14_719_596_000, 3)


def test_a_sentence_is_a_message() -> None:
    assert as_text("Reading pauses.") == "Reading pauses."
    assert json.loads(as_json("Reading pauses."))["message"] == "Reading pauses."
