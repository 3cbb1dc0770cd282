"""Days, weeks and months of a time zone: in which a moment lies, and where they begin.

A zone is a ``tzinfo``, or ``None`` for this machine's own. A day is whatever the zone's clocks call one: 23 or 25 hours when
they are put forward or back. A week is that of ISO 8601: it begins on Monday, and ``2026-W53`` may end in January.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo

__all__ = ["Month", "beginning", "day_of", "month_of", "week_of"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Month:
    """A calendar month of a zone: ``begin`` and ``end`` are moments (ms UTC), ``end`` is the first of the next month."""

    def __init__(self, first: date, zone: tzinfo | None) -> None:
        after = (first + timedelta(days=31)).replace(day=1)
        self.first = first
        self.begin = beginning(first, zone)
        self.end = beginning(after, zone)


def day_of(moment: int, zone: tzinfo | None) -> str | None:
    """Return the day in which a moment (ms UTC) lies, ``2026-11-30``; ``None`` where the calendar has none."""
    day = _date(moment, zone)
    return None if day is None else day.isoformat()


def week_of(moment: int, zone: tzinfo | None) -> str | None:
    """Return the ISO week in which a moment (ms UTC) lies, ``2026-W49``; ``None`` where the calendar has none."""
    day = _date(moment, zone)
    if day is None:
        return None
    week = day.isocalendar()
    return f"{week.year:04d}-W{week.week:02d}"


def month_of(moment: int, zone: tzinfo | None) -> Month:
    """Return the calendar month in which a moment (ms UTC) lies.

    Raises:
        OverflowError: the calendar has no such month, or none after it.
    """
    day = _date(moment, zone)
    if day is None:
        raise OverflowError(f"no month holds {moment}")
    return Month(day.replace(day=1), zone)


def beginning(day: date, zone: tzinfo | None) -> int:
    """Return the moment (ms UTC) at which a day begins; where the clocks skip midnight, its first moment after that.

    Raises:
        OverflowError: it lies outside the calendar.
    """
    midnight = datetime.combine(day, time(), zone)
    return (midnight.astimezone(UTC) - _EPOCH) // timedelta(milliseconds=1)


def _date(moment: int, zone: tzinfo | None) -> date | None:
    try:
        # without a zone, this is the machine's local time
        return datetime.fromtimestamp(moment // 1000, zone).date()
    except (OverflowError, OSError, ValueError):
        return None
