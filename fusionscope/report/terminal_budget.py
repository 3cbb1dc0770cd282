"""A month's spend against a limit, for the terminal: some lines, or one."""

from __future__ import annotations

from datetime import tzinfo

from rich.text import Text

from fusionscope.report.budget import Budget
from fusionscope.report.terminal_canvas import Canvas, Cell, Column, fit, lay_out
from fusionscope.report.text import credits, local_day, money, percent, plural

__all__ = ["budget_lines", "over", "short_line"]


def budget_lines(canvas: Canvas, budget: Budget) -> list[Text]:
    """Return what is spent, how fast, until when it lasts, and where it went."""
    month = budget.month.first
    lines = canvas.facts(
        [f"{month:%Y-%m}", f"{credits(budget.spent)} of {credits(budget.limit)} credits", percent(budget.spent / budget.limit)],
        "bold",
    )
    rows = [
        ("spent", money(budget.spent), ""),
        ("run rate", f"{credits(budget.per_day)} credits a day", f"{credits(budget.at_end)} at the end of the month"),
        ("limit", money(budget.limit), _lasts(budget, canvas.zone)),
        ("Fusion", money(budget.fusion), _share(budget, budget.fusion)),
        ("other turns", money(budget.ordinary), _share(budget, budget.ordinary)),
    ]
    if budget.model is not None:
        rows.append(
            (
                "top model",
                money(budget.model_nano_aiu),
                f"{_share(budget, budget.model_nano_aiu)}  {canvas.log_text(budget.model)}",
            )
        )
    columns = (Column(), Column(), Column(least=0))
    cells: list[list[Cell]] = [[(text, "") for text in row] for row in rows]
    widths = fit(columns, cells, canvas.width)
    lines += [Text(), *(lay_out(canvas, columns, widths, row) for row in cells)]
    lines += [Text(), *canvas.wrapped("From the session logs of this machine; what others spent is not in it.", style="dim")]
    notes = _unknown(budget)
    return [*lines, *([Text()] if notes else []), *(line for note in notes for line in canvas.wrapped(note, "! ", "bold"))]


def short_line(budget: Budget, zone: tzinfo | None) -> str:
    """Return one line, safe to print: ``314.60 of 7,000.00 credits (4.5 %), lasts the month at this rate``."""
    return f"{credits(budget.spent)} of {credits(budget.limit)} credits ({percent(budget.spent / budget.limit)}), " + _lasts(
        budget, zone
    )


def over(budget: Budget) -> str:
    """Return the sentence that says by how much the limit is passed."""
    return (
        f"Over the limit: {credits(budget.spent)} of {credits(budget.limit)} credits are spent in {budget.month.first:%Y-%m},"
        f" {credits(budget.spent - budget.limit)} too many."
    )


def _lasts(budget: Budget, zone: tzinfo | None) -> str:
    if budget.is_over:
        return "over the limit"
    if budget.runs_out_at is None:
        return "lasts the month at this rate"
    return f"runs out on {local_day(budget.runs_out_at, zone)[0]} at this rate"


def _share(budget: Budget, part: int) -> str:
    share = budget.share(part)
    return "" if share is None else percent(share, 1)


def _unknown(budget: Budget) -> list[str]:
    said = []
    if budget.unmetered_fusion:
        said.append(f"{plural(budget.unmetered_fusion, 'Fusion turn')} of unknown cost: in no sum")
    if budget.unmetered_ordinary:
        said.append(f"{plural(budget.unmetered_ordinary, 'other turn')} with calls of unknown cost: these are in no sum")
    return said
