"""What each session did beside its Fusion turns: interactions, model calls, compactions, each event once.

The CLI gives replies and tool calls the id of the interaction they belong to, usage records none: a call is in the interaction
of the reply that it gave, else of the last prompt before it. What a sub-agent does is in the interaction of the prompt that it
works for. An interaction in which a Fusion turn ran is that turn's; one of which only the route failed is not.

An event that a fork copied is its owner's (``origins.py``). All of it takes time in proportion to the events.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fusionscope.store.origins import Origin, among_sessions, origins

__all__ = ["Activity", "Call", "Compacted", "Interaction", "activities", "is_metered"]

_NO_INTERACTION = "unknown"


def is_metered(nano_aiu: int | None, credits_status: str | None, byok: bool) -> bool:
    """Whether the log says what a call cost: an amount of 0 of a call that was not metered says nothing."""
    return nano_aiu is not None and credits_status != "unavailable" and not byok


class Call(NamedTuple):
    """One model call that a usage record tells of. ``nano_aiu`` is ``None`` where it was not metered.

    ``in_fusion``: it is part of a Fusion turn, as its attribution (then ``fusion_id`` names the turn) or its interaction says.
    """

    at: int
    agent_id: str | None
    fusion_id: str | None
    model: str
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cache_write_tokens: int
    nano_aiu: int | None
    in_fusion: bool


class Compacted(NamedTuple):
    """One compaction of the conversation, which is in no turn. ``nano_aiu`` is ``None`` where it was not metered."""

    at: int
    model: str | None
    requests: int | None
    input_tokens: int
    output_tokens: int
    nano_aiu: int | None


@dataclass
class Interaction:
    """One prompt without Fusion: when it was asked and last heard of (ms), the models of its replies, its calls, its tools."""

    interaction_id: str
    started_at: int
    ended_at: int
    replies: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    tool_results: list[bool] = field(default_factory=list)


@dataclass
class Activity:
    """What one session did. ``copied_calls`` are its parent's, which its log holds too; so are ``copied_compactions``."""

    origin: Origin
    interactions: list[Interaction] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    copied_calls: list[Call] = field(default_factory=list)
    compactions: list[Compacted] = field(default_factory=list)
    copied_compactions: list[Compacted] = field(default_factory=list)


Rows = dict[str, list[tuple[Any, ...]]]

_CALL_COLUMNS = (
    "event_id, at, agent_id, call_id, fusion_id, model, input_tokens, output_tokens, cached_tokens,"
    " cache_write_tokens, nano_aiu, credits_status, byok"
)


def activities(connection: sqlite3.Connection, among: Collection[str] | None = None) -> Iterator[Activity]:
    """What each session did, owners before those that copied from them; ``among`` these sessions, or all.

    ``among`` must name the relatives of a session too (``origins.relatives``), or it owns what it copied.
    """
    where, given = among_sessions(among)

    def rows(table: str, columns: str) -> Rows:
        found: Rows = defaultdict(list)
        query = f"SELECT session_id, {columns} FROM {table} WHERE {where} ORDER BY session_id, at, event_id"
        for row in connection.execute(query, given):
            found[row[0]].append(row)
        return found

    prompts = rows("prompt", "at, interaction_id, agent_id")
    replies = rows("reply", "event_id, at, agent_id, interaction_id, call_id, model")
    tools = rows("tool_use", "event_id, at, agent_id, interaction_id, success")
    calls = rows("model_call", _CALL_COLUMNS)
    compactions = rows("compaction", "event_id, at, model, requests, input_tokens, output_tokens, nano_aiu, credits_status")
    named, spans = _fusion_interactions(connection, among), _fusion_spans(connection, among)
    seen: set[str] = set()
    for origin in origins(connection, among):
        own = origin.session_id
        session = _Session(Activity(origin), _Prompts(prompts[own], named, spans[own]), seen)
        session.add_replies(replies[own])
        session.add_tools(tools[own])
        session.add_calls(calls[own])
        session.add_compactions(compactions[own])
        seen |= session.events
        yield session.activity


def _fusion_interactions(connection: sqlite3.Connection, among: Collection[str] | None) -> set[str]:
    """The interactions that an event of a Fusion turn names, of the turns that the logs of these sessions hold."""
    where, given = among_sessions(among)
    if among is not None:
        where = f"fusion_id IN (SELECT fusion_id FROM sighting JOIN log ON log.id = log_id WHERE {where})"
    query = f"""
        SELECT message.interaction_id FROM message JOIN turn USING (fusion_id) WHERE route_failure IS NULL AND {where}
        UNION
        SELECT tool_end.interaction_id FROM tool_end JOIN turn USING (fusion_id) WHERE route_failure IS NULL AND {where}"""
    return {row[0] for row in connection.execute(query, given) if row[0] is not None}


def _fusion_spans(connection: sqlite3.Connection, among: Collection[str] | None) -> dict[str, list[tuple[int, int]]]:
    """From which to which moment a Fusion turn ran, by the sessions whose logs hold it.

    Its first event counts, not its start, which is worked out from durations: the prompt stands before that event in the log.
    """
    where, given = among_sessions(among, "log.session_id")
    query = f"""
        SELECT log.session_id,
            coalesce((SELECT min(at) FROM route WHERE route.fusion_id = turn.fusion_id),
                (SELECT min(at - CAST(duration_ms AS INTEGER)) FROM leg WHERE leg.fusion_id = turn.fusion_id), started_at),
            coalesce(ended_at, last_event_at)
        FROM turn JOIN sighting USING (fusion_id) JOIN log ON log.id = log_id
        WHERE {where} AND (route_failure IS NULL OR EXISTS (SELECT 1 FROM leg WHERE leg.fusion_id = turn.fusion_id))"""
    spans: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for session_id, first, last in connection.execute(query, given):
        spans[session_id].append((first, last))
    return spans


class _Prompts:
    """What the person asked in one session, and which of it Fusion answered."""

    def __init__(self, rows: Iterable[tuple[Any, ...]], named: set[str], spans: Iterable[tuple[int, int]]) -> None:
        asked = [(at, interaction_id or _NO_INTERACTION) for _, at, interaction_id, agent_id in rows if agent_id is None]
        self._moments = [at for at, _ in asked]
        self._ids = [interaction_id for _, interaction_id in asked]
        self.asked_at: dict[str, int] = {}
        for at, interaction_id in asked:
            self.asked_at.setdefault(interaction_id, at)
        self._named = named
        self._fused: set[str] = set()
        for first, last in spans:
            begin = max(0, bisect_right(self._moments, first) - 1)
            self._fused.update(self._ids[begin : bisect_right(self._moments, last)])

    def before(self, at: int) -> str:
        """The interaction of the last prompt before a moment."""
        place = bisect_right(self._moments, at)
        return self._ids[place - 1] if place else _NO_INTERACTION

    def of(self, interaction_id: str | None, agent_id: str | None, at: int) -> str:
        """The interaction of an event; a sub-agent's own is that of the prompt it works for."""
        if interaction_id is None or (agent_id is not None and interaction_id not in self.asked_at and self._moments):
            return self.before(at)
        return interaction_id

    def fused(self, interaction_id: str) -> bool:
        """Whether Fusion answered it."""
        return interaction_id in self._fused or interaction_id in self._named


class _Session:
    """Puts the events of one session where they belong; events that an owner has already are copies."""

    def __init__(self, activity: Activity, prompts: _Prompts, seen: set[str]) -> None:
        self.activity = activity
        self.events: set[str] = set()
        self._prompts = prompts
        self._seen = seen
        self._interactions: dict[str, Interaction] = {}
        self._answers: dict[str, tuple[list[int], list[str]]] = defaultdict(lambda: ([], []))

    def _is_copy(self, event_id: str) -> bool:
        self.events.add(event_id)
        return event_id in self._seen

    def _interaction(self, interaction_id: str, at: int) -> Interaction:
        found = self._interactions.get(interaction_id)
        if found is None:
            asked_at = min(at, self._prompts.asked_at.get(interaction_id, at))
            found = self._interactions[interaction_id] = Interaction(interaction_id, asked_at, at)
            self.activity.interactions.append(found)
        found.started_at = min(found.started_at, at)
        found.ended_at = max(found.ended_at, at)
        return found

    def add_replies(self, rows: Iterable[tuple[Any, ...]]) -> None:
        for _, event_id, at, agent_id, named, call_id, model in rows:
            interaction_id = self._prompts.of(named, agent_id, at)
            if call_id:
                moments, ids = self._answers[call_id]
                moments.append(at)
                ids.append(interaction_id)
            if not self._is_copy(event_id) and not self._prompts.fused(interaction_id):
                self._interaction(interaction_id, at).replies.append(model or "unknown")

    def add_tools(self, rows: Iterable[tuple[Any, ...]]) -> None:
        for _, event_id, at, agent_id, named, success in rows:
            interaction_id = self._prompts.of(named, agent_id, at)
            if not self._is_copy(event_id) and not self._prompts.fused(interaction_id):
                self._interaction(interaction_id, at).tool_results.append(success != 0)

    def add_calls(self, rows: Iterable[tuple[Any, ...]]) -> None:
        for _, event_id, at, agent_id, call_id, fusion_id, *used, nano_aiu, credits_status, byok in rows:
            interaction_id = self._answered(call_id, at) or self._prompts.before(at)
            in_fusion = fusion_id is not None or self._prompts.fused(interaction_id)
            cost = nano_aiu if is_metered(nano_aiu, credits_status, bool(byok)) else None
            call = Call._make((at, agent_id, fusion_id, *used, cost, in_fusion))
            if self._is_copy(event_id):
                self.activity.copied_calls.append(call)
                continue
            self.activity.calls.append(call)
            if not in_fusion:
                self._interaction(interaction_id, at).calls.append(call)

    def _answered(self, call_id: str | None, at: int) -> str | None:
        """The interaction of the reply that a call gave; a call is written before it, and a server may use an id again."""
        if not call_id or call_id not in self._answers:
            return None
        moments, ids = self._answers[call_id]
        place = bisect_left(moments, at)
        return ids[place] if place < len(ids) else None

    def add_compactions(self, rows: Iterable[tuple[Any, ...]]) -> None:
        for _, event_id, *compaction, nano_aiu, credits_status in rows:
            cost = nano_aiu if is_metered(nano_aiu, credits_status, False) else None
            copied = self._is_copy(event_id)
            into = self.activity.copied_compactions if copied else self.activity.compactions
            into.append(Compacted._make((*compaction, cost)))
