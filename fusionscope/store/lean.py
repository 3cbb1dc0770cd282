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

#: what a lean turn has, beside its legs and its client
TURN_FIELDS = (
    "fusion_id", "session_id", "cli_version", "repository", "branch", "pattern", "state", "policy", "route_source",
    "routing_latency_ms", "started_at", "reported_nano_aiu", "reported_phases", "answer_phase_id",
)  # fmt: skip

#: what a lean leg has, beside ``is_answer``
LEG_FIELDS = (
    "phase_id", "kind", "scope", "model", "reasoning_effort", "status", "verdict", "input_tokens", "output_tokens",
    "cached_tokens", "cache_write_tokens", "nano_aiu",
)  # fmt: skip

_SESSION, _ANSWER = Turn._fields.index("session_id"), Turn._fields.index("answer_phase_id")
_OWN = Turn._fields[: Turn._fields.index("client")]
_TURN_COLUMNS = ", ".join(name if name in TURN_FIELDS else f"NULL AS {name}" for name in _OWN)
_REST = ((), (), ())  # handoffs, tool calls, unknown words

_ORDER = ("place", "at", "event_id")
_LEG_COLUMNS = ", ".join(
    name if name in LEG_FIELDS else f'0 AS "{name}"' for name in Leg._fields[: Leg._fields.index("is_answer")]
)
_in_order = itemgetter(1, 2, 3)
_by_start = attrgetter("started_at", "fusion_id")


def lean_turns(connection: sqlite3.Connection, selection: Selection = Selection()) -> list[Turn]:  # noqa: B008
    """The selected turns with their legs, oldest first, as far as ``TURN_FIELDS`` and ``LEG_FIELDS`` go."""
    where, given = selection.where()
    newest = f"SELECT fusion_id FROM turn WHERE {where} ORDER BY started_at DESC, fusion_id DESC"
    if selection.limit is not None:
        newest += " LIMIT :limit"
    among = "" if selection == Selection() else f"WHERE fusion_id IN ({newest})"
    legs: dict[str, list[tuple[Any, ...]]] = {}
    for row in connection.execute(f"SELECT fusion_id, {', '.join(_ORDER)}, {_LEG_COLUMNS} FROM leg {among}", given):
        found = legs.get(row[0])
        if found is None:
            legs[row[0]] = [row]
        else:
            found.append(row)
    clients: dict[str, str] = dict(connection.execute("SELECT session_id, client FROM log WHERE client IS NOT NULL"))
    turns = [
        Turn._make((*row, clients.get(row[_SESSION]), _legs(legs.get(row[0], ()), row[_ANSWER]), *_REST))
        for row in connection.execute(f"SELECT {_TURN_COLUMNS} FROM turn {among}", given)
    ]
    turns.sort(key=_by_start)  # by the index, SQLite would look up every row by itself
    return turns


def _legs(rows: list[tuple[Any, ...]] | tuple[()], answer_phase_id: str | None) -> tuple[Leg, ...]:
    """Legs in log order; the answer is the last attempt at the phase that gave it."""
    if len(rows) == 1:
        row = rows[0]
        return (Leg._make((*row[4:], row[4] == answer_phase_id, None)),)
    ordered = sorted(rows, key=_in_order)
    answer = max((place for place, row in enumerate(ordered) if row[4] == answer_phase_id), default=-1)
    return tuple(Leg._make((*row[4:], place == answer, None)) for place, row in enumerate(ordered))
