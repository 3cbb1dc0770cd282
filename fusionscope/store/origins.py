"""Where sessions come from, and which of them owns an event that several hold.

A fork copies its parent's events, so one event is in many sessions. The session that started first owns it, in whatever order
the logs were read: a fork's ``session.start`` is written when it is made. Where the start of the parent is not in its log, the
usage records of the fork name the parent.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

__all__ = ["Origin", "among_sessions", "origins", "relatives"]


class Origin(NamedTuple):
    """A session: when it started (ms), and what its start and the file beside its log say."""

    session_id: str
    started_at: int | None
    cli_version: str | None
    repository: str | None
    branch: str | None
    client: str | None


def among_sessions(among: Collection[str] | None, column: str = "session_id") -> tuple[str, dict[str, str]]:
    """The condition that ``column`` names one of these sessions (``None``: any), with its parameters."""
    if among is None:
        return "true", {}
    return f"{column} IN (SELECT value FROM json_each(:among))", {"among": json.dumps(sorted(among))}


def origins(connection: sqlite3.Connection, among: Collection[str] | None = None) -> list[Origin]:
    """Every session that has a log or had one, owners first: by start, those of unknown start last, parents before forks.

    ``among`` these sessions, or all.
    """
    where, given = among_sessions(among, "log.session_id")
    query = f"""
        SELECT log.session_id, min(at) AS started_at, max(cli_version), max(repository), max(branch), max(client)
        FROM log LEFT JOIN session_mark ON session_mark.session_id = log.session_id AND mark = 'start'
        WHERE {where} GROUP BY log.session_id ORDER BY started_at IS NULL, started_at, log.session_id"""
    known = {row[0]: Origin._make(row) for row in connection.execute(query, given)}
    parents: dict[str, list[str]] = defaultdict(list)
    where, given = among_sessions(among)
    copies = f"""
        SELECT DISTINCT session_id, source_session_id FROM model_call
        WHERE source_session_id != session_id AND {where} ORDER BY 1, 2"""
    for session_id, parent in connection.execute(copies, given):
        if parent in known:
            parents[session_id].append(parent)
    ordered: dict[str, Origin] = {}
    for session_id in known:
        _enter(session_id, known, parents, ordered)
    return list(ordered.values())


def _enter(session_id: str, known: dict[str, Origin], parents: dict[str, list[str]], ordered: dict[str, Origin]) -> None:
    """Enter a session after its parents; where two name each other, which no CLI writes, the first to be asked is second."""
    waiting = [session_id]
    while waiting:
        last = waiting[-1]
        before = [parent for parent in parents.pop(last, ()) if parent not in ordered and parent not in waiting]
        if before:
            waiting += reversed(before)
            continue
        ordered.setdefault(last, known[last])
        waiting.pop()


def relatives(connection: sqlite3.Connection, session_id: str) -> set[str]:
    """The session and those that share an event with it: its parent and its forks."""
    found = {session_id}
    for table in ("session_mark", "prompt", "model_call"):
        query = f"SELECT DISTINCT session_id FROM {table} WHERE event_id IN (SELECT event_id FROM {table} WHERE session_id = ?)"
        found.update(row[0] for row in connection.execute(query, (session_id,)))
    return found
