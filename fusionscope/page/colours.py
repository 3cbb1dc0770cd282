"""Which of a few colours a model or a pattern has: the same in every view and on every day.

Colours go by the order of first appearance in the store, so a new model takes a new colour and changes no other. There are
eight; a ninth model shares one. A name always stands beside its colour.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from fusionscope.store import totals

__all__ = ["MODELS", "PATTERNS", "Paint", "of_models", "of_patterns", "paint"]

#: the classes ``c0`` to ``c7`` and ``p0`` to ``p3`` of the style: their letter, and how many there are
MODELS = ("c", 8)
PATTERNS = ("p", 4)

#: name -> class
Paint = Callable[[str | None], str]


def of_models(connection: sqlite3.Connection) -> Paint:
    """Return what gives the class of a model's colour."""
    return paint(totals.models(connection), MODELS)


def of_patterns(connection: sqlite3.Connection) -> Paint:
    """Return what gives the class of a pattern's colour."""
    return paint(totals.patterns(connection), PATTERNS)


def paint(names: Sequence[str], classes: tuple[str, int]) -> Paint:
    """Return what gives the class of each of ``names``, in their order; any other name is ``other``."""
    letter, colours = classes
    known = {name: f"{letter}{place % colours}" for place, name in enumerate(names)}
    return lambda name: known.get(name or "", "other")
