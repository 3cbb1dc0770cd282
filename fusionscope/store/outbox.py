"""What waits to be sent, what was sent, and how sending goes.

A turn is queued in the transaction that ends it (``assemble.py``) and leaves the queue in the transaction that marks it as
sent, so nothing is lost in between. A turn that was sent as given up and goes on after all is queued again: ``Waiting`` then
says what went before. What the endpoint does not take is parked: it stays, with the reason, and is passed over.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from fusionscope.model import ENDED_STATES, Turn
from fusionscope.store.database import snapshot, transaction
from fusionscope.store.read import turns_by_id

__all__ = [
    "COUNTERS",
    "METRICS",
    "SIGNALS",
    "TRACES",
    "Delivery",
    "Waiting",
    "anything_waits",
    "deliveries",
    "drop_excess",
    "drop_old",
    "mark_sent",
    "park",
    "pass_over",
    "queue",
    "release",
    "waiting",
    "waiting_count",
]

TRACES = "traces"
METRICS = "metrics"
#: turns that wait to be added to the cumulative counters; queued only where those are used
COUNTERS = "counters"

#: what every turn is queued for when it ends
SIGNALS = (TRACES, METRICS)

#: rows in one transaction of a clean-up, so that nobody waits long for the database
_DROPPED_AT_ONCE = 10_000

_ENDED = ", ".join(f"'{state}'" for state in ENDED_STATES)
#: CROSS JOIN: the queue is looked at first, and no further than it must be
_QUEUE = "FROM outbox CROSS JOIN turn USING (fusion_id)"
#: a turn that was given up goes on within this time or hardly ever: another CLI in its session may have begun one beside it;
#: work in the background that a turn's roll-up awaits gives it another roll-up, and mostly within this time too
_GRACE_MS = 15 * 60_000
_NOW_MS = "1000 * CAST(strftime('%s', 'now') AS INTEGER)"
_WAITS = f"""outbox.signal = ? AND parked IS NULL AND state != 'open'
    AND (NOT (state = 'abandoned' OR awaiting_background_work)
        OR last_event_at NOT BETWEEN {_NOW_MS} - {_GRACE_MS} AND {_NOW_MS})"""
_ORDER = "ORDER BY outbox.ended_at, fusion_id"
_NEWEST_LEG = "SELECT coalesce(max(arrival), 0) FROM leg WHERE leg.fusion_id = {}.fusion_id"
_NEWEST_TOOL = "SELECT coalesce(max(arrival), 0) FROM tool_end WHERE tool_end.fusion_id = {}.fusion_id"


class Waiting(NamedTuple):
    """A turn to send; ``root_sent``, ``sent_legs`` (phase id, attempt) and ``sent_tools`` (tool call id, end) went before."""

    turn: Turn
    root_sent: bool
    sent_legs: frozenset[tuple[str, int]]
    last_arrival: int
    sent_tools: frozenset[tuple[str, int]] = frozenset()
    last_tool: int = 0


class Delivery(NamedTuple):
    """How sending one signal goes. Moments are ms UTC; ``None`` where there is no such thing.

    ``configured``: there is an endpoint. Of turns: ``waiting`` (``oldest_queued_at`` since when), ``sent``, ``parked`` (the
    endpoint does not take these; ``parked_why`` has the reasons with their numbers, the most frequent first) and ``dropped``
    (waited too long or were too many). ``lost`` counts spans or points that the endpoint threw away. ``stopped`` is why nothing
    more is sent until the endpoint changes or the sender starts again; ``failures`` in a row since ``failing_since``.
    """

    signal: str
    configured: bool
    waiting: int
    oldest_queued_at: int | None
    sent: int
    parked: int
    parked_why: tuple[tuple[str, int], ...]
    dropped: int
    lost: int
    stopped: str | None
    failing_since: int | None
    failures: int
    next_try_at: int | None
    last_success_at: int | None
    last_trouble_at: int | None
    last_trouble: str | None


def queue(connection: sqlite3.Connection, now: int, *, among: str = "turn", signals: Sequence[str] | None = None) -> None:
    """Queue the ended turns of the table ``among`` that have something that was not sent yet. Must run in a transaction.

    ``now`` is the moment of queueing (ms). Without ``signals``: those that every turn is queued for, and the counters where
    they are used.
    """
    if signals is None:
        counted = "SELECT 1 FROM delivery WHERE signal = ? AND endpoint IS NOT NULL"
        signals = (*SIGNALS, COUNTERS) if connection.execute(counted, (COUNTERS,)).fetchone() else SIGNALS
    source = "turn" if among == "turn" else f"{among} CROSS JOIN turn USING (fusion_id)"
    for signal in signals:
        connection.execute(
            f"""
            INSERT INTO outbox (signal, fusion_id, ended_at, queued_at)
            SELECT ?1, fusion_id, coalesce(turn.ended_at, last_event_at), ?2 FROM {source}
            WHERE state IN ({_ENDED}) AND NOT EXISTS (
                SELECT 1 FROM sent WHERE sent.signal = ?1 AND sent.fusion_id = turn.fusion_id
                AND settled >= ({_NEWEST_LEG.format("turn")}) AND last_tool >= ({_NEWEST_TOOL.format("turn")}))
            ON CONFLICT DO UPDATE SET ended_at = excluded.ended_at WHERE ended_at != excluded.ended_at
            """,
            (signal, now),
        )


def waiting_count(connection: sqlite3.Connection, signal: str) -> int:
    """How many turns wait to be sent; parked ones do not."""
    query = "SELECT count(*) FROM outbox WHERE signal = ? AND parked IS NULL"
    (count,) = connection.execute(query, (signal,)).fetchone()
    return int(count)


def anything_waits(connection: sqlite3.Connection, signal: str) -> bool:
    """Whether there is a turn to send."""
    query = f"SELECT 1 {_QUEUE} WHERE {_WAITS} {_ORDER} LIMIT 1"
    return connection.execute(query, (signal,)).fetchone() is not None


def waiting(connection: sqlite3.Connection, signal: str, limit: int) -> list[Waiting]:
    """The next turns to send, in the order of their ends: the one that a log that is followed gives, too.

    A turn that was given up and goes on waits for its next end. One that was given up a moment ago, or awaits work in the
    background, waits a while: a root span goes out once, and should say how the turn ended and what it cost.
    """
    query = f"""
        SELECT fusion_id, last_arrival, last_tool {_QUEUE} LEFT JOIN sent USING (signal, fusion_id)
        WHERE {_WAITS} {_ORDER} LIMIT ?"""
    with snapshot(connection):
        watermarks: dict[str, tuple[int | None, int | None]] = {
            fusion_id: (leg, tool) for fusion_id, leg, tool in connection.execute(query, (signal, limit))
        }
        turns = {turn.fusion_id: turn for turn in turns_by_id(connection, watermarks)}
        return [_waiting(connection, turns[fusion_id], *watermark) for fusion_id, watermark in watermarks.items()]


def _waiting(connection: sqlite3.Connection, turn: Turn, watermark: int | None, tool_watermark: int | None) -> Waiting:
    query = "SELECT arrival FROM leg WHERE fusion_id = ? ORDER BY place, at, event_id"
    arrivals = [row[0] for row in connection.execute(query, (turn.fusion_id,))]
    went = [
        (leg.phase_id, leg.attempt)
        for leg, arrival in zip(turn.legs, arrivals, strict=True)
        if watermark is not None and arrival <= watermark
    ]
    query = "SELECT tool_call_id, at, arrival FROM tool_end WHERE fusion_id = ?"
    ends = connection.execute(query, (turn.fusion_id,)).fetchall() if turn.tool_calls else []
    tools_went = frozenset(
        (call_id, at) for call_id, at, arrival in ends if watermark is not None and arrival <= (tool_watermark or 0)
    )
    last_tool = max((arrival for _, _, arrival in ends), default=0)
    return Waiting(turn, watermark is not None, frozenset(went), max(arrivals, default=0), tools_went, last_tool)


def mark_sent(connection: sqlite3.Connection, signal: str, sent: Iterable[Waiting]) -> None:
    """Take these out of the queue and remember what went. Must run in a transaction.

    A turn that got a new leg or tool call since it was taken from the queue stays in it.
    """
    for item in sent:
        key = (signal, item.turn.fusion_id)
        connection.execute(
            "INSERT OR REPLACE INTO sent (signal, fusion_id, last_arrival, settled, last_tool) VALUES (?, ?, ?, ?, ?)",
            (*key, item.last_arrival, item.last_arrival, item.last_tool),
        )
        connection.execute(
            """
            DELETE FROM outbox WHERE signal = ?1 AND fusion_id = ?2 AND NOT EXISTS (
                SELECT 1 FROM leg WHERE leg.fusion_id = ?2 AND arrival > ?3
                UNION ALL SELECT 1 FROM tool_end WHERE tool_end.fusion_id = ?2 AND arrival > ?4)""",
            (*key, item.last_arrival, item.last_tool),
        )


def park(connection: sqlite3.Connection, signal: str, fusion_id: str, why: str) -> None:
    """Set a turn aside that the endpoint does not take. Must run in a transaction."""
    connection.execute("UPDATE outbox SET parked = ? WHERE signal = ? AND fusion_id = ?", (why, signal, fusion_id))


def release(connection: sqlite3.Connection, signal: str) -> int:
    """Let the parked turns wait again; returns how many they are. Must run in a transaction."""
    query = "UPDATE outbox SET parked = NULL WHERE signal = ? AND parked IS NOT NULL"
    return connection.execute(query, (signal,)).rowcount


def drop_old(connection: sqlite3.Connection, signal: str, before: int) -> int:
    """Drop turns that were queued before the moment ``before``, oldest first and many at once; returns how many."""
    query = "SELECT fusion_id FROM outbox WHERE signal = ? AND queued_at < ? ORDER BY queued_at LIMIT ?"
    return _drop(connection, signal, query, (signal, before, _DROPPED_AT_ONCE))


def pass_over(connection: sqlite3.Connection, signal: str, ended_before: int) -> None:
    """Take the turns out of the queue that ended before a moment (ms). Runs transactions of its own, many turns in each."""
    query = "SELECT fusion_id FROM outbox WHERE signal = ? AND ended_at < ? ORDER BY ended_at, fusion_id LIMIT ?"
    given = (signal, ended_before, _DROPPED_AT_ONCE)
    while connection.execute(query, given).fetchone():
        with transaction(connection):
            _drop(connection, signal, query, given)


def drop_excess(connection: sqlite3.Connection, signal: str, most: int) -> int:
    """Drop the oldest turns until ``most`` are left, many at once; returns how many. Must run in a transaction."""
    (count,) = connection.execute("SELECT count(*) FROM outbox WHERE signal = ?", (signal,)).fetchone()
    query = "SELECT fusion_id FROM outbox WHERE signal = ? ORDER BY ended_at, fusion_id LIMIT ?"
    return _drop(connection, signal, query, (signal, min(max(0, count - most), _DROPPED_AT_ONCE)))


def _drop(connection: sqlite3.Connection, signal: str, query: str, given: tuple[object, ...]) -> int:
    """Dropping is remembered: reading the turn again must not queue it again, a new leg of it does."""
    rows = [(signal, row[0]) for row in connection.execute(query, given)]
    connection.executemany(
        f"""
        INSERT INTO sent (signal, fusion_id, settled, last_tool)
        SELECT signal, fusion_id, ({_NEWEST_LEG.format("outbox")}), ({_NEWEST_TOOL.format("outbox")})
        FROM outbox WHERE signal = ? AND fusion_id = ?
        ON CONFLICT DO UPDATE SET settled = excluded.settled, last_tool = excluded.last_tool""",
        rows,
    )
    connection.executemany("DELETE FROM outbox WHERE signal = ? AND fusion_id = ?", rows)
    return len(rows)


def deliveries(connection: sqlite3.Connection) -> list[Delivery]:
    """How sending goes, one for each signal that is or was sent or waits; traces first."""
    with snapshot(connection):
        known = "SELECT EXISTS (SELECT 1 FROM outbox WHERE signal = :of) OR EXISTS (SELECT 1 FROM delivery WHERE signal = :of)"
        signals = (*SIGNALS, COUNTERS)
        return [_delivery(connection, of) for of in signals if connection.execute(known, {"of": of}).fetchone()[0]]


def _delivery(connection: sqlite3.Connection, signal: str) -> Delivery:
    def row(query: str) -> tuple[Any, ...] | None:
        found: tuple[Any, ...] | None = connection.execute(query, (signal,)).fetchone()
        return found

    noted = row(f"SELECT endpoint IS NOT NULL, {', '.join(_NOTED.values())} FROM delivery WHERE signal = ?")
    configured, *values = noted or (0, 0, 0, None, None, 0, None, None, None, None)
    count, oldest = row("SELECT count(*), min(queued_at) FROM outbox WHERE signal = ? AND parked IS NULL") or (0, None)
    (sent,) = row("SELECT count(last_arrival) FROM sent WHERE signal = ?") or (0,)
    query = "SELECT parked, count(*) FROM outbox WHERE signal = ? AND parked IS NOT NULL GROUP BY parked ORDER BY 2 DESC, 1"
    parked = tuple(connection.execute(query, (signal,)))
    return Delivery(
        signal=signal,
        configured=bool(configured),
        waiting=count,
        oldest_queued_at=oldest,
        sent=sent,
        parked=sum(number for _, number in parked),
        parked_why=parked,
        **dict(zip(_NOTED, values, strict=True)),
    )


#: the column of each field
_NOTED = {
    "dropped": "dropped_turns", "lost": "lost_parts", "stopped": "stopped", "failing_since": "failing_since",
    "failures": "failures", "next_try_at": "next_try_at", "last_success_at": "last_success_at",
    "last_trouble_at": "last_trouble_at", "last_trouble": "last_trouble",
}  # fmt: skip
