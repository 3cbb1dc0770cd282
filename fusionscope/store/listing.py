"""Pages of long lists, each from where the one before ended: the thousandth page costs what the first does."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from fusionscope.model import Turn
from fusionscope.store.read import Selection, turns_by_id

__all__ = [
    "ORDERS",
    "Extent",
    "Page",
    "Place",
    "SessionSum",
    "beside",
    "logs_count",
    "of_session",
    "page",
    "selected",
    "sessions",
    "sessions_count",
]

#: what turns can be ordered by, most or newest first
ORDERS = {
    "when": "started_at",
    "credits": "coalesce(nano_aiu, -1)",
    "time": "coalesce(duration_ms, -1)",
    "review": "coalesce(1.0 * review_nano_aiu / nullif(nano_aiu, 0), -1)",
}


class Place(NamedTuple):
    """A turn's place in an order: the value it is ordered by, its start, its id."""

    value: float
    started_at: int
    fusion_id: str


class Page(NamedTuple):
    """Some turns in order; ``before`` and ``after`` are the places to go on from, ``None`` at an end of the list."""

    turns: list[Turn]
    before: Place | None
    after: Place | None


class Extent(NamedTuple):
    """How many turns are selected, and their nano-AIU as far as it is known."""

    turns: int
    nano_aiu: int


class SessionSum(NamedTuple):
    """One session with turns: when its first and its last turn started (ms UTC), how many, and their known nano-AIU."""

    session_id: str
    first_at: int
    last_at: int
    turns: int
    open: int
    nano_aiu: int | None


def selected(connection: sqlite3.Connection, selection: Selection) -> Extent:
    """How many turns are selected."""
    where, given = selection.where()
    query = f"SELECT count(*), coalesce(sum(nano_aiu), 0) FROM turn_sum AS turn WHERE {where}"
    return Extent._make(connection.execute(query, given).fetchone())


def page(
    connection: sqlite3.Connection,
    selection: Selection,
    order: str = "when",
    least_first: bool = False,
    limit: int = 50,
    after: Place | None = None,
    before: Place | None = None,
) -> Page:
    """The selected turns in ``order`` that follow the place ``after``, or that end right before the place ``before``."""
    where, given = selection.where()
    key = f"({ORDERS[order]}, started_at, fusion_id)"
    start = before or after
    upward = least_first != bool(before)
    if start:
        where += f" AND {key} {'>' if upward else '<'} (:value, :started_at, :fusion_id)"
        given |= start._asdict()
    way = "ASC" if upward else "DESC"
    query = f"""
        SELECT {ORDERS[order]}, started_at, fusion_id FROM turn_sum AS turn WHERE {where}
        ORDER BY {ORDERS[order]} {way}, started_at {way}, fusion_id {way} LIMIT :few"""
    found = [Place._make(row) for row in connection.execute(query, {**given, "few": limit + 1})]
    more, found = len(found) > limit, found[:limit]
    if before:
        found.reverse()
    by_id = {turn.fusion_id: turn for turn in turns_by_id(connection, [place.fusion_id for place in found])}
    return Page(
        [by_id[place.fusion_id] for place in found],
        found[0] if found and (more if before else after) else None,
        found[-1] if found and (before or more) else None,
    )


def beside(connection: sqlite3.Connection, turn: Turn) -> tuple[str | None, str | None]:
    """The ids of the turns before and after ``turn`` in its session."""

    def nearest(sign: str, order: str) -> str | None:
        query = f"""
            SELECT fusion_id FROM turn_sum WHERE session_id = ? AND (started_at, fusion_id) {sign} (?, ?)
            ORDER BY started_at {order}, fusion_id {order} LIMIT 1"""
        row = connection.execute(query, (turn.session_id, turn.started_at, turn.fusion_id)).fetchone()
        return str(row[0]) if row else None

    return nearest("<", "DESC"), nearest(">", "ASC")


def of_session(connection: sqlite3.Connection, session_id: str, limit: int) -> list[Turn]:
    """The newest turns of one session, oldest first."""
    query = "SELECT fusion_id FROM turn_sum WHERE session_id = ? ORDER BY started_at DESC, fusion_id DESC LIMIT ?"
    return turns_by_id(connection, [row[0] for row in connection.execute(query, (session_id, limit))])


def sessions(connection: sqlite3.Connection, limit: int = 50, before: tuple[int, str] | None = None) -> list[SessionSum]:
    """Sessions with turns, that with the newest turn first, from before the place (its last start, its id) ``before``."""
    query = """
        SELECT session_id, min(started_at), max(started_at) AS last_at, count(*), sum(state = 'open'), sum(nano_aiu)
        FROM turn_sum GROUP BY session_id HAVING :last IS NULL OR (last_at, session_id) < (:last, :id)
        ORDER BY last_at DESC, session_id DESC LIMIT :few"""
    last, session_id = before or (None, None)
    return [SessionSum._make(row) for row in connection.execute(query, {"last": last, "id": session_id, "few": limit})]


def sessions_count(connection: sqlite3.Connection) -> int:
    """How many sessions have a turn."""
    (count,) = connection.execute("SELECT count(*) FROM (SELECT DISTINCT session_id FROM turn_sum)").fetchone()
    return int(count)


def logs_count(connection: sqlite3.Connection) -> int:
    """How many sessions have a log, or had one."""
    (count,) = connection.execute("SELECT count(DISTINCT session_id) FROM log").fetchone()
    return int(count)
