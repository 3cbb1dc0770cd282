"""What the CLI says a whole session cost: the totals of its shutdowns, read together.

Versions differ in what one total covers (observed with CLI 1.0.84-4 and 1.0.102, and reported of 1.0.3x): everything since the
session started, or only what ran since the last resume. A rewind makes a cumulative total forget the turns that were removed, a
fork's may hold its parent's, and of two CLIs that run one session at once each counts only what it did itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from fusionscope.store.database import DamagedError

__all__ = ["Mark", "ModelTotal", "Shutdown", "Totals", "shutdown", "totals"]


class Mark(NamedTuple):
    """A moment of a session (``facts.SessionMark``) with the JSON of a shutdown's totals."""

    at: int
    mark: str
    totals: str | None


class ModelTotal(NamedTuple):
    """What a shutdown says of one model; ``None`` where it does not."""

    requests: int | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cache_write_tokens: int | None
    nano_aiu: int | None


class Shutdown(NamedTuple):
    """The totals of one shutdown.

    ``nano_aiu`` is ``None`` where the session was not metered, ``requests`` where no model is named. ``covers`` are the
    sessions whose calls are in it. ``is_subtotal``: some of its calls had no amount.
    """

    at: int
    nano_aiu: int | None
    requests: int | None
    session_started_at: int | None
    covers: tuple[str, ...]
    is_subtotal: bool
    models: dict[str, ModelTotal]


class Totals(NamedTuple):
    """The shutdowns of one session as one amount.

    ``segments`` are the totals that add up to it: one where they are cumulative. ``shutdowns`` were written, the last at
    ``last_at``. ``parallel_nano_aiu`` is what the totals of CLIs that ran at the same time leave out.
    """

    segments: tuple[Shutdown, ...]
    shutdowns: int
    last_at: int
    parallel_nano_aiu: int

    @property
    def nano_aiu(self) -> int | None:
        """What the session cost as far as its shutdowns say, or ``None`` where none of them is metered."""
        known = [each.nano_aiu for each in self.segments if each.nano_aiu is not None]
        return sum(known) if known else None

    @property
    def requests(self) -> int | None:
        """The model calls that the shutdowns count."""
        known = [each.requests for each in self.segments if each.requests is not None]
        return sum(known) if known else None

    @property
    def is_subtotal(self) -> bool:
        """Whether some calls had no amount."""
        return any(each.is_subtotal or each.nano_aiu is None for each in self.segments)


def shutdown(at: int, totals: str) -> Shutdown:
    """The totals of one shutdown, from the JSON of ``facts.SessionMark``.

    An amount of 0 beside model calls is a claim only where the CLI says that it is complete: CLI 1.0.84 writes one for calls
    that were not metered.

    Raises:
        DamagedError: nobody wrote this.
    """
    try:
        said = json.loads(totals)
        models = {name: ModelTotal(**total) for name, total in said["models"].items()}
        nano_aiu, status = said["nano_aiu"], said["credits_status"]
        requests = sum(model.requests or 0 for model in models.values()) if models else None
        if status == "unavailable" or (nano_aiu == 0 and requests and status != "complete"):
            nano_aiu = None
        return Shutdown(at, nano_aiu, requests, said["session_started_at"], tuple(said["covers"]), status == "partial", models)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DamagedError("The database holds totals of a shutdown that nobody wrote.") from error


def totals(marks: Iterable[Mark]) -> Totals | None:
    """The shutdowns among the marks of a session, oldest first, as one amount; ``None``: there is none.

    Two in a row that name the same start of the session are cumulative: the later one holds the earlier one, also where it is
    lower after a rewind. One that is lower without a rewind counts from zero: a segment of its own, to be added. So is one that
    names another start. Between two of CLIs that ran at the same time no start or resume stands: the higher one counts.
    """
    segments: list[Shutdown] = []
    number = parallel = 0
    base: int | None = 0  # what the CLIs that now run had found
    opened, rewound = True, False
    for mark in marks:
        if mark.mark in ("start", "resume"):
            opened = True
        elif mark.mark == "rewind":
            rewound = True
        elif mark.mark == "shutdown" and mark.totals is not None:
            now = shutdown(mark.at, mark.totals)
            number += 1
            before = segments[-1] if segments else None
            same = before is not None and before.session_started_at == now.session_started_at
            if before is None or not same:
                base = 0
                segments.append(now)
            elif not opened:
                higher, lower = (before, now) if _is_lower(now, before) else (now, before)
                segments[-1] = higher._replace(at=now.at)
                parallel += max(0, (lower.nano_aiu or 0) - (base or 0))
            elif _is_lower(now, before) and not rewound:
                base = 0
                segments.append(now)
            else:
                base = before.nano_aiu
                segments[-1] = now
            opened = rewound = False
    return Totals(tuple(segments), number, segments[-1].at, parallel) if segments else None


def _is_lower(now: Shutdown, before: Shutdown) -> bool:
    """Whether a total is lower than the one before: by credits where both say them, else by model calls."""
    if now.nano_aiu is not None and before.nano_aiu is not None and now.nano_aiu != before.nano_aiu:
        return now.nano_aiu < before.nano_aiu
    return now.requests is not None and before.requests is not None and now.requests < before.requests
