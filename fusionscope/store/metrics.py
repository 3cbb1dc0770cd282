"""What metrics need to find again: models and tools by age, the milliseconds that samples have, the totals of the counters."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import NamedTuple

__all__ = ["Claim", "claims_from", "created_at", "keep_claims", "models_after", "tools_after", "totals", "write_totals"]

#: rows that are looked at together; nearly every sample ends alone in its millisecond
_AT_ONCE = 16


class Claim(NamedTuple):
    """A millisecond ``at`` of a series that belongs to a sample; series and owner are 64-bit hashes."""

    series: int
    at: int
    owner: int


def models_after(connection: sqlite3.Connection, arrival: int) -> tuple[dict[str, int], int]:
    """The models of the legs that arrived after ``arrival``, each with its earliest end, and the newest arrival."""
    query = "SELECT model, min(at), max(arrival) FROM leg WHERE arrival > ? GROUP BY model"
    rows = connection.execute(query, (arrival,)).fetchall()
    return {model: at for model, at, _ in rows}, max([arrival, *(newest for _, _, newest in rows)])


def tools_after(connection: sqlite3.Connection, arrival: int) -> tuple[dict[str, int], int]:
    """The tools of the calls whose end arrived after ``arrival``, each with its earliest start, and the newest arrival."""
    query = """
        SELECT name, min(at) FROM tool_start
        WHERE fusion_id IN (SELECT fusion_id FROM tool_end WHERE arrival > ?1)
        AND (fusion_id, tool_call_id) IN (SELECT fusion_id, tool_call_id FROM tool_end WHERE arrival > ?1) GROUP BY name"""
    found = dict(connection.execute(query, (arrival,)))
    (newest,) = connection.execute("SELECT coalesce(max(arrival), 0) FROM tool_end").fetchone()
    return found, max(arrival, newest)


def claims_from(connection: sqlite3.Connection, series: int, at: int) -> list[Claim]:
    """The claims of ``series`` from ``at`` on without a gap: none where ``at`` is free."""
    found: list[Claim] = []
    query = f"SELECT series, at, owner FROM stamp WHERE series = ? AND at >= ? ORDER BY at LIMIT {_AT_ONCE}"
    rows = [Claim._make(row) for row in connection.execute(query, (series, at))]
    while rows:
        unbroken = [claim for place, claim in enumerate(rows) if claim.at == at + place]
        found += unbroken
        at += len(unbroken)
        if len(unbroken) < _AT_ONCE:
            break
        rows = [Claim._make(row) for row in connection.execute(query, (series, at))]
    return found


def keep_claims(connection: sqlite3.Connection, claims: Iterable[Claim]) -> None:
    """Keep new claims. Must run in a transaction; a millisecond that has an owner is an ``sqlite3.IntegrityError``."""
    connection.executemany("INSERT INTO stamp (series, at, owner) VALUES (?, ?, ?)", claims)


def created_at(connection: sqlite3.Connection) -> int:
    """When this database was made (ms)."""
    (at,) = connection.execute("SELECT created_at FROM origin").fetchone()
    return int(at)


def totals(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """The amounts of the counters so far, by metric and labels, all as they were written."""
    rows = connection.execute("SELECT metric, labels, amount FROM total ORDER BY metric, labels")
    return {(metric, labels): amount for metric, labels, amount in rows}


def write_totals(connection: sqlite3.Connection, amounts: Mapping[tuple[str, str], str]) -> None:
    """Write amounts of the counters. Must run in a transaction, the one that marks their turns as counted."""
    connection.executemany(
        "INSERT OR REPLACE INTO total (metric, labels, amount) VALUES (?, ?, ?)",
        [(*key, amount) for key, amount in amounts.items()],
    )
