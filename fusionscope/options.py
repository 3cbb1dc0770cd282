"""What the commands' options mean: moments, places, selections. No I/O."""

from __future__ import annotations

import argparse
import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from pathlib import Path

from fusionscope.store.read import Selection

__all__ = [
    "FARTHEST",
    "add_client",
    "moment",
    "places",
    "selected",
    "selection",
    "sessions",
    "span",
    "tools",
    "zone",
    "zone_name",
]

_SPAN = re.compile(r"(\d{1,6})([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: a moment that can be told in all of these can be told in any zone; None is this machine's own.
FARTHEST = (None, timezone(timedelta(hours=23)), timezone(-timedelta(hours=23)))


def moment(text: str, now: datetime, end_of_day: bool = False, zone: tzinfo | None = None) -> int:
    """A moment (ms UTC) from an ISO 8601 date or time, or a span back from ``now`` such as ``90m``, ``24h``, ``7d``, ``4w``.

    A time without a zone is one of ``zone``, of this machine's own by default. A date is the start of that day there, or the
    start of the next one with ``end_of_day``.

    Raises:
        ValueError: none of these.
    """
    if span := _SPAN.fullmatch(text):
        then = now - timedelta(**{_UNITS[span[2]]: int(span[1])})
    elif (day := _day(text)) is not None:
        then = datetime.combine(day + timedelta(days=1 if end_of_day else 0), time(), zone)
    else:
        then = datetime.fromisoformat(text)
        then = then if then.tzinfo else then.replace(tzinfo=zone)
    return (then.astimezone(UTC) - _EPOCH) // timedelta(milliseconds=1)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def span(text: str) -> int:
    """A span of time such as ``90m`` or ``24h``, in milliseconds."""
    found = _SPAN.fullmatch(text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is no span of time (90m, 24h, 7d, 4w)")
    return timedelta(**{_UNITS[found[2]]: int(found[1])}) // timedelta(milliseconds=1)


def when(text: str) -> str:
    """The value of ``--since`` and ``--until``: what it means depends on ``--tz``, which may still come."""
    try:
        for zone in FARTHEST:
            moment(text, datetime.now(UTC), end_of_day=True, zone=zone)
    except (ValueError, OverflowError, OSError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no date (2026-09-09), time (2026-09-09T14:00Z) or span (90m, 24h, 7d, 4w)"
        ) from None
    return text


def named_zone(text: str) -> tzinfo:
    """The value of ``--tz``."""
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(text)
    except (KeyError, ValueError, OSError):
        raise argparse.ArgumentTypeError(f"{text!r} is no time zone that this machine knows (Europe/Berlin, UTC)") from None


def _limit(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 2**31:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of turns")
    return int(text)


def places() -> argparse.ArgumentParser:
    """The options that say where the logs and the database are."""
    parser = argparse.ArgumentParser(add_help=False)
    group = parser.add_argument_group("where")
    group.add_argument(
        "--root",
        metavar="DIR",
        type=Path,
        action="append",
        default=[],
        help="a Copilot home or its session-state directory; may be repeated (default: $COPILOT_HOME, else ~/.copilot)",
    )
    group.add_argument("--db", metavar="FILE", type=Path, help="the database (default: $FUSIONSCOPE_DB or the state directory)")
    group.add_argument(
        "--service-text", action="store_true", help="also keep the router's hint and the name of its rule: text of the service"
    )
    group.add_argument(
        "-v", "--verbose", action="store_true", help="print a line on stderr for every turn that is new or changed"
    )
    return parser


def zone() -> argparse.ArgumentParser:
    """The options that say whose days and times are meant."""
    parser = argparse.ArgumentParser(add_help=False)
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--tz",
        metavar="NAME",
        dest="zone",
        type=named_zone,
        help="days and times are of this zone, for example Europe/Berlin (default: this machine's)",
    )
    group.add_argument("--utc", dest="zone", action="store_const", const=UTC, help="days and times are UTC")
    return parser


def selection(by_model: bool = True) -> argparse.ArgumentParser:
    """The options that select turns; without ``by_model``, ``--model`` is free for another use."""
    parser = argparse.ArgumentParser(add_help=False)
    group = parser.add_argument_group("which turns")
    group.add_argument("--since", metavar="WHEN", type=when, help="started at or after: a date, a time, or a span such as 7d")
    group.add_argument("--until", metavar="WHEN", type=when, help="started before; a date includes that day")
    group.add_argument("--session", metavar="ID", help="the beginning of a session id")
    group.add_argument("--pattern", metavar="NAME", help="for example single, cascade, critique, 'not fused', unknown")
    if by_model:
        group.add_argument("--model", metavar="NAME", help="ran at least one leg")
    add_client(group)
    group.add_argument("--limit", metavar="N", type=_limit, help="only the newest N")
    return parser


def sessions() -> argparse.ArgumentParser:
    """The options that select sessions."""
    parser = argparse.ArgumentParser(add_help=False)
    group = parser.add_argument_group("which sessions")
    group.add_argument("--since", metavar="WHEN", type=when, help="started at or after: a date, a time, or a span such as 7d")
    group.add_argument("--until", metavar="WHEN", type=when, help="started before; a date includes that day")
    add_client(group)
    return parser


def add_client(group: argparse._ActionsContainer) -> None:
    """Add the option that selects by the client."""
    group.add_argument("--client", metavar="NAME", help="the client that wrote the session, for example github/cli, or unknown")


def tools() -> argparse.ArgumentParser:
    """The option that shows tool calls."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument(
        "--tools",
        nargs="?",
        choices=("some", "all"),
        const="some",
        default="none",
        help="show the tool calls of each leg, folded by tool where there are many; --tools=all shows each",
    )
    return parser


def zone_name(zone: tzinfo | None) -> str:
    """The name of a zone as ``--tz`` takes it, or ``local`` for this machine's own."""
    return "local" if zone is None else str(zone)


def selected(options: argparse.Namespace) -> Selection:
    """The selection that the parsed options of ``selection()`` make; its dates are those of the zone of ``zone()``."""
    given = {name: getattr(options, name) for name in Selection._fields if name in options}
    now, zone = datetime.now(UTC), getattr(options, "zone", None)
    if given.get("since") is not None:
        given["since"] = moment(given["since"], now, zone=zone)
    if given.get("until") is not None:
        given["until"] = moment(given["until"], now, end_of_day=True, zone=zone)
    return Selection(**given)
