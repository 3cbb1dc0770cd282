"""Values as text: whatever a log holds made safe to print, and numbers with their units.

Nothing here reads the clock or the terminal. Signs outside ASCII stay out of the helpers' own words, so that their
results can be printed in any encoding (text of a log is the caller's to encode).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache

from fusionscope.model import CREDITS_PER_USD, NANO_AIU_PER_CREDIT

__all__ = [
    "NOT_METERED",
    "SHORT_ID",
    "clean",
    "count",
    "credits",
    "credits_apart",
    "dollars",
    "duration",
    "local_day",
    "local_time",
    "mean_seconds",
    "milliseconds",
    "money",
    "percent",
    "plural",
    "rfc3339",
    "seconds",
    "short_ids",
    "shown",
    "size",
]

#: what stands where money is unknown, which is not zero
NOT_METERED = "not metered"

#: characters of a fusion id that a person reads and types: ``fusion-fa51fa07``
SHORT_ID = 15

#: the longest text of a log that we print, in characters
SHOWN_CHARACTERS = 120

# The sign Unicode has for "something unreadable stood here".
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

# Control, format (bidirectional overrides, zero-width characters, tags), surrogate, private use, unassigned, and the
# two Unicode line ends: none has a fixed look, and some command the terminal or reorder the text around them.
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_NANO_PER_HUNDREDTH = NANO_AIU_PER_CREDIT // 100
_MOST_CREDITS = 10_000_000
_MOST_HOURS = 9_999
_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_MOST_PER_CENT = 100_000


def clean(value: str) -> str:
    """Return ``value`` with every character that could command a terminal replaced by U+FFFD, one for one."""
    if value.isascii() and value.isprintable():
        return value
    return "".join(_REPLACEMENT if unicodedata.category(sign) in _UNPRINTABLE else sign for sign in value)


def shown(value: str, limit: int = SHOWN_CHARACTERS) -> str:
    """Return ``value`` safe to print, at most ``limit`` characters long; a cut text ends in three dots."""
    if len(value) > limit:
        value = value[: max(0, limit - 3)] + "..."[:limit]
    return clean(value)


def count(number: int, digits: int = 12) -> str:
    """Return a count with thousands separators, or in powers of ten when it has more than ``digits`` digits."""
    return f"{number:,}" if abs(number) < 10**digits else f"{number:.2e}"


def plural(number: int, thing: str, things: str | None = None) -> str:
    """Return ``1 leg``, ``2 legs``; ``things`` where an s is not enough."""
    return f"{count(number)} {thing}" if number == 1 else f"{count(number)} {things or thing + 's'}"


def size(length: float) -> str:
    """Return a number of bytes in the unit that suits it: ``512 bytes``, ``1.2 MB``."""
    for unit in _UNITS:
        if length < 1_000 or unit == _UNITS[-1]:
            break
        length /= 1_000
    return f"{length:.0f} {unit}" if unit == "bytes" else f"{length:.1f} {unit}"


def credits(nano_aiu: int | None) -> str:
    """Return integer nano-AIU as credits with two decimals; what would round to nothing but is not nothing, ``<0.01``."""
    if nano_aiu is None:
        return NOT_METERED
    return _hundredths(nano_aiu, _NANO_PER_HUNDREDTH)


def money(nano_aiu: int | None) -> str:
    """Return ``14.72 credits ($0.15)``, or that it is not metered."""
    return NOT_METERED if nano_aiu is None else f"{credits(nano_aiu)} credits ({dollars(nano_aiu)})"


def dollars(nano_aiu: int) -> str:
    """Return integer nano-AIU as US dollars at list price, with two decimals."""
    return _hundredths(nano_aiu, _NANO_PER_HUNDREDTH * CREDITS_PER_USD, "$")


def credits_apart(first: int, second: int) -> tuple[str, str]:
    """Return two different amounts of nano-AIU as credits, with as many decimals as it takes to tell them apart."""
    if credits(first) != credits(second):
        return credits(first), credits(second)
    return _exact(first), _exact(second)


def milliseconds(ms: float) -> str:
    """Return a span of milliseconds in whole ones: ``246 ms``."""
    return f"{count(_half_up(ms))} ms"


def seconds(ms: float) -> str:
    """Return a span of milliseconds in seconds only, for columns of many: ``0.8 s``, ``76 s``, ``3,600 s``."""
    if 0 < ms < 100:
        return milliseconds(max(ms, 1))
    tenths = _half_up(ms / 100)
    if tenths == 0:
        return "0 s"
    return f"{tenths // 10}.{tenths % 10} s" if tenths < 100 else f"{count(_half_up(ms / 1000), digits=9)} s"


def mean_seconds(value: float | None) -> str:
    """Return a mean number of seconds with one decimal, however great: ``27.7 s``; ``n/a`` where there is none."""
    return "n/a" if value is None else f"{min(value, 1e9):,.1f} s"


def duration(ms: float) -> str:
    """Return a span of milliseconds for reading: ``0.8 s``, ``22 s``, ``1 min 16 s``, ``2 h 5 min``."""
    whole = _half_up(ms / 1000)
    if whole < 60:
        return seconds(ms)
    minutes = whole // 60
    if minutes < 60:
        return f"{minutes} min {whole % 60} s"
    hours = minutes // 60
    if hours > _MOST_HOURS:
        return f"over {_MOST_HOURS:,} h"
    return f"{hours:,} h {minutes % 60} min"


def percent(part: float | None, decimals: int | None = None) -> str:
    """Return a share of 1 as per cent: whole from 10 % on, one decimal below, or ``decimals`` when a column wants it.

    ``None``, a rate with nothing to divide by, is ``n/a``. What a log contradicts itself by may be any share: in powers of ten.
    """
    if part is None:
        return "n/a"
    value = part * 100
    if abs(value) >= _MOST_PER_CENT:
        return f"{value:.0e} %"
    if decimals is None:
        decimals = 0 if value == 0 or abs(value) >= 9.95 else 1
    return f"{value:.{decimals}f} %"


def rfc3339(ms: int | None) -> str | None:
    """Return milliseconds since 1970 as ``2026-11-30T10:00:00.000Z``; ``None`` when unknown or outside the years 1 to 9999."""
    if ms is None:
        return None
    days, rest = divmod(ms, 86_400_000)
    day = _iso_day(days)
    if day is None:
        return None
    minutes, rest = divmod(rest, 60_000)
    return f"{day}T{minutes // 60:02d}:{minutes % 60:02d}:{rest // 1000:02d}.{rest % 1000:03d}Z"


def local_time(ms: int | None, zone: tzinfo | None = None) -> str:
    """Return a moment for the terminal, with its zone: ``2026-09-09 05:22:54 +02:00``; the machine's own zone by default."""
    moment = _local(ms, zone)
    if moment is None:
        return "unknown time"
    return f"{moment.date().isoformat()} {moment:%H:%M:%S} {_offset(moment)}"


def local_day(ms: int | None, zone: tzinfo | None = None) -> tuple[str, str, str]:
    """Return a moment's local day, its clock time to the minute, and its zone: ``("2026-09-09", "05:22", "+02:00")``."""
    moment = _local(ms, zone)
    if moment is None:
        return ("unknown day", "", "")
    return moment.date().isoformat(), f"{moment:%H:%M}", _offset(moment)


def short_ids(full: Iterable[str], least: int = SHORT_ID) -> dict[str, str]:
    """Return for each id the shortest beginning, of at least ``least`` characters, that no other of these ids has."""
    ids = sorted(set(full))
    short: dict[str, str] = {}
    for place, one in enumerate(ids):
        neighbours = ids[max(0, place - 1) : place] + ids[place + 1 : place + 2]
        common = max((_common(one, other) for other in neighbours), default=0)
        short[one] = one[: max(least, common + 1)]
    return short


def _common(one: str, other: str) -> int:
    """Return how many characters two texts begin with in common."""
    place = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        place += 1
    return place


def _half_up(value: float) -> int:
    """Round as people do, not to even; spans are never negative, whatever a log says."""
    return int(max(0.0, value) + 0.5)


def _hundredths(amount: int, unit: int, symbol: str = "") -> str:
    """Return ``amount`` in hundreds of ``unit`` with two decimals, rounded in integers, so that no figure is off by one."""
    sign = "-" if amount < 0 else ""
    rounded = (abs(amount) + unit // 2) // unit
    if rounded == 0 and amount:
        return f"<{symbol}0.01" if amount > 0 else f">-{symbol}0.01"
    whole, part = divmod(rounded, 100)
    if whole >= _MOST_CREDITS:
        return f"{sign}{symbol}{whole:.2e}"
    return f"{sign}{symbol}{whole:,}.{part:02d}"


def _exact(nano_aiu: int) -> str:
    """Return credits with all nine decimals, less the zeros at the end."""
    sign = "-" if nano_aiu < 0 else ""
    whole, part = divmod(abs(nano_aiu), NANO_AIU_PER_CREDIT)
    return f"{sign}{whole:,}.{part:09d}".rstrip("0").rstrip(".")


@lru_cache(maxsize=4096)
def _iso_day(days: int) -> str | None:
    """Return the day that many days after 1970-01-01; a log has many moments on few days."""
    try:
        return date.fromordinal(_EPOCH.toordinal() + days).isoformat()
    except (OverflowError, ValueError):
        return None


def _moment(ms: int | None) -> datetime | None:
    """Return a moment in UTC, or ``None`` where the calendar has no such day."""
    if ms is None:
        return None
    try:
        return _EPOCH + timedelta(milliseconds=ms)
    except OverflowError:
        return None


def _local(ms: int | None, zone: tzinfo | None) -> datetime | None:
    """Return a moment in ``zone``; some systems know no local time for far-away years."""
    moment = _moment(ms)
    if moment is None:
        return None
    try:
        return moment.astimezone(zone)
    except (OverflowError, OSError, ValueError):
        return None


def _offset(moment: datetime) -> str:
    """Return the zone as ``UTC`` or as an offset: names of zones differ from system to system, and Windows has long ones."""
    offset = moment.utcoffset() or timedelta()
    minutes = round(offset.total_seconds() / 60)
    if minutes == 0:
        return "UTC"
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
