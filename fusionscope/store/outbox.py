"""What waits to be sent, and what was sent.

A turn is queued in the transaction that ends it (``assemble.py``) and leaves the queue in the transaction that marks it as
sent, so nothing is lost in between. A turn that was sent as given up and goes on after all is queued again: ``Waiting`` then
says what went before.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from fusionscope.model import Turn
from fusionscope.store.database import snapshot
from fusionscope.store.read import turns_by_id

__all__ = ["Waiting", "mark_sent", "waiting", "waiting_count"]


class Waiting(NamedTuple):
    """A turn to send; ``root_sent`` and ``sent_legs`` (phase id, attempt) went before."""

    turn: Turn
    root_sent: bool
    sent_legs: frozenset[tuple[str, int]]
    last_arrival: int


def waiting_count(connection: sqlite3.Connection, signal: str) -> int:
    """How many turns wait to be sent."""
    (count,) = connection.execute("SELECT count(*) FROM outbox WHERE signal = ?", (signal,)).fetchone()
    return int(count)


def waiting(connection: sqlite3.Connection, signal: str, limit: int) -> list[Waiting]:
    """The next turns to send, oldest first."""
    query = """
        SELECT fusion_id, sent.last_arrival FROM outbox JOIN turn USING (fusion_id)
        LEFT JOIN sent USING (signal, fusion_id) WHERE signal = ? ORDER BY started_at, fusion_id LIMIT ?"""
    with snapshot(connection):
        watermarks: dict[str, int | None] = dict(connection.execute(query, (signal, limit)))
        return [_waiting(connection, turn, watermarks[turn.fusion_id]) for turn in turns_by_id(connection, watermarks)]


def _waiting(connection: sqlite3.Connection, turn: Turn, watermark: int | None) -> Waiting:
    query = "SELECT arrival FROM leg WHERE fusion_id = ? ORDER BY position, at, arrival"
    arrivals = [row[0] for row in connection.execute(query, (turn.fusion_id,))]
    went = [
        (leg.phase_id, leg.attempt)
        for leg, arrival in zip(turn.legs, arrivals, strict=True)
        if watermark is not None and arrival <= watermark
    ]
    return Waiting(turn, watermark is not None, frozenset(went), max(arrivals, default=0))


def mark_sent(connection: sqlite3.Connection, signal: str, sent: Iterable[Waiting]) -> None:
    """Take these out of the queue and remember what went. Must run in a transaction.

    A turn that got a new leg since it was taken from the queue stays in it.
    """
    for item in sent:
        key = (signal, item.turn.fusion_id)
        connection.execute(
            "INSERT OR REPLACE INTO sent (signal, fusion_id, last_arrival) VALUES (?, ?, ?)", (*key, item.last_arrival)
        )
        connection.execute(
            """
            DELETE FROM outbox WHERE signal = ?1 AND fusion_id = ?2 AND NOT EXISTS (
                SELECT 1 FROM leg WHERE leg.fusion_id = ?2 AND arrival > ?3)""",
            (*key, item.last_arrival),
        )
