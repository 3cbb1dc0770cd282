"""Forgetting a session: its turns leave the database, and its log is not read again."""

from __future__ import annotations

import sqlite3
from typing import get_args

from fusionscope.store import sums
from fusionscope.store.assemble import assemble
from fusionscope.store.database import transaction
from fusionscope.store.facts import TABLE_OF, SessionFact

__all__ = ["forget", "forgotten_sessions", "sessions_like"]


def sessions_like(connection: sqlite3.Connection, prefix: str) -> list[str]:
    """The ids of the known sessions that begin with ``prefix``, at most six."""
    query = "SELECT DISTINCT session_id FROM log WHERE substr(session_id, 1, length(:id)) = :id ORDER BY 1 LIMIT 6"
    return [row[0] for row in connection.execute(query, {"id": prefix})] if prefix else []


def forgotten_sessions(connection: sqlite3.Connection) -> set[str]:
    """The ids of the sessions that are not to be read."""
    return {row[0] for row in connection.execute("SELECT session_id FROM forgotten")}


def forget(connection: sqlite3.Connection, session_id: str) -> int:
    """Remove a session and the turns that only it has, and remember that it is not to be read again.

    Turns that another session's log holds too (a fork's) stay, as that session's. What was removed is overwritten in the file.
    Returns the number of turns removed.
    """
    connection.execute("PRAGMA secure_delete = ON")
    with transaction(connection):
        logs = "SELECT id FROM log WHERE session_id = ?"
        seen = {row[0] for row in connection.execute(f"SELECT fusion_id FROM sighting WHERE log_id IN ({logs})", (session_id,))}
        for table in ("sighting", "skipped", "unknown_type"):
            connection.execute(f"DELETE FROM {table} WHERE log_id IN ({logs})", (session_id,))
        connection.execute("DELETE FROM log WHERE session_id = ?", (session_id,))
        of_session = [TABLE_OF[fact] for fact in get_args(SessionFact)]
        for table in of_session:
            connection.execute(f"DELETE FROM {table} WHERE session_id = ?", (session_id,))
        kept = {row[0] for row in connection.execute("SELECT DISTINCT fusion_id FROM sighting")} & seen
        sums.remove(connection, seen - kept)
        tables = [table for table in TABLE_OF.values() if table not in of_session]
        for table in (*tables, "turn", "given_up", "outbox", "sent"):
            connection.executemany(f"DELETE FROM {table} WHERE fusion_id = ?", [(fusion_id,) for fusion_id in seen - kept])
        connection.execute("INSERT OR IGNORE INTO forgotten (session_id) VALUES (?)", (session_id,))
        assemble(connection, kept)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return len(seen - kept)
