"""Turns without Fusion: one prompt answered by one model, or by more in turn (Auto, sub-agents).

They are put together from prompts, replies, model calls and tool calls that no Fusion turn is tied to. The CLI gives all but
the model calls the id of the interaction; a call is in that of the reply that it gave, else of the last prompt before it. An
interaction in which a Fusion turn ran is that turn's, and none of its events counts here; one of which only the route failed is
an ordinary turn.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fusionscope.model import OrdinaryTurn
from fusionscope.store.read import Selection

__all__ = ["is_metered", "ordinary_turns"]

Key = tuple[str, str]  # session id, interaction id

_NO_INTERACTION = "unknown"


def is_metered(nano_aiu: int | None, credits_status: str | None, byok: bool) -> bool:
    """Whether the log says what a call cost: an amount of 0 of a call that was not metered says nothing."""
    return nano_aiu is not None and credits_status != "unavailable" and not byok


@dataclass
class _Interaction:
    started_at: int
    ended_at: int = 0
    replies: list[str] = field(default_factory=list)
    calls: list[_Call] = field(default_factory=list)
    tool_results: list[bool] = field(default_factory=list)


class _Call(NamedTuple):
    model: str
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cache_write_tokens: int
    nano_aiu: int | None
    credits_status: str | None
    byok: bool


class _Origin(NamedTuple):
    born: int | None
    cli_version: str | None
    repository: str | None
    branch: str | None
    client: str | None


def ordinary_turns(connection: sqlite3.Connection, selection: Selection = Selection()) -> list[OrdinaryTurn]:  # noqa: B008
    """The selected turns without Fusion, oldest first; an interaction that a fork copied counts once, as its parent's.

    ``pattern`` and ``state`` are Fusion's: a selection by them selects none of these.
    """
    if selection.pattern is not None:
        return []
    origins = _origins(connection)
    found = _Interactions(connection)
    owners: dict[str, str] = {}
    for session_id, interaction_id in sorted(found.known, key=lambda key: _seniority(origins, key[0])):
        owners.setdefault(interaction_id, session_id)
    turns = [
        _turn(key, interaction, origins[key[0]])
        for key, interaction in found.known.items()
        if (key[1] == _NO_INTERACTION or owners[key[1]] == key[0]) and (interaction.replies or interaction.calls)
    ]
    chosen = sorted((turn for turn in turns if _fits(turn, selection)), key=lambda turn: (turn.started_at, turn.interaction_id))
    return chosen[-selection.limit :] if selection.limit else chosen


def _fits(turn: OrdinaryTurn, selection: Selection) -> bool:
    return (
        (selection.since is None or turn.started_at >= selection.since)
        and (selection.until is None or turn.started_at < selection.until)
        and (selection.session is None or turn.session_id.startswith(selection.session))
        and (selection.model is None or selection.model in turn.models)
        and (selection.client is None or turn.client == selection.client)
    )


def _seniority(origins: dict[str, _Origin], session_id: str) -> tuple[bool, int, str]:
    born = origins[session_id].born
    return born is None, born or 0, session_id


def _origins(connection: sqlite3.Connection) -> dict[str, _Origin]:
    origins: dict[str, _Origin] = defaultdict(lambda: _Origin(None, None, None, None, None))
    query = """
        SELECT log.session_id, min(at), max(cli_version), max(repository), max(branch), max(client)
        FROM log LEFT JOIN session_mark ON session_mark.session_id = log.session_id AND mark = 'start'
        GROUP BY log.session_id"""
    for session_id, *origin in connection.execute(query):
        origins[session_id] = _Origin(*origin)
    return origins


class _Interactions:
    """Every interaction without Fusion, by session and id."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._prompts: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self.known: dict[Key, _Interaction] = {}
        for session_id, interaction_id, at in self._rows("prompt", "interaction_id, at"):
            self._prompts[session_id].append((at, interaction_id or _NO_INTERACTION))
        self._fused = self._find_fused()
        self._add_replies_and_tools()
        self._add_calls()

    def _rows(self, table: str, columns: str, where: str = "true") -> Iterable[tuple[Any, ...]]:
        return self._connection.execute(
            f"SELECT session_id, {columns} FROM {table} WHERE {where} ORDER BY session_id, at, event_id"
        )

    def _find_fused(self) -> set[Key]:
        """Interactions that a Fusion turn names, or during which one ran."""
        named = "SELECT DISTINCT interaction_id FROM {} WHERE interaction_id IS NOT NULL"
        ids = {row[0] for table in ("message", "tool_end") for row in self._connection.execute(named.format(table))}
        fused = {(session_id, id) for session_id, prompts in self._prompts.items() for _, id in prompts if id in ids}
        query = """
            SELECT DISTINCT log.session_id, started_at, coalesce(ended_at, last_event_at)
            FROM turn JOIN sighting USING (fusion_id) JOIN log ON log.id = log_id WHERE route_failure IS NULL"""
        for session_id, started_at, ended_at in self._connection.execute(query):
            prompts = self._prompts[session_id]
            first = max(0, bisect_right(prompts, (started_at, "\U0010ffff")) - 1)
            for at, interaction_id in prompts[first:]:
                if at > ended_at:
                    break
                fused.add((session_id, interaction_id))
        return fused

    def _at(self, session_id: str, interaction_id: str | None, at: int) -> _Interaction | None:
        """The interaction of an event, if it is none of Fusion."""
        key = (session_id, interaction_id or self._asked_before(session_id, at))
        if key in self._fused:
            return None
        if key not in self.known:
            asked = [when for when, id in self._prompts[session_id] if id == key[1]]
            self.known[key] = _Interaction(min([at, *asked]))
        interaction = self.known[key]
        interaction.ended_at = max(interaction.ended_at, at)
        return interaction

    def _asked_before(self, session_id: str, at: int) -> str:
        prompts = self._prompts[session_id]
        place = bisect_right(prompts, (at, "\U0010ffff"))
        return prompts[place - 1][1] if place else _NO_INTERACTION

    def _add_replies_and_tools(self) -> None:
        self._answered: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
        for session_id, interaction_id, at, call_id, model in self._rows("reply", "interaction_id, at, call_id, model"):
            if call_id and interaction_id:
                self._answered[session_id, call_id].append((at, interaction_id))
            if interaction := self._at(session_id, interaction_id, at):
                interaction.replies.append(model or "unknown")
        for session_id, interaction_id, at, success in self._rows("tool_use", "interaction_id, at, success"):
            if interaction := self._at(session_id, interaction_id, at):
                interaction.tool_results.append(success != 0)

    def _add_calls(self) -> None:
        columns = f"at, call_id, {', '.join(_Call._fields)}"
        for session_id, at, call_id, *call in self._rows("model_call", columns, "fusion_id IS NULL"):
            # a call is written before its reply; a server of one's own may use an id again
            answers = self._answered.get((session_id, call_id or ""), ())
            answered = next((interaction_id for answered_at, interaction_id in answers if answered_at >= at), None)
            if interaction := self._at(session_id, answered, at):
                interaction.calls.append(_Call(*call))


def _turn(key: Key, interaction: _Interaction, origin: _Origin) -> OrdinaryTurn:
    calls = interaction.calls
    metered = [call.nano_aiu or 0 for call in calls if is_metered(call.nano_aiu, call.credits_status, call.byok)]

    def tokens(name: str) -> int | None:
        return sum(getattr(call, name) for call in calls) if calls else None

    return OrdinaryTurn(
        interaction_id=key[1],
        session_id=key[0],
        client=origin.client,
        cli_version=origin.cli_version,
        repository=origin.repository,
        branch=origin.branch,
        started_at=interaction.started_at,
        ended_at=interaction.ended_at,
        models=tuple(dict.fromkeys([call.model for call in calls] if calls else interaction.replies)),
        calls=len(calls) or len(interaction.replies),
        metered=len(metered),
        tool_calls=len(interaction.tool_results),
        failed_tool_calls=interaction.tool_results.count(False),
        input_tokens=tokens("input_tokens"),
        output_tokens=tokens("output_tokens"),
        cached_tokens=tokens("cached_tokens"),
        cache_write_tokens=tokens("cache_write_tokens"),
        nano_aiu=sum(metered) if metered else None,
    )
