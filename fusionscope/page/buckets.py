"""Cutting a range of time for charts: hours, days, weeks, months or years of this machine's zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from fusionscope.page.filters import midnight

__all__ = ["Bucket", "buckets"]

_HOUR_MS = 3_600_000
_DAY_MS = 24 * _HOUR_MS
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: up to how many days the parts are these
_MOST_DAYS = {"hour": 2, "day": 62, "week": 430, "month": 1_900}


class Bucket(NamedTuple):
    """One part of a range: from ``since`` to before ``until`` (ms UTC), its name, and a short one to stand below a column."""

    since: int
    until: int
    label: str
    short: str


def buckets(since: int, until: int, whole: bool = False) -> tuple[str, list[Bucket]]:
    """Cut ``since`` to ``until`` into parts, at most about 62; returns what they are called, and them.

    All are whole hours, days and so on but for the first and the last, which begin and end with the range; ``whole``: they too.
    """
    until = max(until, since + 1)
    days = (until - since) / _DAY_MS
    unit = next((unit for unit, most in _MOST_DAYS.items() if days <= most), "year")
    found: list[Bucket] = []
    start = _beginning(since, unit) if whole else since
    while start < until:
        following = _following(start, unit)
        following = following if whole else min(until, following)
        found.append(Bucket(start, following, _label(start, unit), _short(start, unit)))
        start = following
    return unit, found


def _following(moment: int, unit: str) -> int:
    """When the next part begins after ``moment``."""
    day = _local(moment).date()
    if unit == "hour":
        return moment + _HOUR_MS - (moment - midnight(day)) % _HOUR_MS
    if unit == "day":
        return midnight(day + timedelta(days=1))
    if unit == "week":
        return midnight(day + timedelta(days=7 - day.weekday()))
    if unit == "month":
        return midnight((day.replace(day=1) + timedelta(days=32)).replace(day=1))
    return midnight(day.replace(year=day.year + 1, month=1, day=1))


def _beginning(moment: int, unit: str) -> int:
    """When the part began that ``moment`` is in."""
    day = _local(moment).date()
    if unit == "hour":
        return moment - (moment - midnight(day)) % _HOUR_MS
    if unit == "week":
        day -= timedelta(days=day.weekday())
    elif unit != "day":
        day = day.replace(day=1) if unit == "month" else day.replace(month=1, day=1)
    return midnight(day)


def _label(moment: int, unit: str) -> str:
    local = _local(moment)
    return f"{local:%H:%M}" if unit == "hour" else local.date().isoformat()[: {"month": 7, "year": 4}.get(unit, 10)]


def _short(moment: int, unit: str) -> str:
    local = _local(moment)
    return f"{local.day} {local:%b}" if unit in ("day", "week") else _label(moment, unit)


def _local(moment: int) -> datetime:
    return (_EPOCH + timedelta(milliseconds=moment)).astimezone()
