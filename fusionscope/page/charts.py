"""Columns over time. The drawing is one unit wide for each column, 100 high, and stretched to the room there is; texts are not.

The style says how much of its unit a column fills.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import NamedTuple

__all__ = ["Block", "Chart", "Column", "Label", "Line", "columns"]

#: no more labels below the columns: on a telephone they would touch
_LABELS = 5

#: what is left free before a column
_FREE = 0.125


class Block(NamedTuple):
    """A part of a column: its upper edge and height in units of the drawing, and its class."""

    y: str
    height: str
    colour: str


class Column(NamedTuple):
    """One column: its left edge, its parts from the bottom up, and what it says when pointed at."""

    x: str
    blocks: list[Block]
    title: str


class Line(NamedTuple):
    """A line across, in units from the top, and the amount it stands for."""

    y: str
    amount: float


class Label(NamedTuple):
    """Words below the columns, in per cent from the left, and the side of the place that they stand on.

    ``at``: the moment that the words tell in this machine's zone, where the reader's may tell it otherwise.
    """

    x: str
    words: str
    anchor: str
    at: str | None


class Chart(NamedTuple):
    """Columns, lines across, labels; ``places`` columns have room."""

    places: int
    columns: list[Column]
    lines: list[Line]
    labels: list[Label]


def columns(
    stacks: Sequence[Sequence[tuple[float, str]]],
    titles: Sequence[str],
    labels: Sequence[tuple[str, str | None]],
    top: float | None = None,
) -> Chart:
    """Return a chart with a column for each of ``stacks``: amounts with their classes, from the bottom up.

    The axis goes from 0 to a round amount above the highest column, or to ``top``. A stack of nothing leaves its place empty.
    ``labels`` are words with the moment that they tell, if any.
    """
    highest = max((sum(amount for amount, _ in stack) for stack in stacks), default=0) if top is None else top
    step = _step(highest)
    steps = max(1, -int(-highest / step // 1))
    drawn = [
        Column(f"{place + _FREE}", _blocks(stack, steps * step), title)
        for place, (stack, title) in enumerate(zip(stacks, titles, strict=True))
        if any(amount for amount, _ in stack)
    ]
    lines = [Line(f"{100 - number / steps * 100:.1f}", step * number) for number in range(1, steps + 1)]
    return Chart(max(1, len(stacks)), drawn, lines, _labels(labels))


def _blocks(stack: Sequence[tuple[float, str]], whole: float) -> list[Block]:
    found = []
    reached = 0.0
    for amount, colour in stack:
        if amount:
            reached += amount
            found.append(Block(f"{100 - reached / whole * 100:.1f}", f"{amount / whole * 100:.1f}", colour))
    return found


def _step(highest: float) -> float:
    """A round step of which three to five make the axis."""
    if highest <= 0:
        return 1.0
    ten: float = 10.0 ** floor(log10(highest))
    return next(ten * part for part in (0.2, 0.5, 1, 2) if highest / (ten * part) <= 5)


def _labels(words: Sequence[tuple[str, str | None]]) -> list[Label]:
    """Some of the words, evenly apart, each in the middle of its column; those at the ends stand inside the chart."""
    every = max(1, -(-len(words) // _LABELS))
    found = []
    for place in range(0, len(words), every):
        middle = (place + 0.5) / len(words) * 100
        side = "start" if middle < 8 else "end" if middle > 92 else "middle"
        x = {"start": 0.0, "end": 100.0}.get(side, middle)
        found.append(Label(f"{x:.2f}%", words[place][0], side, words[place][1]))
    return found
