"""From rows to turns: a turn with its legs, handoffs, tool calls and what of it is not known."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from fusionscope.model import Critic, Handoff, Leg, PlannedLeg, ToolCall, Turn
from fusionscope.store.database import DamagedError
from fusionscope.store.drift import unknown_values

__all__ = ["load_turns"]

Row = tuple[Any, ...]

_OWN_COLUMNS = Turn._fields[: Turn._fields.index("client")]
_TURN_COLUMNS = ", ".join(f"turn.{name}" for name in _OWN_COLUMNS)
_LEG_COLUMNS = (
    "leg.fusion_id, phase_id, kind, role, scope, model, reasoning_effort, status, verdict, reason, degraded_to,"
    " background_work, at, duration_ms, requests, input_tokens, output_tokens, cached_tokens, cache_write_tokens, nano_aiu"
)
_START_COLUMNS = "fusion_id, tool_call_id, phase_id, parent_tool_call_id, turn_id, name, at"
_END_COLUMNS = "fusion_id, tool_call_id, phase_id, interaction_id, at, success, exit_code, error"
_ANSWER, _SESSION = _OWN_COLUMNS.index("answer_phase_id"), _OWN_COLUMNS.index("session_id")


def load_turns(connection: sqlite3.Connection, ids: str | None, given: dict[str, Any]) -> list[Turn]:
    """The turns whose ids the query ``ids`` (with the parameters ``given``) gives, or all; oldest first.

    Raises:
        DamagedError: a route holds what nobody wrote.
    """
    among = f"WHERE fusion_id IN ({ids})" if ids else ""

    def rows(columns: str, table: str, order: str) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        for row in connection.execute(f"SELECT {columns} FROM {table} {among} ORDER BY fusion_id, {order}", given):
            found.setdefault(row[0], []).append(row)
        return found

    turns = connection.execute(f"SELECT {_TURN_COLUMNS} FROM turn {among} ORDER BY started_at, fusion_id", given).fetchall()
    legs = rows(_LEG_COLUMNS, "leg", "place, at, event_id")
    leg_starts = rows("fusion_id, phase_id, at", "leg_start", "at")
    handoffs = rows("fusion_id, source_phase_id, target_phase_id, target_model, at", "handoff", "at")
    tool_starts, tool_ends = rows(_START_COLUMNS, "tool_start", "at, event_id"), rows(_END_COLUMNS, "tool_end", "at, event_id")
    words = rows("DISTINCT fusion_id, word", "unknown_word", "word")
    clients: dict[str, str] = dict(connection.execute("SELECT session_id, client FROM log WHERE client IS NOT NULL"))
    return [
        _turn(
            row,
            client=clients.get(row[_SESSION]),
            legs=_legs(legs.get(row[0], ()), leg_starts.get(row[0], ()), row[_ANSWER]),
            handoffs=tuple(Handoff(*made[1:]) for made in handoffs.get(row[0], ())),
            tool_calls=_tool_calls(tool_starts.get(row[0], ()), tool_ends.get(row[0], ())),
            words=[word for _, word in words.get(row[0], ())],
        )
        for row in turns
    ]


def _turn(row: Row, words: Sequence[str], **parts: Any) -> Turn:
    values = dict(zip(_OWN_COLUMNS, row, strict=True))
    try:
        values["critics"] = tuple(Critic(**item) for item in json.loads(values["critics"] or "[]"))
        for name in ("scores", "follow_up"):
            values[name] = tuple((key, value) for key, value in json.loads(values[name] or "{}").items() if value is not None)
        values["planned"] = _plan(values["planned"]) if values["planned"] else ()
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DamagedError(f"The database holds a route of {row[0]!r} that nobody wrote.") from error
    for name in ("awaiting_background_work", "rewound"):
        values[name] = bool(values[name])
    values["steered"] = _bit(values["steered"])
    told = (values["pattern"], values["contract_version"], values["commit_kind"], values["follow_up"], parts["legs"])
    return Turn(**values, **parts, unknown_words=(*unknown_values(*told), *words))


@lru_cache(maxsize=1_000)  # a store of many turns holds few plans
def _plan(text: str) -> tuple[PlannedLeg, ...]:
    return tuple(PlannedLeg(**item) for item in json.loads(text))


def _bit(value: int | None) -> bool | None:
    return None if value is None else bool(value)


_BACKGROUND = _LEG_COLUMNS.split(", ").index("background_work")


def _legs(rows: Sequence[Row], starts: Sequence[Row], answer_phase_id: str | None) -> tuple[Leg, ...]:
    """Legs in log order, numbered; the answer is the last attempt at the phase that gave it."""
    phases = [row[1] for row in rows]
    answer = len(phases) - 1 - phases[::-1].index(answer_phase_id) if answer_phase_id in phases else -1
    distinct = len(set(phases)) == len(phases)
    legs = tuple(
        Leg._make((
            phase_id, index, 0 if distinct else phases[:index].count(phase_id), *row[2:_BACKGROUND], bool(row[_BACKGROUND]),
            *row[_BACKGROUND + 1 :], index == answer, None,
        ))
        for index, (phase_id, row) in enumerate(zip(phases, rows, strict=True))
    )  # fmt: skip
    return tuple(leg._replace(began_at=_began_at(leg, starts)) for leg in legs) if starts else legs


def _began_at(leg: Leg, starts: Sequence[Row]) -> int | None:
    """The last start of the phase before the leg's end."""
    return max((at for _, phase_id, at in starts if phase_id == leg.phase_id and at <= leg.ended_at), default=None)


def _tool_calls(starts: Sequence[Row], ends: Sequence[Row]) -> tuple[ToolCall, ...]:
    """Each start with the next end of the same id; an end without a start (its log was cut) is a call all the same.

    A copy of an event under another id is no new call.
    """
    if not starts and not ends:
        return ()
    waiting: dict[str, list[Row]] = defaultdict(list)
    for end in {(end[1], end[4]): end for end in ends}.values():
        waiting[end[1]].append(end)
    calls = []
    for _, call_id, phase_id, parent, turn_id, name, at in {(start[1], start[6]): start for start in starts}.values():
        found = next((end for end in waiting[call_id] if end[4] >= at), None)
        if found:
            waiting[call_id].remove(found)
        calls.append(_tool_call(call_id, phase_id, parent, turn_id, name, at, found))
    calls += [_tool_call(end[1], None, None, None, "unknown", end[4], end) for left in waiting.values() for end in left]
    return tuple(sorted(calls, key=lambda call: (call.started_at, call.tool_call_id)))


def _tool_call(
    call_id: str, phase_id: str | None, parent: str | None, turn_id: str | None, name: str, at: int, end: Row | None
) -> ToolCall:
    _, _, end_phase, interaction_id, ended_at, success, exit_code, error = end or [None] * 8
    return ToolCall(
        call_id, phase_id or end_phase, parent, turn_id, interaction_id, name, at, ended_at, _bit(success), exit_code, error
    )
