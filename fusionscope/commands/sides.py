"""The two sides of ``compare``: which turns ``7d..``, ``cli:1.0.84-4`` or ``policy:max,2026-11-01..`` mean."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

from fusionscope import options
from fusionscope.model import Turn

__all__ = ["FORMS", "Side", "side", "side_of"]

#: what a side may say, for people
FORMS = (
    "a range (2026-11-01..2026-11-15, 14d..7d, 7d..), a day (2026-11-30), or cli:, policy:, pattern:, client:, model:,"
    " repository:, branch: and a name"
)

_FIELDS: dict[str, Callable[[Turn, str], bool]] = {
    "cli": lambda turn, name: turn.cli_version == name,
    "policy": lambda turn, name: turn.policy == name,
    "pattern": lambda turn, name: (turn.pattern or "unknown") == name,
    "client": lambda turn, name: turn.client == name,
    "model": lambda turn, name: name in turn.models,
    "repository": lambda turn, name: turn.repository == name,
    "branch": lambda turn, name: turn.branch == name,
}


class Side(NamedTuple):
    """Turns that started from ``since`` (inclusive) to ``until`` (exclusive), and have all the ``fields``."""

    since: int | None
    until: int | None
    fields: tuple[tuple[str, str], ...]

    def holds(self, turn: Turn) -> bool:
        """Whether a turn is on this side."""
        return (
            (self.since is None or turn.started_at >= self.since)
            and (self.until is None or turn.started_at < self.until)
            and all(_FIELDS[field](turn, name) for field, name in self.fields)
        )


def side(text: str) -> str:
    """The value of a side: whose days it means depends on ``--tz``, which may still come."""
    try:
        for zone in options.FARTHEST:
            side_of(text, datetime.now(UTC), zone)
    except (ValueError, OverflowError, OSError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is none of these: {FORMS}; more than one with commas between them"
        ) from None
    return text


def side_of(text: str, now: datetime, zone: tzinfo | None) -> Side:
    """The side that a text means; its days are those of ``zone``.

    Raises:
        ValueError: it means none.
    """
    made = Side(None, None, ())
    for part in text.split(","):
        field, colon, name = part.partition(":")
        begin, dots, end = part.partition("..")
        if field in _FIELDS and colon and name:
            made = made._replace(fields=(*made.fields, (field, name)))
        elif made.since is not None or made.until is not None:
            raise ValueError("two ranges")
        elif dots and (begin or end):
            made = made._replace(
                since=options.moment(begin, now, zone=zone) if begin else None,
                until=options.moment(end, now, end_of_day=True, zone=zone) if end else None,
            )
        else:
            made = made._replace(
                since=options.moment(datetime.fromisoformat(part).date().isoformat(), now, zone=zone),
                until=options.moment(part, now, end_of_day=True, zone=zone),
            )
    if made.since is not None and made.until is not None and made.since >= made.until:
        raise ValueError("ends before it begins")
    return made
