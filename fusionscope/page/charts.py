"""Columns over time: geometry in per cent, so that columns grow with the window and texts do not."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import NamedTuple

__all__ = ["Block", "Chart", "Column", "Label", "Line", "columns"]

#: no more labels below the columns: on a telephone they would touch
_LABELS = 5

#: what is left free between two columns, as a part of one
_FREE = 0.25


class Block(NamedTuple):
    """A part of a column: its upper edge and height in per cent of the chart, and its class."""

    y: str
    height: str
    colour: str


class Column(NamedTuple):
    """One column: place and width in per cent, its parts from the bottom up, and what it says when pointed at."""

    x: str
    width: str
    blocks: list[Block]
    title: str


class Line(NamedTuple):
    """A line across, in per cent from the top, and the amount it stands for."""

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
    """Columns, lines across, labels."""

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
    """
    highest = max((sum(amount for amount, _ in stack) for stack in stacks), default=0)
    step = _step(top if top is not None else highest)
    whole = top if top is not None else step * -(-highest // step) or step
    room = 100 / max(1, len(stacks))
    drawn = [
        Column(f"{(place + _FREE / 2) * room:.2f}%", f"{room * (1 - _FREE):.2f}%", _blocks(stack, whole), title)
        for place, (stack, title) in enumerate(zip(stacks, titles, strict=True))
        if any(amount for amount, _ in stack)
    ]
    lines = [
        Line(f"{100 - step * number / whole * 100:.1f}%", step * number) for number in range(1, int(whole / step + 0.5) + 1)
    ]
    return Chart(drawn, lines, _labels(labels))


def _blocks(stack: Sequence[tuple[float, str]], whole: float) -> list[Block]:
    found = []
    reached = 0.0
    for amount, colour in stack:
        if amount:
            reached += amount
            found.append(Block(f"{100 - reached / whole * 100:.1f}%", f"{amount / whole * 100:.1f}%", colour))
    return found


def _step(highest: float) -> float:
    """A round step of which two to five make the axis."""
    if highest <= 0:
        return 1.0
    ten: float = 10.0 ** floor(log10(highest))
    return next(ten * part for part in (0.2, 0.5, 1, 2) if highest / (ten * part) <= 5)


def _labels(words: Sequence[tuple[str, str | None]]) -> list[Label]:
    """Some of the words, evenly apart, each in the middle of its column; those at the ends stand inside the chart."""
    many = len(words)
    if not many:
        return []
    every = -(-many // _LABELS)
    found = []
    for place in range(0, many, every):
        middle = (place + 0.5) / many * 100
        side = "start" if middle < 8 else "end" if middle > 92 else "middle"
        found.append(Label(f"{ {'start': 0, 'end': 100}.get(side, middle):.2f}%", words[place][0], side, words[place][1]))
    return found
