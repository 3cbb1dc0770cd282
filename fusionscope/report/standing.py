"""How a turn stands, in a word or two: its pattern and its state. Imports little, for the status line."""

from __future__ import annotations

from fusionscope.model import Turn
from fusionscope.report.text import shown

__all__ = ["pattern", "start_missing", "state"]


def pattern(turn: Turn) -> str:
    """Return the name of the pattern, cut to fit a column."""
    return shown(turn.pattern_name, 20)


def state(turn: Turn) -> str:
    """Return how the turn stands, or nothing: its state unless completed, whether the log lacks a part of it, a rewind."""
    words = [] if turn.state == "completed" or turn.route_failure is not None else [shown(turn.state, 20)]
    if turn.missing_legs or (turn.legs and start_missing(turn)):
        words.append("incomplete")
    if turn.rewound:
        words.append("rewound")
    return ", ".join(words)


def start_missing(turn: Turn) -> bool:
    """Whether the log does not hold the route of ``turn``: every route names a policy, a model and a version."""
    named = (turn.policy, turn.primary_model, turn.fallback_model, turn.contract_version)
    return turn.route_failure is None and all(value is None for value in named)
