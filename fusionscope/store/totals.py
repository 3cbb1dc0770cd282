"""Figures over very many turns, summed by SQLite: counts and integer nano-AIU, no rates.

``fusionscope.report.figures`` has the definitions, over turns in memory; tests hold both together on the same turns.
"""

from __future__ import annotations

import sqlite3
from operator import add
from typing import Any, NamedTuple

from fusionscope.store.read import Selection

__all__ = [
    "NOTHING",
    "CheckTotals",
    "LegTotals",
    "Totals",
    "by_kind_and_model",
    "by_pattern",
    "checks",
    "clients",
    "extent",
    "models",
    "not_itemised",
    "patterns",
    "repositories",
    "routing_latencies",
    "sessions",
    "settled_amounts",
    "totals",
]


class Totals(NamedTuple):
    """What some turns come to.

    ``turns`` of them, ``with_legs`` at least one leg, ``compound`` more than one model, ``open``, ``unmetered`` without known
    credits. ``settled`` have ended and their credits are known: ``settled_nano_aiu`` together. ``timed`` have ended and their
    duration is known: ``duration_ms`` together. ``verdicts`` of judges, ``rejections`` among them; ``requests`` to models.
    """

    turns: int
    with_legs: int
    compound: int
    open: int
    unmetered: int
    nano_aiu: int
    review_nano_aiu: int
    settled: int
    settled_nano_aiu: int
    timed: int
    duration_ms: float
    verdicts: int
    rejections: int
    requests: int

    def plus(self, other: Totals) -> Totals:
        """The totals of both."""
        return Totals(*map(add, self, other))


#: the totals of no turn
NOTHING = Totals(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0, 0, 0)

_TOTALS = """
    count(*), total(legs > 0), total(models > 1), total(state = 'open'), total(nano_aiu IS NULL),
    coalesce(sum(nano_aiu), 0), sum(review_nano_aiu),
    count(nano_aiu) FILTER (WHERE state != 'open'), coalesce(sum(nano_aiu) FILTER (WHERE state != 'open'), 0),
    count(duration_ms) FILTER (WHERE state != 'open'), total(duration_ms) FILTER (WHERE state != 'open'),
    sum(verdicts), sum(rejections), sum(requests)"""


class LegTotals(NamedTuple):
    """What the legs of one kind, run by one model, come to; ``failed`` of them failed, ``unmetered`` have no known cost."""

    kind: str
    model: str
    legs: int
    failed: int
    unmetered: int
    nano_aiu: int
    duration_ms: float
    requests: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cache_write_tokens: int

    def plus(self, other: LegTotals) -> LegTotals:
        """The totals of both; they are of the same kind and model."""
        return LegTotals(self.kind, self.model, *map(add, self[2:], other[2:]))


class CheckTotals(NamedTuple):
    """What the ``checks`` come to in which one ``judge`` said one ``verdict`` on the work of one ``drafter`` (both models).

    ``nano_aiu`` is the cost of the checks themselves. The turns in which that was said cost ``turns_nano_aiu`` together, as far
    as it is known: of ``turns`` (each counted once). ``drafter`` is ``None`` where the log holds no draft.
    """

    drafter: str | None
    judge: str
    verdict: str
    checks: int
    nano_aiu: int
    turns: int
    turns_nano_aiu: int

    def plus(self, other: CheckTotals) -> CheckTotals:
        """The totals of both; they are of the same drafter, judge and verdict."""
        return CheckTotals(self.drafter, self.judge, self.verdict, *map(add, self[3:], other[3:]))


def totals(connection: sqlite3.Connection, selection: Selection) -> Totals:
    """The totals of the selected turns."""
    total = NOTHING
    for each in by_pattern(connection, selection).values():
        total = total.plus(each)
    return total


def by_pattern(connection: sqlite3.Connection, selection: Selection) -> dict[str | None, Totals]:
    """The totals of the selected turns by the name of their pattern; ``None`` where the log does not say it."""
    where, given = selection.where()
    query = f"SELECT pattern, {_TOTALS} FROM turn_sum AS turn WHERE {where} GROUP BY pattern"
    return {row[0]: _totals(row[1:]) for row in connection.execute(query, given)}


def _totals(row: tuple[float, ...]) -> Totals:
    duration = Totals._fields.index("duration_ms")
    return Totals._make(value if place == duration else int(value) for place, value in enumerate(row))


def by_kind_and_model(connection: sqlite3.Connection, selection: Selection) -> list[LegTotals]:
    """The totals of the legs of the selected turns, most nano-AIU first, then by kind and model."""
    selected, given = _selected_legs(selection)
    query = f"""
        SELECT kind, model, count(*), count(*) FILTER (WHERE status = 'failed'), sum(leg.nano_aiu IS NULL) AS unmetered,
            coalesce(sum(leg.nano_aiu), 0) AS spent, total(leg.duration_ms), sum(leg.requests), sum(input_tokens),
            sum(output_tokens), sum(cached_tokens), sum(cache_write_tokens)
        FROM {selected} GROUP BY kind, model ORDER BY spent DESC, kind, model"""
    return [LegTotals._make(row) for row in connection.execute(query, given)]


def checks(connection: sqlite3.Connection, selection: Selection) -> list[CheckTotals]:
    """The verdicts of judges in the selected turns, by drafter, judge and verdict."""
    where, given = selection.where()
    query = f"""
        SELECT drafter, model, verdict, sum(checks), sum(spent), count(whole), coalesce(sum(whole), 0) FROM (
            SELECT drafter, model, verdict, count(*) AS checks, coalesce(sum(leg.nano_aiu), 0) AS spent, turn.nano_aiu AS whole
            FROM leg_sum AS leg JOIN turn_sum AS turn USING (started_at, fusion_id)
            WHERE verdict IS NOT NULL AND {where} GROUP BY leg.started_at, leg.fusion_id, drafter, model, verdict)
        GROUP BY drafter, model, verdict ORDER BY drafter, model, verdict"""
    return [CheckTotals._make(row) for row in connection.execute(query, given)]


def settled_amounts(connection: sqlite3.Connection, selection: Selection) -> dict[str | None, list[int]]:
    """By pattern, the nano-AIU of each selected turn that has ended and whose credits are known; least first."""
    where, given = selection.where()
    query = f"SELECT pattern, nano_aiu FROM turn_sum AS turn WHERE {where} AND state != 'open' AND nano_aiu IS NOT NULL"
    found: dict[str | None, list[int]] = {}
    for pattern, amount in connection.execute(query, given):
        found.setdefault(pattern, []).append(amount)
    for amounts in found.values():
        amounts.sort()
    return found


def not_itemised(connection: sqlite3.Connection, selection: Selection) -> int:
    """Nano-AIU of the selected turns that no leg of theirs explains."""
    where, given = selection.where()
    query = f"""
        SELECT coalesce(sum(max(0, turn.nano_aiu - coalesce(
            (SELECT sum(leg.nano_aiu) FROM leg_sum AS leg
             WHERE leg.started_at = turn.started_at AND leg.fusion_id = turn.fusion_id), 0))), 0)
        FROM turn_sum AS turn WHERE {where} AND turn.nano_aiu IS NOT NULL"""
    (amount,) = connection.execute(query, given).fetchone()
    return int(amount)


def extent(connection: sqlite3.Connection, selection: Selection) -> tuple[int, int] | None:
    """When the first and the last of the selected turns started; ``None`` where there is none."""
    where, given = selection.where()
    ends = [
        connection.execute(
            f"SELECT started_at FROM turn_sum AS turn WHERE {where} ORDER BY started_at {order} LIMIT 1", given
        ).fetchone()
        for order in ("ASC", "DESC")
    ]
    return (ends[0][0], ends[1][0]) if ends[0] and ends[1] else None


def sessions(connection: sqlite3.Connection, selection: Selection) -> int:
    """How many sessions the selected turns are of."""
    where, given = selection.where()
    (count,) = connection.execute(f"SELECT count(DISTINCT session_id) FROM turn_sum AS turn WHERE {where}", given).fetchone()
    return int(count)


def routing_latencies(connection: sqlite3.Connection, selection: Selection) -> list[float]:
    """How long routing took (ms), of each selected turn whose log says it."""
    where, given = selection.where()
    which = where if selection.pattern is None else f"fusion_id IN (SELECT fusion_id FROM turn_sum AS turn WHERE {where})"
    query = f"SELECT routing_latency_ms FROM turn WHERE {which} AND routing_latency_ms IS NOT NULL"
    return [ms for (ms,) in connection.execute(query, given)]


def models(connection: sqlite3.Connection) -> list[str]:
    """Every model that ran a leg, in the order in which they first did."""
    return [model for _, model in sorted(_distinct(connection, "leg_sum", "model"))]


def patterns(connection: sqlite3.Connection) -> list[str]:
    """Every pattern that the log says of a turn, and ``not fused``, in the order in which they first came."""
    return [pattern for _, pattern in sorted(_distinct(connection, "turn_sum", "pattern"))]


def repositories(connection: sqlite3.Connection) -> list[str]:
    """The repositories that turns were run in, by name."""
    return [name for _, name in _distinct(connection, "turn_sum", "repository")]


def clients(connection: sqlite3.Connection) -> list[str]:
    """The clients that wrote sessions, by name."""
    query = "SELECT DISTINCT client FROM log WHERE client IS NOT NULL ORDER BY client"
    return [name for (name,) in connection.execute(query)]


def _distinct(connection: sqlite3.Connection, table: str, column: str) -> list[tuple[int, str]]:
    """Each value of ``column`` with the first start of a turn that has it.

    Goes from one value to the next in the index: a look at each row would take a thousand times as long.
    """
    query = f"SELECT started_at, {column} FROM {table} WHERE {column} > ? ORDER BY {column}, started_at LIMIT 1"
    found: list[tuple[int, str]] = []
    while row := connection.execute(query, (found[-1][1] if found else "",)).fetchone():
        found.append(row)
    return found


def _selected_legs(selection: Selection) -> tuple[str, dict[str, Any]]:
    """The legs of the selected turns; a range of time alone needs no look at the turns."""
    where, given = selection.where()
    if selection == Selection(since=selection.since, until=selection.until):
        return f"leg_sum AS leg WHERE {where.replace('turn.', 'leg.')}", given
    return f"leg_sum AS leg JOIN turn_sum AS turn USING (started_at, fusion_id) WHERE {where}", given
