"""Notes on how sending goes, one row a signal: kept over restarts, shown by `fusionscope status` (``outbox.deliveries``).

Every function that writes must run in a transaction. Moments are ms UTC.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from typing import NamedTuple

from fusionscope.store import outbox

__all__ = [
    "Start",
    "begin",
    "is_stopped",
    "note_dropped",
    "note_failure",
    "note_lost",
    "note_still_failing",
    "note_stopped",
    "note_taken",
    "note_trouble",
    "only",
]

#: a failure is the same one as before only if it was looked at since: not when nothing ran, nor when the clock has jumped
_LONGEST_GAP_MS = 25 * 3_600_000


class Start(NamedTuple):
    """What a sender that starts must know.

    ``fresh``: the signal was not sent before; ``failures`` in a row so far; the endpoint asked not to be tried before the
    moment ``not_before``; ``released``: how many parked turns wait again.
    """

    fresh: bool
    failures: int
    not_before: int | None
    released: int


def begin(connection: sqlite3.Connection, signal: str, endpoint: str) -> Start:
    """Note that ``signal`` is sent to ``endpoint`` (a hash). Another one than before: its parked turns wait again."""
    row = connection.execute(
        "SELECT endpoint, failures, iif(asked, next_try_at, NULL) FROM delivery WHERE signal = ?", (signal,)
    ).fetchone()
    if row and row[0] == endpoint:
        return Start(False, row[1], row[2], 0)
    connection.execute(
        """
        INSERT INTO delivery (signal, endpoint) VALUES (?, ?)
        ON CONFLICT DO UPDATE SET endpoint = excluded.endpoint, failing_since = NULL, failing_seen_at = NULL, failures = 0,
            next_try_at = NULL, asked = 0, stopped = NULL""",
        (signal, endpoint),
    )
    return Start(row is None or row[0] is None, 0, None, outbox.release(connection, signal))


def only(connection: sqlite3.Connection, signals: Collection[str]) -> None:
    """Note that no other signals than these are sent. What waits for others goes on waiting."""
    for signal in {*outbox.SIGNALS, outbox.COUNTERS}.difference(signals):
        connection.execute(
            "UPDATE delivery SET endpoint = NULL, failing_since = NULL, failing_seen_at = NULL, failures = 0,"
            " next_try_at = NULL, asked = 0, stopped = NULL WHERE signal = ?",
            (signal,),
        )
        if signal == outbox.COUNTERS:
            # they are queued again when somebody counts again
            connection.execute("DELETE FROM outbox WHERE signal = ?", (signal,))


def note_taken(connection: sqlite3.Connection, signal: str, now: int) -> None:
    """The endpoint took something."""
    connection.execute(
        "UPDATE delivery SET failing_since = NULL, failing_seen_at = NULL, failures = 0, next_try_at = NULL, asked = 0,"
        " stopped = NULL, last_success_at = ? WHERE signal = ?",
        (now, signal),
    )


def note_lost(connection: sqlite3.Connection, signal: str, parts: int) -> None:
    """``parts`` (spans or points) were thrown away by the endpoint, or are never taken."""
    connection.execute("UPDATE delivery SET lost_parts = lost_parts + ? WHERE signal = ?", (parts, signal))


def note_trouble(connection: sqlite3.Connection, signal: str, now: int, why: str) -> None:
    """Something went wrong that somebody may want to read about."""
    connection.execute("UPDATE delivery SET last_trouble_at = ?, last_trouble = ? WHERE signal = ?", (now, why, signal))


def note_failure(
    connection: sqlite3.Connection, signal: str, now: int, why: str, failures: int, next_try_at: int, *, asked: bool = False
) -> None:
    """The endpoint could not be reached or asked to wait; ``asked``: it named the moment of the next try itself."""
    note_trouble(connection, signal, now, why)
    connection.execute(
        "UPDATE delivery SET failures = ?, next_try_at = ?, asked = ?, stopped = NULL WHERE signal = ?",
        (failures, next_try_at, asked, signal),
    )
    note_still_failing(connection, signal, now)


def note_stopped(connection: sqlite3.Connection, signal: str, now: int, why: str) -> None:
    """The endpoint takes nothing, and only another configuration will help."""
    note_trouble(connection, signal, now, why)
    connection.execute("UPDATE delivery SET stopped = ?, next_try_at = NULL, asked = 0 WHERE signal = ?", (why, signal))
    note_still_failing(connection, signal, now)


def is_stopped(connection: sqlite3.Connection, signal: str) -> bool:
    """Whether nothing is sent before the endpoint changes."""
    row = connection.execute("SELECT 1 FROM delivery WHERE signal = ? AND stopped IS NOT NULL", (signal,)).fetchone()
    return row is not None


def note_still_failing(connection: sqlite3.Connection, signal: str, now: int) -> int:
    """Note that sending still fails, and return since when it does without a gap."""
    ((since,),) = connection.execute(
        f"""
        UPDATE delivery SET failing_seen_at = ?1,
            failing_since = iif(abs(?1 - failing_seen_at) <= {_LONGEST_GAP_MS}, failing_since, ?1)
        WHERE signal = ?2 RETURNING failing_since""",
        (now, signal),
    ).fetchall()
    return int(since)


def note_dropped(connection: sqlite3.Connection, signal: str, turns: int) -> None:
    """``turns`` were dropped: they waited too long, or were too many."""
    connection.execute("UPDATE delivery SET dropped_turns = dropped_turns + ? WHERE signal = ?", (turns, signal))
