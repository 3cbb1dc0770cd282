"""Turns with only what sums of money, tokens and verdicts need, for figures over very many of them.

They come in a third of the time that whole ones take. What is left out is ``None``, empty or 0, which means nothing here: such
a turn is for figures, never to be shown.
"""

from __future__ import annotations

import sqlite3
from operator import attrgetter, itemgetter
from typing import Any

from fusionscope.model import Leg, Turn
from fusionscope.store.read import Selection

__all__ = ["LEG_FIELDS", "TURN_FIELDS", "lean_turns"]

Row = tuple[Any, ...]

#: what a lean turn has, beside its legs and its client
TURN_FIELDS = (
    "fusion_id", "session_id", "cli_version", "repository", "branch", "pattern", "state", "policy", "route_source",
    "route_failure", "routing_latency_ms", "started_at", "reported_nano_aiu", "reported_phases", "answer_phase_id",
    "awaiting_background_work",
)  # fmt: skip

#: what a lean leg has, beside ``is_answer``
LEG_FIELDS = (
    "phase_id", "kind", "scope", "model", "reasoning_effort", "status", "verdict", "input_tokens", "output_tokens",
    "cached_tokens", "cache_write_tokens", "nano_aiu",
)  # fmt: skip

_ORDER = ("place", "at", "event_id")
_in_order = itemgetter(1, 2, 3)
_by_start = attrgetter("started_at")

# What stands after the columns of a row before its values are picked in the order of the type.
_AFTER_TURN = (*TURN_FIELDS, "client", "legs", "", "")
_NOTHING, _NONE = len(_AFTER_TURN) - 1, len(_AFTER_TURN) - 2
_EMPTY = ("critics", "follow_up", "scores", "planned", "handoffs", "tool_calls", "unknown_words")
_as_turn = itemgetter(*(
    _AFTER_TURN.index(name) if name in _AFTER_TURN else _NOTHING if name in _EMPTY else _NONE for name in Turn._fields
))  # fmt: skip
_SESSION, _ANSWER = TURN_FIELDS.index("session_id"), TURN_FIELDS.index("answer_phase_id")

_AFTER_LEG = ("fusion_id", *_ORDER, *LEG_FIELDS, "is_answer", "began_at", "")
_as_leg = itemgetter(*(_AFTER_LEG.index(name) if name in _AFTER_LEG else len(_AFTER_LEG) - 1 for name in Leg._fields))
_PHASE = _AFTER_LEG.index("phase_id")


def lean_turns(connection: sqlite3.Connection, selection: Selection = Selection()) -> list[Turn]:  # noqa: B008
    """The selected turns with their legs, oldest first, as far as ``TURN_FIELDS`` and ``LEG_FIELDS`` go."""
    where, given = selection.where()
    newest = f"SELECT fusion_id FROM turn_sum AS turn WHERE {where} ORDER BY started_at DESC, fusion_id DESC"
    if selection.limit is not None:
        newest += " LIMIT :limit"
    among = "" if selection == Selection() else f"WHERE fusion_id IN ({newest})"
    legs: dict[str, list[Row]] = {}
    for row in connection.execute(f"SELECT fusion_id, {', '.join((*_ORDER, *LEG_FIELDS))} FROM leg {among}", given):
        found = legs.get(row[0])
        if found is None:
            legs[row[0]] = [row]
        else:
            found.append(row)
    clients: dict[str, str] = dict(connection.execute("SELECT session_id, client FROM log WHERE client IS NOT NULL"))
    turns = [
        Turn._make(_as_turn((*row, clients.get(row[_SESSION]), _legs(legs.pop(row[0], []), row[_ANSWER]), None, ())))
        for row in connection.execute(f"SELECT {', '.join(TURN_FIELDS)} FROM turn {among} ORDER BY fusion_id", given)
    ]
    turns.sort(key=_by_start)  # those of one moment stay in order; by its index, SQLite would look up every row by itself
    return turns


def _legs(rows: list[Row], answer_phase_id: str | None) -> tuple[Leg, ...]:
    """Legs in log order; the answer is the last attempt at the phase that gave it."""
    if len(rows) > 1:
        rows.sort(key=_in_order)
    answer = -1
    for place, row in enumerate(rows):
        if row[_PHASE] == answer_phase_id:
            answer = place
    return tuple([Leg._make(_as_leg((*row, place == answer, None, 0))) for place, row in enumerate(rows)])
