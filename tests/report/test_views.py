"""The views over the field report look as in ``golden/``, and none is wider than its terminal."""

from __future__ import annotations

import io
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from fusionscope.model import Turn
from fusionscope.report.compare import compare
from fusionscope.report.groups import KEYS, group_by
from fusionscope.report.prices import Refusal
from fusionscope.report.terminal_canvas import canvas_for
from fusionscope.report.terminal_compare import comparison_lines
from fusionscope.report.terminal_groups import groups_lines
from fusionscope.report.terminal_what_if import what_if_lines
from fusionscope.report.worth import review_worth
from tests.report.screen import canvas, widest
from tests.report.strategies import many_turns, some
from tests.report.views import VIEWS, WIDTHS, file_of, seen
from tests.turns import leg, turn


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", VIEWS)
def test_the_views_look_like_this(name: str, width: int) -> None:
    assert seen(name, width) == file_of(name, width).read_text(encoding="utf-8")
    assert widest(seen(name, width)) <= width


@pytest.mark.parametrize("name", VIEWS)
def test_without_unicode_a_view_has_no_sign_that_cannot_be_printed(name: str) -> None:
    plain = canvas_for(Console(width=80, file=io.TextIOWrapper(io.BytesIO(), encoding="ascii")), UTC)
    assert all(line.plain.isascii() for line in VIEWS[name](plain))


def test_nothing_to_show_is_said() -> None:
    assert [line.plain for line in groups_lines(canvas(), group_by([], ["model"]), "UTC")] == ["no Fusion turns"]
    assert [line.plain for line in what_if_lines(canvas(), 0, [], [], [], [])] == ["no Fusion turns"]


def test_what_is_not_itemised_and_not_known_has_words() -> None:
    turns = [turn("f1", leg(model="a", nano_aiu=10**9), reported_nano_aiu=3 * 10**9), turn("f2", leg(nano_aiu=None, model="b"),
             reported_nano_aiu=None)]  # fmt: skip
    lines = [line.plain for line in groups_lines(canvas(120), group_by(turns, ["model"]), "UTC")]
    assert lines[1].split() == ["a", "1", "1", "1.00", "$0.01", "33.3", "%", "1.00", "100", "%"]
    assert lines[2].split()[:5] == ["b", "1", "1", "not", "metered"]
    assert lines[3].split() == ["not", "itemised", "1", "2.00", "$0.02", "66.7", "%", "n/a"]
    assert "Of 1 turn the credits are not known: in no sum." in lines


def test_large_figures_leave_out_columns_and_never_the_credits() -> None:
    many = turn("f1", *[leg(model="gpt-5.6-sol-of-a-very-long-name", nano_aiu=10**17)] * 3, reported_nano_aiu=3 * 10**17)
    table = "\n".join(line.plain for line in groups_lines(canvas(60), group_by([many], ["model"]), "UTC"))
    assert widest(table) <= 60
    assert "3.00e+08" in table or "300,000,000.00" in table


@some
@given(many_turns, many_turns, st.lists(st.sampled_from(KEYS), min_size=1, max_size=2, unique=True))
def test_whatever_a_log_holds_fits_and_commands_no_terminal(a: list[Turn], b: list[Turn], keys: list[str]) -> None:
    lines = groups_lines(canvas(), group_by(a, keys, UTC), "UTC")
    lines += comparison_lines(canvas(), compare(a, b), "a\x1b]0;x\x07", "b")
    lines += what_if_lines(canvas(), len(a), [], [Refusal("\x1b[31mred", 1, "Too few.")], [], review_worth(a))
    text = "\n".join(line.plain for line in lines)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert widest(text) <= 80
