"""Two sets of turns side by side, for the terminal: figures in columns, and below each measure what it tells."""

from __future__ import annotations

from rich.text import Text

from fusionscope.report.compare import Comparison, Figure
from fusionscope.report.figures import Rate
from fusionscope.report.terminal_canvas import Canvas, Cell, Column, fit, headings, lay_out
from fusionscope.report.text import count, credits, milliseconds, percent
from fusionscope.report.told import caution, told

__all__ = ["comparison_lines"]

_NAMES = {"p90": "90th percentile"}


def comparison_lines(canvas: Canvas, comparison: Comparison, a: str, b: str) -> list[Text]:
    """Return the sides in columns, the difference, and a sentence for each measure; ``a`` and ``b`` as they were asked for."""
    columns = [Column("", least=12), *(Column(name, right=True) for name in ("A", "B", "B less A"))]
    rows: list[list[Cell]] = [[("turns", "bold"), *((count(number), "") for number in comparison.turns), ("", "")]]
    after: list[str | None] = [None]
    for measure in comparison.measures:
        inside = len(measure.figures) > 1
        if inside:
            rows.append([(measure.name, "bold"), *((f"of {count(number)}", "") for number in measure.counts), ("", "")])
            after.append(None)
        for figure in measure.figures:
            name = f"  {_NAMES.get(figure.name, figure.name)}" if inside else canvas.log_text(measure.name)
            rows.append([
                (name, "" if inside else "bold"), (_value(figure.unit, figure.a), ""), (_value(figure.unit, figure.b), ""),
                (_difference(figure), ""),
            ])  # fmt: skip
            after.append(None)
        after[-1] = told(measure)
    widths = fit(columns, rows, canvas.width)
    lines = [line for name, side in (("A", a), ("B", b)) for line in canvas.wrapped(canvas.log_text(side), f"{name}: ")]
    lines += [Text(), lay_out(canvas, columns, widths, headings(columns, "bold"))]
    for row, sentence in zip(rows, after, strict=True):
        lines.append(lay_out(canvas, columns, widths, row))
        if sentence:
            lines += canvas.wrapped(sentence, "  ", "dim")
    return [*lines, Text(), *canvas.wrapped(caution(comparison))]


def _value(unit: str, value: Rate | float | None) -> str:
    if value is None:
        return "n/a"
    if isinstance(value, Rate):
        if value.value is None:
            return "n/a"
        if unit == "spent":
            return f"{percent(value.value)} of {credits(value.whole)}"
        return f"{count(value.part)} of {count(value.whole)} ({percent(value.value)})"
    return credits(round(value)) if unit == "nano_aiu" else milliseconds(value)


def _difference(figure: Figure) -> str:
    difference = figure.difference
    if difference is None:
        return "n/a"
    if figure.unit in ("share", "spent"):
        points = round(difference * 100, 1)
        return f"{points:+.1f} points" if points else "0.0 points"
    sign = "-" if difference < 0 else "+"
    size = abs(difference)
    return sign + (credits(round(size)) if figure.unit == "nano_aiu" else milliseconds(size))
