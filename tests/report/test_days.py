from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusionscope.report.days import Month, beginning, day_of, month_of, week_of

HOUR = 3_600_000
BERLIN, LOS_ANGELES, CAIRO = (ZoneInfo(name) for name in ("Europe/Berlin", "America/Los_Angeles", "Africa/Cairo"))
ZONES = (UTC, BERLIN, LOS_ANGELES, CAIRO, *(ZoneInfo(name) for name in ("Australia/Lord_Howe", "Asia/Kathmandu")))


def at(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def test_a_moment_has_the_day_of_the_zone() -> None:
    moment = at("2026-11-30T04:08Z")
    assert (day_of(moment, UTC), day_of(moment, LOS_ANGELES)) == ("2026-11-30", "2026-11-29")


@pytest.mark.parametrize(("day", "hours"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25), (date(2026, 6, 1), 24)])
def test_the_day_of_a_clock_change_has_its_own_length(day: date, hours: int) -> None:
    begin, end = beginning(day, BERLIN), beginning(day + timedelta(days=1), BERLIN)
    assert end - begin == hours * HOUR
    assert day_of(begin - 1, BERLIN) == (day - timedelta(days=1)).isoformat()
    assert day_of(begin, BERLIN) == day_of(end - 1, BERLIN) == day.isoformat()


def test_a_day_without_midnight_begins_when_its_clocks_do() -> None:
    # in Cairo, 24 April 2026 begins at 01:00: the clocks go from 23:59:59 to that
    begin = beginning(date(2026, 4, 24), CAIRO)
    assert begin == at("2026-04-24T01:00+03:00")
    assert (day_of(begin - 1, CAIRO), day_of(begin, CAIRO)) == ("2026-04-23", "2026-04-24")


def test_a_week_begins_on_monday_and_may_end_in_another_year() -> None:
    sunday, monday = at("2026-11-29T23:59:59Z"), at("2026-11-30T00:00Z")
    assert (week_of(sunday, UTC), week_of(monday, UTC)) == ("2026-W48", "2026-W49")
    assert week_of(monday, LOS_ANGELES) == "2026-W48"
    assert week_of(at("2027-01-03T12:00Z"), UTC) == "2026-W53"


def test_a_month_lasts_as_long_as_its_days() -> None:
    march = month_of(at("2026-03-31T21:30Z"), BERLIN)
    assert (march.first, march.begin, march.end) == (
        date(2026, 3, 1), at("2026-03-01T00:00+01:00"), at("2026-04-01T00:00+02:00"),
    )  # fmt: skip
    assert march.end - march.begin == (31 * 24 - 1) * HOUR
    assert month_of(at("2026-03-31T22:00Z"), BERLIN).first == date(2026, 4, 1)
    assert Month(date(2026, 12, 1), UTC).end == at("2027-01-01T00:00Z")


def test_a_moment_outside_the_calendar_has_no_day() -> None:
    assert day_of(10**18, UTC) is week_of(10**18, UTC) is None


@given(st.datetimes(datetime(1990, 1, 1), datetime(2036, 1, 1)), st.sampled_from(ZONES))  # noqa: DTZ001
def test_every_moment_lies_within_its_day(naive: datetime, zone: ZoneInfo) -> None:
    moment = at(naive.replace(tzinfo=UTC).isoformat())
    found = day_of(moment, zone)
    assert found
    day = date.fromisoformat(found)
    assert beginning(day, zone) <= moment < beginning(day + timedelta(days=1), zone)
