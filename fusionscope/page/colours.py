"""Which of a few colours a model or a pattern has: the same in every view and on every day.

Colours go by the order of first appearance in the store, so a new model takes a new colour and changes no other. There are
eight; a ninth model shares one. A name always stands beside its colour.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from functools import partial

from fusionscope.store import totals

__all__ = ["Paint", "of_models", "of_patterns"]

#: the classes ``c0`` to ``c7`` and ``p0`` to ``p3`` of the style
_MODEL_COLOURS = 8
_PATTERN_COLOURS = 4

#: name -> class
Paint = Callable[[str | None], str]


def of_models(connection: sqlite3.Connection) -> Paint:
    """Return what gives the class of a model's colour."""
    return partial(_class, totals.models(connection), "c", _MODEL_COLOURS)


def of_patterns(connection: sqlite3.Connection) -> Paint:
    """Return what gives the class of a pattern's colour."""
    return partial(_class, totals.patterns(connection), "p", _PATTERN_COLOURS)


def _class(names: Sequence[str], letter: str, colours: int, name: str | None) -> str:
    return f"{letter}{names.index(name) % colours}" if name in names else "other"
