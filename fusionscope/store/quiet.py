"""Giving up turns that have been quiet for too long: the one thing that follows from the clock and not from a log."""

from __future__ import annotations

import sqlite3

from fusionscope.store.assemble import assemble
from fusionscope.store.database import transaction

__all__ = ["give_up_quiet_turns"]


def give_up_quiet_turns(connection: sqlite3.Connection, before: int) -> list[str]:
    """Give up the open turns whose last event is older than the moment ``before``; returns their ids.

    A turn that goes on after all has a newer event than the one it was given up after, and is open again.
    """
    query = "SELECT fusion_id, last_event_at FROM turn WHERE state = 'open' AND last_event_at < ?"
    quiet = connection.execute(query, (before,)).fetchall()
    if not quiet:
        return []
    with transaction(connection):
        connection.executemany("INSERT OR REPLACE INTO given_up (fusion_id, after) VALUES (?, ?)", quiet)
        return assemble(connection, [fusion_id for fusion_id, _ in quiet])
