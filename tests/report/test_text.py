from __future__ import annotations

import unicodedata
from datetime import timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusionscope.report import text
from tests.turns import CASCADE, TEN


def test_a_terminal_command_in_a_log_is_shown_as_replacement_signs() -> None:
    assert text.shown("a\x1b]0;x\x07b") == "a\ufffd]0;x\ufffdb"


@pytest.mark.parametrize("sign", ["\n", "\t", "\r", "\x9b", "\x7f", "\u202e", "\u2028", "\u200b", "\ud800", "\ue000"])
def test_no_sign_without_a_look_of_its_own_is_printed(sign: str) -> None:
    assert text.shown(f"a{sign}b") == "a\ufffdb"


def test_letters_of_any_script_are_kept() -> None:
    assert text.shown("modèle-界") == "modèle-界"


def test_a_long_text_is_cut_with_three_dots() -> None:
    assert text.shown("x" * 121) == "x" * 117 + "..."
    assert text.shown("x" * 120) == "x" * 120
    assert text.shown("xxxx", 2) == ".."


@given(st.text(), st.integers(0, 200))
def test_what_is_shown_is_bounded_and_holds_no_control_character(value: str, limit: int) -> None:
    safe = text.shown(value, limit)
    assert len(safe) <= limit
    assert not [sign for sign in safe if unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp")]


@given(st.text())
def test_cleaning_twice_changes_nothing_more(value: str) -> None:
    assert text.clean(text.clean(value)) == text.clean(value)


@pytest.mark.parametrize(
    ("nano_aiu", "expected"),
    [
        (14_719_596_000, "14.72"),
        (575_436_000, "0.58"),
        (2_457_200_000, "2.46"),
        (11_686_960_000, "11.69"),
        (0, "0.00"),
        (1, "<0.01"),
        (4_999_999, "<0.01"),
        (5_000_000, "0.01"),
        (-100_000_000, "-0.10"),
        (-1, ">-0.01"),
        (1_234_500_000_000, "1,234.50"),
        (None, "not metered"),
        (123_456_789 * 10**9, "1.23e+08"),
    ],
)
def test_credits_have_two_decimals(nano_aiu: int | None, expected: str) -> None:
    assert text.credits(nano_aiu) == expected


@pytest.mark.parametrize(
    ("nano_aiu", "expected"),
    [(14_719_596_000, "$0.15"), (100_000_000_000, "$1.00"), (0, "$0.00"), (1_000, "<$0.01"), (-(10**11), "-$1.00")],
)
def test_dollars_are_a_hundredth_of_credits(nano_aiu: int, expected: str) -> None:
    assert text.dollars(nano_aiu) == expected


def test_money_says_credits_and_dollars_or_that_it_is_not_metered() -> None:
    assert text.money(14_719_596_000) == "14.72 credits ($0.15)"
    assert text.money(None) == "not metered"


def test_amounts_that_look_alike_are_told_apart_by_more_decimals() -> None:
    assert text.credits_apart(12_500_000_000, 12_400_000_000) == ("12.50", "12.40")
    assert text.credits_apart(12_500_000_000, 12_500_000_001) == ("12.5", "12.500000001")


@pytest.mark.parametrize(
    ("ms", "expected"),
    [
        (0, "0 s"),
        (0.2, "1 ms"),
        (42, "42 ms"),
        (99.6, "100 ms"),
        (800, "0.8 s"),
        (5_749, "5.7 s"),
        (9_949, "9.9 s"),
        (9_950, "10 s"),
        (10_727, "11 s"),
        (22_160, "22 s"),
        (42_293, "42 s"),
        (59_499, "59 s"),
        (59_500, "1 min 0 s"),
        (75_613, "1 min 16 s"),
        (106_000, "1 min 46 s"),
        (3_600_000, "1 h 0 min"),
        (7_530_000, "2 h 5 min"),
        (1e300, "over 9,999 h"),
        (-5, "0 s"),
    ],
)
def test_durations_read_as_people_say_them(ms: float, expected: str) -> None:
    assert text.duration(ms) == expected


@pytest.mark.parametrize(
    ("ms", "expected"),
    [(75_613, "76 s"), (4_800, "4.8 s"), (101_000, "101 s"), (3_600_000, "3,600 s"), (30, "30 ms"), (0, "0 s")],
)
def test_seconds_stay_seconds_in_columns(ms: float, expected: str) -> None:
    assert text.seconds(ms) == expected


def test_a_mean_time_has_one_decimal() -> None:
    assert text.mean_seconds(27.6944) == "27.7 s"
    assert text.mean_seconds(1_942.04) == "1,942.0 s"
    assert text.mean_seconds(None) == "n/a"


def test_milliseconds_are_whole() -> None:
    assert text.milliseconds(246.496) == "246 ms"
    assert text.milliseconds(5_000.5) == "5,001 ms"


def test_counts_have_thousands_separators_and_a_bound() -> None:
    assert text.count(1_524_207) == "1,524,207"
    assert text.count(123_456_789, digits=8) == "1.23e+08"
    assert text.plural(1, "leg") == "1 leg"
    assert text.plural(0, "leg") == "0 legs"


@pytest.mark.parametrize(
    ("share", "decimals", "expected"),
    [
        (0.25, None, "25 %"),
        (2 / 3, None, "67 %"),
        (0.0251, None, "2.5 %"),
        (0.0994, None, "9.9 %"),
        (0.0996, None, "10 %"),
        (0.0, None, "0 %"),
        (1.0, None, "100 %"),
        (0.574, 1, "57.4 %"),
        (None, None, "n/a"),
    ],
)
def test_per_cent_is_whole_from_ten_on(share: float | None, decimals: int | None, expected: str) -> None:
    assert text.percent(share, decimals) == expected


def test_times_are_rfc_3339_in_utc_with_milliseconds() -> None:
    assert text.rfc3339(CASCADE.started_at) == "2026-09-09T02:42:54.729Z"
    assert text.rfc3339(TEN) == "2026-11-30T10:00:00.000Z"
    assert text.rfc3339(-1) == "1969-12-31T23:59:59.999Z"
    assert text.rfc3339(None) is None


@pytest.mark.parametrize("ms", [10**15, -(10**15), 10**40, -(10**40)])
def test_a_time_that_no_calendar_has_is_unknown(ms: int) -> None:
    assert text.rfc3339(ms) is None
    assert text.local_time(ms) == "unknown time"
    assert text.local_day(ms) == ("unknown day", "", "")


def test_local_times_name_their_zone() -> None:
    assert text.local_time(CASCADE.started_at, timezone(timedelta(hours=2))) == "2026-09-09 04:42:54 +02:00"
    assert text.local_time(CASCADE.started_at, timezone(timedelta())) == "2026-09-09 02:42:54 UTC"
    assert text.local_time(CASCADE.started_at, timezone(timedelta(hours=-3, minutes=-30))) == ("2026-09-08 23:12:54 -03:30")


def test_a_day_is_the_day_of_the_zone() -> None:
    eight_past_four = TEN - 6 * 3_600_000 + 8 * 60_000  # 2026-11-30T04:08Z
    assert text.local_day(eight_past_four, timezone(timedelta(hours=-8))) == ("2026-11-29", "20:08", "-08:00")
    assert text.local_day(eight_past_four, timezone(timedelta())) == ("2026-11-30", "04:08", "UTC")


def test_a_short_id_has_fifteen_characters_or_as_many_as_tell_it_apart() -> None:
    ids = ["fusion-fa51fa07-905f", "fusion-0be4aaaa-1111", "fusion-c0ffee11-1", "fusion-c0ffee11-2", "f1", "f11"]
    assert text.short_ids(ids) == {
        "fusion-fa51fa07-905f": "fusion-fa51fa07",
        "fusion-0be4aaaa-1111": "fusion-0be4aaaa",
        "fusion-c0ffee11-1": "fusion-c0ffee11-1",
        "fusion-c0ffee11-2": "fusion-c0ffee11-2",
        "f1": "f1",
        "f11": "f11",
    }


@given(st.sets(st.text("ab-", min_size=16, max_size=24), max_size=8))
def test_no_two_ids_have_one_short_id(ids: set[str]) -> None:
    short = text.short_ids(ids)
    assert all(fusion_id.startswith(short[fusion_id]) for fusion_id in ids)
    assert len(set(short.values())) == len(ids)
