"""A store of turns made by hand: the rows of ``turn`` and ``leg`` without the logs they would come from."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from fusionscope.model import Leg, Turn
from fusionscope.store import sums
from fusionscope.store.database import transaction

__all__ = ["fill"]

_LEG = [name for name in Leg._fields if name not in ("index", "attempt", "ended_at", "is_answer", "began_at")]


def fill(connection: sqlite3.Connection, turns: Iterable[Turn]) -> None:
    """Write these turns as assembly would, legs in their order; one that is there already is replaced."""
    turns = list(turns)
    with transaction(connection):
        connection.execute("CREATE TEMP TABLE IF NOT EXISTS filled (fusion_id TEXT PRIMARY KEY)")
        connection.execute("DELETE FROM filled")
        for turn in turns:
            connection.execute("INSERT OR IGNORE INTO filled VALUES (?)", (turn.fusion_id,))
            row = turn._asdict() | {
                "critics": json.dumps([critic._asdict() for critic in turn.critics]),
                "follow_up": json.dumps(dict(turn.follow_up)),
                "scores": json.dumps(dict(turn.scores)),
                "planned": json.dumps([leg._asdict() for leg in turn.planned]),
            }
            for name in ("client", "legs", "handoffs", "tool_calls", "unknown_words"):
                del row[name]
            _insert(connection, "turn", row)
            connection.execute("DELETE FROM leg WHERE fusion_id = ?", (turn.fusion_id,))
            for place, leg in enumerate(turn.legs):
                facts = {name: getattr(leg, name) for name in _LEG}
                key = {"fusion_id": turn.fusion_id, "event_id": f"{turn.fusion_id}:{place}", "place": place, "at": leg.ended_at}
                _insert(connection, "leg", key | facts)
        sums.renew(connection, among="filled")


def _insert(connection: sqlite3.Connection, table: str, row: dict[str, object]) -> None:
    names = ", ".join(row)
    connection.execute(f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values()))
