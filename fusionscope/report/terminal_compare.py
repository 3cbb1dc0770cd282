"""Two sets of turns side by side, for the terminal: figures in columns, below each measure what it tells."""

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
    columns = [Column("", least=12), *(Column(f"{name}: {canvas.log_text(side, 60)}", right=True, least=1) for name, side in
                                       (("A", a), ("B", b))), Column("B less A", right=True)]  # fmt: skip
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
    columns = [column._replace(heading=canvas.cut(column.heading, 28)) for column in columns]
    widths = fit(columns, rows, canvas.width)
    lines = [lay_out(canvas, columns, widths, headings(columns, "bold"))]
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
            return f"{credits(value.part)} of {credits(value.whole)} ({percent(value.value)})"
        return f"{count(value.part)} of {count(value.whole)} ({percent(value.value)})"
    return credits(round(value)) if unit == "nano_aiu" else milliseconds(value)


def _difference(figure: Figure) -> str:
    difference = figure.difference
    if difference is None:
        return "n/a"
    if figure.unit in ("share", "spent"):
        return f"{difference * 100:+.1f} points"
    sign = "-" if difference < 0 else "+"
    size = abs(difference)
    return sign + (credits(round(size)) if figure.unit == "nano_aiu" else milliseconds(size))
