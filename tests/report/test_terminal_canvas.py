from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from fusionscope.report.terminal_canvas import Column, fit, fits, lay_out
from tests.report.screen import canvas


def test_a_text_is_cut_at_its_end() -> None:
    assert canvas().cut("abcdef", 6) == "abcdef"
    assert canvas().cut("abcdef", 4) == "abc…"
    assert canvas().cut("ab cdef", 4) == "ab…"
    assert canvas().cut("abcdef", 0) == ""


def test_a_name_is_cut_in_its_middle() -> None:
    assert canvas().cut_middle("mai-code-1.1-flash", 11) == "mai-c…flash"
    assert canvas().cut_middle("gpt-5.6-sol", 6) == "gp…sol"
    assert canvas().cut_middle("gpt-5.6-sol", 4) == "gpt…"


def test_wide_characters_count_twice() -> None:
    assert canvas().cut("界界界", 5) == "界界…"
    assert cell_len(canvas().cut_middle("界" * 9, 8)) <= 8


@given(st.text(max_size=30), st.integers(0, 30))
def test_a_cut_text_never_exceeds_its_room(value: str, width: int) -> None:
    assert cell_len(canvas().cut(value, width)) <= width
    assert cell_len(canvas().cut_middle(value, width)) <= width


def test_lines_break_at_spaces_and_hang_below_the_first() -> None:
    lines = canvas(12).wrapped("one two three", "! ")
    assert [line.plain for line in lines] == ["! one two", "  three"]


def test_a_word_longer_than_a_line_is_broken() -> None:
    lines = canvas(6).wrapped("abcdefghij k", "! ")
    assert [line.plain for line in lines] == ["! abcd", "  efgh", "  ij k"]


def test_facts_break_between_two_facts_and_leave_out_empty_ones() -> None:
    lines = canvas(14).facts(["one two", "", "three", "four"])
    assert [line.plain for line in lines] == ["one two", "three · four"]


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [("utf-8", "é界"), ("cp1252", "é?"), ("ascii", "??"), ("no-such-codec", "??")],
)
def test_what_an_encoding_has_not_is_a_question_mark(encoding: str, expected: str) -> None:
    assert canvas()._replace(encoding=encoding).encodable("é界") == expected


def test_columns_are_as_wide_as_their_widest_cell_or_heading() -> None:
    columns = (Column("name"), Column("n", right=True))
    rows = [[("a", ""), ("1,000", "")]]
    assert fit(columns, rows, 80) == [4, 5]
    assert fits(columns, rows, 11)
    assert not fits(columns, rows, 10)


def test_the_widest_column_that_may_be_cut_loses_first() -> None:
    columns = (Column(least=2), Column(least=2), Column())
    rows = [[("a" * 10, ""), ("b" * 6, ""), ("c" * 9, "")]]
    assert fit(columns, rows, 10 + 6 + 9 + 4 - 5) == [5, 6, 9]
    assert fit(columns, rows, 0) == [2, 2, 9]


def test_a_row_is_padded_between_columns_and_not_at_its_end() -> None:
    columns = (Column(gap=1), Column(right=True), Column())
    row = lay_out(canvas(), columns, [3, 5, 9], [("a", ""), ("1", ""), ("b", "")])
    assert row.plain == "a       1  b"


def test_a_sign_wider_than_the_room_stands_alone() -> None:
    assert [line.plain for line in canvas(1).wrapped("a\u4e2d\u4e2d b")] == ["a", "\u4e2d", "\u4e2d", "b"]
