"""Ranges are cut at the hours and midnights of the machine's zone, also where a day has 23 hours."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusionscope.page.buckets import buckets

HOUR = 3_600_000
DAY = 24 * HOUR
#: 2026-03-28T23:00:00Z, midnight in Berlin before the day whose night loses an hour
SPRING = 1_774_738_800_000


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("berlin")
def test_a_day_that_loses_an_hour_has_23() -> None:
    unit, found = buckets(SPRING - 2 * DAY, SPRING + 2 * DAY - HOUR)
    assert unit == "day"
    assert [(part.label, part.short, (part.until - part.since) // HOUR) for part in found] == [
        ("2026-03-27", "27 Mar", 24), ("2026-03-28", "28 Mar", 24), ("2026-03-29", "29 Mar", 23), ("2026-03-30", "30 Mar", 24),
    ]  # fmt: skip


@pytest.mark.usefixtures("berlin")
def test_two_days_are_cut_into_hours() -> None:
    unit, found = buckets(SPRING, SPRING + DAY - HOUR)
    assert (unit, len(found)) == ("hour", 23)
    assert [part.label for part in found[:4]] == ["00:00", "01:00", "03:00", "04:00"]


@pytest.mark.usefixtures("berlin")
def test_the_ends_of_a_range_are_those_of_its_parts_unless_they_are_to_be_whole() -> None:
    begin, end = SPRING + 90 * 60_000, SPRING + 100 * DAY + 5
    for whole in (False, True):
        unit, found = buckets(begin, end, whole=whole)
        assert unit == "week"
        assert (found[0].since == begin, found[-1].until == end) == (not whole, not whole)
        # 29 March was a Sunday
        assert (found[0].label, found[1].label) == ("2026-03-23" if whole else "2026-03-29", "2026-03-30")


@pytest.mark.parametrize(
    ("days", "unit"), [(1, "hour"), (2, "hour"), (3, "day"), (62, "day"), (63, "week"), (500, "month"), (4_000, "year")]
)
def test_longer_ranges_have_longer_parts(days: int, unit: str) -> None:
    assert buckets(SPRING, SPRING + days * DAY)[0] == unit


@given(st.integers(0, 30 * 365 * DAY), st.integers(0, 20 * 365 * DAY), st.booleans())
def test_parts_follow_each_other_and_cover_the_range(begin: int, length: int, whole: bool) -> None:
    _, found = buckets(begin, begin + length, whole)
    assert found[0].since <= begin
    assert found[-1].until >= begin + length
    assert all(one.until == other.since for one, other in pairwise(found))
    assert len(found) <= 64
