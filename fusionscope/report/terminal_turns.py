"""Many turns for the terminal: one line a turn below the day it began on, newest last."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich.cells import cell_len
from rich.text import Text

from fusionscope.model import Turn
from fusionscope.report import figures, words
from fusionscope.report.terminal_canvas import Canvas, Cell, Column, fit, fits, headings, lay_out
from fusionscope.report.text import credits, local_day, money, plural, seconds, short_ids

__all__ = ["turns_lines"]

_COLUMNS = (
    Column("began"),
    Column("turn", least=15, middle=True),
    Column("pattern", least=8),
    Column("models", least=15),
    Column("result", least=9),
    Column("time", right=True),
    Column("credits", right=True),
)

# Columns of little room: the models' names need it more than the gaps.
_CLOSE = tuple(column if column.heading == "models" else column._replace(gap=1) for column in _COLUMNS)

_MODELS = 3

# In less room a model's name says nothing any more: better fewer models and an ellipsis.
_LEAST_MODEL = 6


def turns_lines(canvas: Canvas, turns: Sequence[Turn], *, sums: bool = True) -> list[Text]:
    """Return a table of ``turns``, newest last, in days of the canvas' zone; a turn belongs to the day it began on.

    Without ``sums`` nothing is added up: ``turns`` are then only some of their days.
    """
    if not turns:
        return [Text("no Fusion turns")]
    ordered = sorted(turns, key=lambda turn: (turn.started_at, turn.fusion_id))
    short = short_ids(turn.fusion_id for turn in ordered)
    days = [local_day(turn.started_at, canvas.zone) for turn in ordered]
    rows = [_row(canvas, turn, short[turn.fusion_id], day[1]) for turn, day in zip(ordered, days, strict=True)]
    columns = _COLUMNS if fits(_COLUMNS, rows, canvas.width) else _CLOSE
    widths = fit(columns, rows, canvas.width)
    lines = [lay_out(canvas, columns, widths, headings(columns))]
    for day, places in groupby(range(len(ordered)), key=lambda place: (days[place][0], days[place][2])):
        group = list(places)
        name = " ".join(filter(None, day))
        lines.append(_day(canvas, name, [ordered[place] for place in group]) if sums else Text(name, "bold"))
        for place in group:
            row = rows[place]
            if cell_len(row[_MODELS][0]) > widths[_MODELS]:
                row[_MODELS] = (_models(canvas, ordered[place], widths[_MODELS]), "")
            lines.append(lay_out(canvas, columns, widths, row))
    if sums and days[0][0] != days[-1][0]:
        lines.append(_day(canvas, "all", ordered))
    return lines


def _row(canvas: Canvas, turn: Turn, short_id: str, clock: str) -> list[Cell]:
    time = "" if turn.route_failure is not None else seconds(_milliseconds(turn))
    return [
        (clock, ""),
        (canvas.log_text(short_id, 43), ""),
        (canvas.encodable(words.pattern(turn)), ""),
        (_models(canvas, turn, None), ""),
        (canvas.encodable(words.result(turn)), "bold" if words.state(turn) else ""),
        (time, ""),
        (credits(turn.nano_aiu), ""),
    ]


def _milliseconds(turn: Turn) -> float:
    return max(0, turn.last_event_at - turn.started_at) if turn.duration_ms is None else turn.duration_ms


def _models(canvas: Canvas, turn: Turn, room: int | None) -> str:
    """Return the models that ran, in order of appearance; in ``room`` columns as many as can be, their names cut."""
    names = [canvas.log_text(name) for name in turn.models]
    if not names and turn.fallback_model and turn.route_failure is not None:
        names = [f"by {canvas.log_text(turn.fallback_model)}"]
    if room is None or not names:
        return ", ".join(names)
    most = next((n for n in range(len(names), 1, -1) if _least(n, len(names)) <= room), 1)
    rest = f", {canvas.signs.ellipsis}" if most < len(names) else ""
    # Names shorter than their part leave room to the longer ones: give out what is left, shortest first.
    left = room - len(rest) - 2 * (most - 1)
    kept: dict[int, str] = {}
    for place in sorted(range(most), key=lambda place: cell_len(names[place])):
        kept[place] = canvas.cut_middle(names[place], left // (most - len(kept)))
        left -= cell_len(kept[place])
    return ", ".join(kept[place] for place in range(most)) + rest


def _least(shown: int, names: int) -> int:
    """Return the columns that ``shown`` of ``names`` names take at least, with their commas and an ellipsis for the rest."""
    return shown * _LEAST_MODEL + 2 * (shown - 1) + (3 if shown < names else 0)


def _day(canvas: Canvas, name: str, turns: Sequence[Turn]) -> Text:
    return Text(canvas.joined([name, plural(len(turns), "turn"), money(figures.known_nano_aiu(turns))]), "bold")
