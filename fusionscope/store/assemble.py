"""Turn assembly: from the facts of a turn to its one row in ``turn``.

The row depends on nothing but the facts, so the order in which they were read does not matter, a turn is visible from its
first event, and whatever arrives later simply gives another row.
"""

from __future__ import annotations

import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from fusionscope.store import outbox, sums
from fusionscope.store.facts import (
    TABLE_OF,
    Commit,
    Completion,
    HandoffMade,
    LegEnd,
    LegStart,
    Message,
    Route,
    SessionMark,
    ToolEnd,
    ToolStart,
    TurnFact,
)

__all__ = ["assemble"]

_CHUNK = 2_000


class _Aside(NamedTuple):
    """What a turn's row needs to know of an event that it is not made of."""

    at: int
    agent_id: str | None
    interaction_id: str | None = None
    steered: bool | None = None


class _Facts(NamedTuple):
    """All that was read of one turn."""

    routes: list[Route]
    legs: list[LegEnd]
    commits: list[Commit]
    completions: list[Completion]
    asides: list[_Aside]


def assemble(connection: sqlite3.Connection, fusion_ids: Iterable[str], written: Iterable[TurnFact] = ()) -> list[str]:
    """Write the ``turn`` row of each of ``fusion_ids``, and queue for sending those that have ended.

    Every query begins with the ids at hand (``CROSS JOIN`` keeps SQLite from beginning with the larger table): what is new
    costs the same however much is known already.

    Must run in the transaction that wrote the facts. ``written`` are those that it wrote (some may have been there before):
    of a turn that has no row yet they are all there are, which spares reading them back. Returns the fusion ids of turns that
    are new or changed their state.
    """
    changed = []
    ids = sorted(set(fusion_ids))
    by_turn: dict[str, list[TurnFact]] = defaultdict(list)
    for fact in written:
        by_turn[fact.fusion_id].append(fact)
    for start in range(0, len(ids), _CHUNK):
        changed += _assemble_chunk(connection, ids[start : start + _CHUNK], by_turn)
    return changed


def _assemble_chunk(connection: sqlite3.Connection, ids: Sequence[str], written: Mapping[str, list[TurnFact]]) -> list[str]:
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS touched (fusion_id TEXT PRIMARY KEY, read_back INTEGER) WITHOUT ROWID")
    connection.execute("DELETE FROM touched")
    connection.executemany("INSERT INTO touched (fusion_id) VALUES (?)", [(fusion_id,) for fusion_id in ids])
    before = dict(connection.execute("SELECT fusion_id, state FROM touched CROSS JOIN turn USING (fusion_id)"))
    read_back = [fusion_id for fusion_id in ids if fusion_id in before or fusion_id not in written]
    connection.executemany("UPDATE touched SET read_back = 1 WHERE fusion_id = ?", [(fusion_id,) for fusion_id in read_back])
    facts = _read_back(connection, read_back)
    facts.update((fusion_id, _sort(written[fusion_id])) for fusion_id in ids if fusion_id not in facts)
    owners = _owners(connection)
    sessions = _Sessions(connection, {owner for owner, _ in owners.values()})
    rows = [_row(fusion_id, facts[fusion_id], *owners[fusion_id], sessions) for fusion_id in ids if fusion_id in owners]
    if rows:
        columns = list(rows[0])
        connection.executemany(
            f"INSERT OR REPLACE INTO turn ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
            [tuple(row.values()) for row in rows],
        )
    sums.renew(connection, among="touched")
    outbox.queue(connection, time.time_ns() // 1_000_000, among="touched")
    return [row["fusion_id"] for row in rows if before.get(row["fusion_id"]) != row["state"]]


def _sort(written: Iterable[TurnFact]) -> _Facts:
    """The facts of one turn by their kind, each event once."""
    facts = _Facts([], [], [], [], [])
    for fact in {fact.event_id: fact for fact in written}.values():
        match fact:
            case LegEnd():
                facts.legs.append(fact)
            case Route():
                facts.routes.append(fact)
            case Completion():
                facts.completions.append(fact)
            case Commit():
                facts.commits.append(fact)
            case Message() | ToolEnd():
                facts.asides.append(_Aside(fact.at, fact.agent_id, fact.interaction_id, fact.steered))
            case ToolStart():
                facts.asides.append(_Aside(fact.at, fact.agent_id, steered=fact.steered))
            case HandoffMade() | LegStart():
                facts.asides.append(_Aside(fact.at, fact.agent_id))
    return facts


def _read_back(connection: sqlite3.Connection, ids: Iterable[str]) -> dict[str, _Facts]:
    facts = {fusion_id: _Facts([], [], [], [], []) for fusion_id in ids}

    def rows(kind: type[TurnFact]) -> sqlite3.Cursor:
        columns = ", ".join(kind._fields)
        return connection.execute(
            f"SELECT {columns} FROM touched CROSS JOIN {TABLE_OF[kind]} USING (fusion_id) WHERE read_back ORDER BY at, event_id"
        )

    for row in rows(Route):
        facts[row[0]].routes.append(Route._make(row))
    for row in rows(LegEnd):
        facts[row[0]].legs.append(LegEnd._make(row))
    for row in rows(Commit):
        facts[row[0]].commits.append(Commit._make(row))
    for row in rows(Completion):
        facts[row[0]].completions.append(Completion._make(row))
    for columns, table in _ASIDES:
        query = f"SELECT fusion_id, at, agent_id, {columns} FROM touched CROSS JOIN {table} USING (fusion_id) WHERE read_back"
        for fusion_id, *aside in connection.execute(query):
            facts[fusion_id].asides.append(_Aside(*aside))
    return facts


_ASIDES = [
    ("NULL, NULL", "handoff"),
    ("NULL, NULL", "leg_start"),
    ("interaction_id, steered", "message"),
    ("NULL, steered", "tool_start"),
    ("interaction_id, steered", "tool_end"),
]


def _owners(connection: sqlite3.Connection) -> dict[str, tuple[str, bool]]:
    """Of each touched turn: the session it belongs to, and whether no log holds it any more.

    A fork copies its parent's turns. The session that started first owns them, in whatever order the logs were read: a
    fork's ``session.start`` is written when it is made, after the parent's.
    """
    found: dict[str, tuple[str, bool]] = {}
    query = """
        SELECT fusion_id, session_id, sum(sighting.generation = log.generation) OVER (PARTITION BY fusion_id) = 0,
            (SELECT min(at) FROM session_mark AS start WHERE start.session_id = log.session_id AND mark = 'start') AS born
        FROM touched CROSS JOIN sighting USING (fusion_id) CROSS JOIN log ON log.id = log_id
        ORDER BY born IS NULL, born, session_id"""
    for fusion_id, session_id, rewound, _ in connection.execute(query):
        found.setdefault(fusion_id, (session_id, bool(rewound)))
    return found


class _Sessions:
    """What the owners of the touched turns tell about them."""

    def __init__(self, connection: sqlite3.Connection, session_ids: Iterable[str]) -> None:
        self._connection = connection
        self._marks: dict[str, list[SessionMark]] = {}
        query = f"SELECT {', '.join(SessionMark._fields)} FROM session_mark WHERE session_id = ? ORDER BY at, event_id"
        for session_id in session_ids:
            self._marks[session_id] = [SessionMark._make(row) for row in connection.execute(query, (session_id,))]

    def segment(self, session_id: str, at: int) -> SessionMark | None:
        """The last start or resume at or before ``at``; the first one where the clock has moved.

        No other mark begins a segment: a rewind or a fork goes on in the same process.
        """
        found = None
        for mark in self._marks[session_id]:
            if mark.mark in ("start", "resume") and (found is None or mark.at <= at):
                found = mark
        return found

    def moved_on(self, session_id: str, agent_id: str | None, fusion_id: str, after: int) -> bool:
        """Whether, after ``after``, the session was resumed, shut down, or began another turn of the same agent.

        Or the turn was given up for its silence and has nothing newer.
        """
        given_up = self._connection.execute("SELECT 1 FROM given_up WHERE fusion_id = ? AND after >= ?", (fusion_id, after))
        if given_up.fetchone():
            return True
        if any(mark.at > after for mark in self._marks[session_id] if mark.mark != "start"):
            return True
        later = """
            SELECT 1 FROM log JOIN sighting ON log_id = log.id JOIN route USING (fusion_id)
            WHERE session_id = ? AND fusion_id != ? AND agent_id IS ? AND at > ? LIMIT 1"""
        return self._connection.execute(later, (session_id, fusion_id, agent_id, after)).fetchone() is not None


def _row(fusion_id: str, facts: _Facts, session_id: str, rewound: bool, sessions: _Sessions) -> dict[str, Any]:
    route = max(facts.routes, key=lambda fact: (fact.at, fact.event_id), default=None)
    end = max(facts.completions, key=lambda fact: (fact.at, fact.event_id), default=None)
    commit = max(facts.commits, key=lambda fact: (fact.at, fact.event_id), default=None)
    everything: list[TurnFact] = [*facts.routes, *facts.legs, *facts.commits, *facts.completions]
    asides = sorted(facts.asides, key=lambda aside: aside.at)
    times = [fact.at for fact in everything] + [aside.at for aside in asides]
    last_event_at = max(times)
    started_at = _started_at(route, facts.legs, end, min(times))
    agent_id = next((fact.agent_id for fact in (*everything, *asides) if fact.agent_id), None)
    origin = sessions.segment(session_id, min(times))
    state = _state(route, end)
    if state == "open" and sessions.moved_on(session_id, agent_id, fusion_id, last_event_at):
        state = "abandoned"
    failed_route = route is not None and route.failure is not None and end is None
    latency = route.routing_latency_ms if route else None
    return {
        "fusion_id": fusion_id,
        "session_id": session_id,
        "agent_id": agent_id,
        # the resumes that were seen do not say which version resumed
        "cli_version": origin.cli_version if origin else None,
        "repository": origin.repository if origin else None,
        "branch": origin.branch if origin else None,
        "synthetic_model": _first(route and route.synthetic_model, end and end.synthetic_model),
        "pattern": _first(end and end.pattern, route and route.pattern),
        "state": state,
        "outcome": (end.outcome or "unknown") if end else None,
        "degraded_reason": end.degraded_reason if end else None,
        "route_failure": route.failure if route else None,
        "policy": route.policy if route else None,
        "route_source": route.route_source if route else None,
        "contract_version": route.contract_version if route else None,
        "plan_version": route.plan_version if route else None,
        "policy_version": route.policy_version if route else None,
        "model_universe_version": route.model_universe_version if route else None,
        "rule_id": route.rule_id if route else None,
        "rule_index": route.rule_index if route else None,
        "rule_name": route.rule_name if route else None,
        "hint": route.hint if route else None,
        "selected_rule_id": route.selected_rule_id if route else None,
        "turn_id": _first(end and end.turn_id, route and route.turn_id),
        "interaction_id": next((aside.interaction_id for aside in asides if aside.interaction_id), None),
        "commit_id": _first(end and end.commit_id, commit and commit.commit_id),
        "commit_kind": commit.kind if commit else None,
        "primary_model": route.primary_model if route else None,
        "secondary_model": route.secondary_model if route else None,
        "judge_model": route.judge_model if route else None,
        "repair_model": route.repair_model if route else None,
        "fallback_model": route.fallback_model if route else None,
        "follow_up_model": _first(end and end.follow_up_model, route and route.follow_up_model),
        "follow_up": route.follow_up if route else None,
        "critics": route.critics if route else None,
        "scores": route.scores if route else None,
        "planned": route.plan if route else None,
        "routing_latency_ms": latency,
        "started_at": started_at,
        "ended_at": end.at if end else (route.at if failed_route and route else None),
        "last_event_at": last_event_at,
        "duration_ms": _duration_ms(end, started_at) if end else (latency if failed_route else None),
        "reported_nano_aiu": end.nano_aiu if end else None,
        "reported_requests": end.requests if end else None,
        "reported_phases": end.phases if end else None,
        "answer_phase_id": _first(end and end.answer_phase_id, commit and commit.source_phase_id),
        "answer_model": _first(end and end.answer_model, commit and commit.source_model),
        "awaiting_background_work": bool(end and end.awaiting_background_work),
        # null where nothing of the turn could say so
        "steered": max((aside.steered for aside in asides if aside.steered is not None), default=None),
        "rewound": rewound,
    }


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def _started_at(route: Route | None, legs: Sequence[LegEnd], end: Completion | None, earliest: int) -> int:
    """The end minus the duration, else the route minus its latency, else the start of the first leg."""
    if end and end.duration_ms is not None:
        return end.at - round(end.duration_ms)
    if route:
        return route.at - round(route.routing_latency_ms or 0)
    return min([earliest, *(leg.at - round(leg.duration_ms or 0) for leg in legs)])


def _duration_ms(end: Completion, started_at: int) -> float:
    return end.duration_ms if end.duration_ms is not None else float(max(0, end.at - started_at))


def _state(route: Route | None, end: Completion | None) -> str:
    """The state as the turn's own events have it.

    ``outcome`` is a free string: only ``completed`` was ever seen. What names a failure or a cancellation counts as one,
    everything else as completed.
    """
    if end is None:
        return "failed" if route and route.failure is not None else "open"
    outcome = (end.outcome or "").lower()
    if "fail" in outcome or "error" in outcome:
        return "failed"
    if "cancel" in outcome:
        return "cancelled"
    return "degraded" if end.degraded_reason is not None else "completed"
