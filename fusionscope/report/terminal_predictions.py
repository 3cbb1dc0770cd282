"""Predictions for the terminal: a line a prompt, then the hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from fusionscope.model import Turn
from fusionscope.report.predictions import Compared, hits, unpredicted
from fusionscope.report.terminal_canvas import Canvas, Cell, Column, canvas_for, draw, fit, headings, lay_out
from fusionscope.report.text import count, credits, percent, plural
from fusionscope.report.words import pattern

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_predictions"]

_COLUMNS = (
    Column("prompt", least=12),
    Column("expected", least=8),
    Column("got", least=8),
    Column(""),
    Column("credits", right=True),
)


def print_predictions(console: Console, compared: Sequence[Compared], turns: Mapping[str, Sequence[Turn]]) -> None:
    """Print what was expected beside what happened; ``turns`` are those of the sessions that were compared with."""
    canvas = canvas_for(console)
    rows = [_row(canvas, one) for one in compared]
    widths = fit(_COLUMNS, rows, canvas.width)
    lines = [lay_out(canvas, _COLUMNS, widths, row) for row in (headings(_COLUMNS, "bold"), *rows)]
    draw(console, [*lines, Text(), *(Text(sentence, "bold") for sentence in _result(compared, turns))])


def _row(canvas: Canvas, one: Compared) -> list[Cell]:
    got = canvas.encodable(pattern(one.turn)) if one.turn else "not run yet"
    sign = {True: "hit", False: "miss", None: ""}[one.hit]
    return [
        (canvas.log_text(one.prediction.name, 60), ""),
        (canvas.log_text(one.prediction.pattern, 40), ""),
        (got, ""),
        (sign, "bold" if one.hit else ""),
        (credits(one.turn.nano_aiu) if one.turn else "", ""),
    ]


def _result(compared: Sequence[Compared], turns: Mapping[str, Sequence[Turn]]) -> list[str]:
    rate = hits(compared)
    said = [f"{count(rate.part)} of {plural(rate.whole, 'routed prompt')} as expected ({percent(rate.value)})"]
    if rate.value is None:
        said = ["No prompt was routed yet."]
    if missing := sum(one.turn is None for one in compared):
        said.append(f"{plural(missing, 'prompt')} not run yet")
    if unrouted := sum(one.turn is not None and one.hit is None for one in compared):
        said.append(f"{plural(unrouted, 'prompt')} without a route")
    if more := unpredicted(compared, turns):
        said.append(f"{plural(more, 'turn')} without a prediction")
    return said
