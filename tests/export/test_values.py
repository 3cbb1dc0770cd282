from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusionscope.export.values import attributes, clean, moment, nanoseconds, number


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gpt-5.6-sol", "gpt-5.6-sol"),
        ("  a\r\n\tb\u2028c\x85d  ", "a b c d"),
        ("\x1b[31mred\x00", "[31mred"),
        ("half \ud83d", "half �"),
        ("gpt\u202e5\u200b-\ufeffx\ue000", "gpt�5�-�x�"),
        ("日本語 😀", "日本語 😀"),
        ("", ""),
        ("\n", ""),
    ],
)
def test_text_is_one_printable_line(text: str, expected: str) -> None:
    assert clean(text) == expected


def test_a_long_text_is_cut_with_a_mark_and_one_that_just_fits_is_not() -> None:
    assert clean("x" * 20, 20) == "x" * 20
    assert clean("x" * 21, 20) == "x" * 13 + "… (cut)"
    assert clean(" " * 1_000_000 + "end", 20) == "… (cut)"


@given(st.text(), st.integers(8, 40))
def test_clean_text_is_bounded_encodable_and_stays_as_it_is(text: str, longest: int) -> None:
    once = clean(text, longest)
    assert len(once) <= longest
    assert clean(once, longest) == once
    once.encode()


def test_numbers_that_are_no_amounts_are_unknown() -> None:
    assert [number(value) for value in (0, 5, 0.5, 2**63 - 1)] == [0, 5, 0.5, 2**63 - 1]
    assert [number(value) for value in (None, -1, -0.5, 2**63, float("nan"), float("inf"))] == [None] * 6


def test_attributes_without_a_value_are_left_off() -> None:
    given_ = {
        "none": None, "empty": "", "blank": "\n", "list": [], "blanks": ["", " "], "big": 2**63, "nan": float("nan"),
        "false": False, "zero": 0, "float": 0.0, "text": "a\nb", "texts": ("a", "", "b\n"), "max": 2**63 - 1,
    }  # fmt: skip
    assert attributes(given_) == {
        "false": False, "zero": 0, "float": 0.0, "text": "a b", "texts": ("a", "b"), "max": 2**63 - 1,
    }  # fmt: skip


def test_moments_stay_inside_what_otlp_can_say() -> None:
    assert nanoseconds(1_788_921_797_139) == 1_788_921_797_139_000_000
    assert (moment(-1), moment(float("nan")), moment(float("inf"))) == (0, 0, 9_223_372_036_854)
    assert nanoseconds(2**70) == 9_223_372_036_854_000_000
