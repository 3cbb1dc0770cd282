"""What turns would have cost on one model, for the terminal: fitted prices, sums by model, and the worth of review."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from fusionscope.report.prices import Refusal
from fusionscope.report.terminal_canvas import Canvas, Cell, Column, fit, fits, headings, lay_out
from fusionscope.report.text import count, credits, local_time, percent, short_ids
from fusionscope.report.what_if import TurnCost, WhatIf
from fusionscope.report.worth import PairWorth

__all__ = ["what_if_lines"]

_MODEL = Column("model", least=12, middle=True)
_READING = (
    "Every leg: the turns' own legs at the prices of that model. Answer leg: only the one that gave the answer, as one model"
    " alone has no rejected drafts, judges and critics. Tokens are those that were used: how many that model would have used,"
    " and what its cache would have held, nobody knows."
)


def what_if_lines(
    canvas: Canvas,
    turns: int,
    sums: Sequence[WhatIf],
    refusals: Sequence[Refusal],
    costs: Sequence[TurnCost],
    worth: Sequence[PairWorth],
) -> list[Text]:
    """Return the tables; ``turns`` were selected, and ``costs`` are those of single turns, where one model was asked for."""
    if not turns:
        return [Text("no Fusion turns")]
    lines: list[Text] = []
    if sums:
        lines += [*canvas.wrapped("Prices fitted to the legs in the database, in credits for a million tokens:"), Text()]
        lines += [*_prices(canvas, sums), Text(), *_sums(canvas, turns, sums), Text()]
    if costs:
        lines += [*_costs(canvas, costs), Text()]
    if sums:
        lines += [*canvas.wrapped(_READING, style="dim"), Text()]
    for refusal in refusals:
        lines += canvas.wrapped(f"{canvas.log_text(refusal.model)}: {refusal.sentence}", "! ")
    if refusals:
        lines.append(Text())
    return [*lines, *_worth(canvas, worth)]


def _prices(canvas: Canvas, sums: Sequence[WhatIf]) -> list[Text]:
    columns = [
        _MODEL,
        *(Column(name, right=True) for name in ("legs", "fresh", "cached", "cache-written", "output", "residual")),
    ]
    rows: list[list[Cell]] = []
    for each in sums:
        texts = [count(each.prices.legs), *map(_price, each.prices.each), percent(each.prices.residual, 1)]
        rows.append([(canvas.log_text(each.prices.model), ""), *((text, "") for text in texts)])
    return _laid_out(canvas, columns, rows)


def _price(nano_aiu: float | None) -> str:
    """Return a price a token as credits for a million of them, of which a thousand nano-AIU make one."""
    return "unknown" if nano_aiu is None else f"{nano_aiu / 1000:,.1f}"


def _sums(canvas: Canvas, turns: int, sums: Sequence[WhatIf]) -> list[Text]:
    columns = [
        Column("all on", least=12, middle=True),
        *(Column(name, right=True) for name in ("turns", "spent", "every leg", "", "answer leg", "")),
    ]
    rows: list[list[Cell]] = []
    for each in sums:
        texts = [f"{count(each.turns)} of {count(turns)}", credits(each.nano_aiu), *_beside(each.nano_aiu, each.every_leg)]
        texts += _beside(each.nano_aiu, each.answer_leg)
        rows.append([(canvas.log_text(each.prices.model), ""), *((text, "") for text in texts)])
    return _laid_out(canvas, columns, rows)


def _costs(canvas: Canvas, costs: Sequence[TurnCost]) -> list[Text]:
    columns = [
        Column("began"), Column("turn", least=15), Column("pattern", least=8),
        *(Column(name, right=True) for name in ("spent", "every leg", "answer leg")),
    ]  # fmt: skip
    short = short_ids(cost.turn.fusion_id for cost in costs)
    rows: list[list[Cell]] = []
    for cost in costs:
        began = local_time(cost.turn.started_at, canvas.zone)[:16]
        names = [began, canvas.log_text(short[cost.turn.fusion_id], 43), canvas.log_text(cost.turn.pattern or "unknown", 20)]
        amounts = map(credits, (cost.nano_aiu, cost.every_leg, cost.answer_leg))
        rows.append([(text, "") for text in (*names, *amounts)])
    return _laid_out(canvas, columns, rows)


def _beside(spent: int, other: int) -> tuple[str, str]:
    return credits(other), f"{(other - spent) / spent * 100:+.0f} %" if spent else ""


def _worth(canvas: Canvas, worth: Sequence[PairWorth]) -> list[Text]:
    if not worth:
        return [Text("Worth of review: no judge gave a verdict.")]
    columns = [
        Column("drafter > judge", least=16, middle=True),
        *(Column(name, right=True) for name in ("accepted", "rejected", "checks", "cost", "saved", "on rejected")),
    ]
    rows: list[list[Cell]] = []
    for each in worth:
        drafter = canvas.log_text(each.drafter) if each.drafter is not None else "unknown"
        texts = [
            *map(count, (each.accepted, each.rejected, each.accepted + each.rejected + each.other)),
            credits(each.checks_nano_aiu), "n/a" if each.saved_nano_aiu is None else credits(each.saved_nano_aiu),
            credits(each.rejected_nano_aiu),
        ]  # fmt: skip
        rows.append([(f"{drafter} > {canvas.log_text(each.judge)}", ""), *((text, "") for text in texts)])
    reading = (
        "Cost: of the checks. Saved: what turns with an accepted draft cost less than as many median single turns. On rejected:"
        " credits of rejected drafts and of the checks that said so."
    )
    return [*canvas.wrapped("Worth of review, in credits:"), Text(), *_laid_out(canvas, columns, rows), Text(),
            *canvas.wrapped(reading, style="dim")]  # fmt: skip


def _laid_out(canvas: Canvas, columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> list[Text]:
    if not fits(columns, rows, canvas.width):
        columns = [column._replace(gap=1) for column in columns]
    widths = fit(columns, rows, canvas.width)
    return [lay_out(canvas, columns, widths, row) for row in (headings(columns, "bold"), *rows)]
