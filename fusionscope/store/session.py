"""One session at a time: its newest turn, and what its turns cost together."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from fusionscope.model import Turn
from fusionscope.store.load import load_turns

__all__ = ["Spent", "newest_of_session", "session_spent", "spent_since"]

# as ``Turn.nano_aiu``
_LEGS = "(SELECT sum(leg.nano_aiu) FROM leg WHERE leg.fusion_id = turn.fusion_id)"
_OF_TURN = f"""
    iif(awaiting_background_work AND {_LEGS} > reported_nano_aiu, {_LEGS}, coalesce(reported_nano_aiu, {_LEGS}))"""


class Spent(NamedTuple):
    """How many turns there are, and what they cost in nano-AIU: those whose cost is known, ``None`` where none is."""

    turns: int
    nano_aiu: int | None


def newest_of_session(connection: sqlite3.Connection, session_id: str) -> Turn | None:
    """The turn of a session that started last; one of a sub-agent only where there is no other."""
    newest = """
        SELECT fusion_id FROM turn WHERE session_id = :session
        ORDER BY agent_id IS NOT NULL, started_at DESC, fusion_id DESC LIMIT 1"""
    found = load_turns(connection, newest, {"session": session_id})
    return found[0] if found else None


def session_spent(connection: sqlite3.Connection, session_id: str) -> Spent:
    """What the turns of a session cost, as far as its log says by now."""
    return _spent(connection, "session_id = ?", session_id)


def spent_since(connection: sqlite3.Connection, moment: int) -> Spent:
    """What the turns cost that started at ``moment`` (ms UTC) or later, as far as the logs say by now."""
    return _spent(connection, "started_at >= ?", moment)


def _spent(connection: sqlite3.Connection, condition: str, value: str | int) -> Spent:
    row = connection.execute(f"SELECT count(*), sum({_OF_TURN}) FROM turn WHERE {condition}", (value,)).fetchone()
    return Spent._make(row)
