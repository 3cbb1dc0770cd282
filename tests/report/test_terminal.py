from __future__ import annotations

import re
from typing import Any

import pytest

from fusionscope.model import Turn
from fusionscope.report.summary import of_turns
from fusionscope.report.terminal import print_summary, print_turn, print_turns
from tests.report.screen import printed
from tests.turns import CASCADE, leg, turn

HOSTILE = turn("f1\x1b[2J", leg(model="é界\x1b]0;x\x07", verdict="\u202ereject", is_answer=True), pattern="\x9bdebate")
ESCAPE = re.compile("\x1b\\[[0-9;]*m")


def _all(turned: Turn, encoding: str = "utf-8", **console: Any) -> str:
    return (
        printed(print_turn, turned, encoding=encoding, **console)
        + printed(print_turns, [turned], encoding=encoding, **console)
        + printed(print_summary, of_turns([turned]), 1, encoding=encoding, **console)
    )


def test_a_pipe_gets_no_escape() -> None:
    assert "\x1b" not in _all(CASCADE)


def test_a_terminal_gets_colours_that_are_readable_on_light_and_on_dark() -> None:
    text = _all(CASCADE, force_terminal=True, color_system="standard", no_color=False)
    used = {part for code in ESCAPE.findall(text) for part in code[2:-1].split(";")}
    # reset, bold, dim, red, green, magenta
    assert {"1", "32", "35"} <= used <= {"0", "1", "2", "31", "32", "35"}


def test_no_color_is_respected() -> None:
    text = _all(CASCADE, force_terminal=True, color_system="standard", _environ={"NO_COLOR": "1"})
    assert not re.search("\x1b\\[[0-9;]*3[0-9]m", text)


def test_colour_is_never_the_only_sign() -> None:
    assert ESCAPE.sub("", _all(CASCADE, force_terminal=True, color_system="standard")) == _all(CASCADE)


def test_nothing_of_a_log_commands_the_terminal() -> None:
    text = _all(HOSTILE)
    assert not [sign for sign in text if sign != "\n" and not sign.isprintable()]
    assert "\ufffd[2J" in text


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "ascii", "latin-1"])
def test_every_view_can_be_printed_where_the_encoding_is_not_utf_8(encoding: str) -> None:
    text = _all(CASCADE, encoding) + _all(HOSTILE, encoding)
    assert _all(CASCADE, encoding).isascii()
    assert "?" in text


def test_plain_signs_draw_the_same_picture() -> None:
    lines = printed(print_turn, CASCADE, encoding="cp1252").split("\n")
    assert lines[1] == "1 min 16 s | 14.72 credits ($0.15) | asked for hydrafusion"
    assert lines[3:7] == [
        "                                0 -------- 1 min 16 s  time  credits",
        "  mai-code-1.1-flash  drafted   ......                 22 s     0.58  superseded",
        "  gpt-5.6-sol         judged          ===              11 s     2.46  reject",
        "> gpt-5.6-sol         repaired           ############  42 s    11.69  the answer",
    ]
