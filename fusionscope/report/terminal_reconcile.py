"""The levels of sessions' money for the terminal: a line a session, or one session with every difference explained."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from fusionscope.report import levels
from fusionscope.report.ledger_words import COUNTED, amount, difference_name, level_rows, says_something, signed
from fusionscope.report.reconcile import Difference, differences
from fusionscope.report.terminal_canvas import Canvas, Cell, Column, fit, headings, lay_out
from fusionscope.report.text import local_day, local_time, money, plural, short_ids
from fusionscope.store.ledger import Ledger

__all__ = ["ledger_lines", "ledgers_lines"]

_COLUMNS = (
    Column("began", gap=1),
    Column("session", least=8, gap=1),
    Column("legs", right=True, gap=1),
    Column("roll-ups", right=True, gap=1),
    Column("records", right=True, gap=1),
    Column("shutdown", right=True, gap=1),
    Column("difference", right=True),
    Column("because", least=9),
)

_SHORT_SESSION = 8


def ledgers_lines(canvas: Canvas, ledgers: Sequence[Ledger]) -> list[Text]:
    """Return a line a session, newest last, with the levels side by side; sessions that say nothing of money are counted."""
    told = [each for each in ledgers if says_something(each)]
    if not told:
        return [Text("no session says anything of money")]
    short = short_ids((each.session_id for each in told), _SHORT_SESSION)
    rows = [_row(canvas, each, short[each.session_id]) for each in told]
    widths = fit(_COLUMNS, rows, canvas.width)
    lines = [lay_out(canvas, _COLUMNS, widths, headings(_COLUMNS))]
    lines += [lay_out(canvas, _COLUMNS, widths, row) for row in rows]
    amounts = [levels.counted(each).nano_aiu for each in told]
    known = [amount for amount in amounts if amount is not None]
    facts = [plural(len(told), "session"), f"counted {money(sum(known) if known else None)}"]
    if rest := len(ledgers) - len(told):
        facts.append(f"{plural(rest, 'more session')} without a word of money")
    lines += [Text(), *canvas.facts(facts, style="bold"), Text()]
    lines += canvas.wrapped(COUNTED, style="dim")
    lines += canvas.wrapped(
        "Difference: shutdown totals less turns and ordinary calls. `fusionscope reconcile SESSION` explains one session.",
        style="dim",
    )
    if any(because.startswith("! ") for *_, (because, _) in rows):
        lines += canvas.wrapped("! is what nothing in the log explains.", style="dim")
    return lines


def ledger_lines(canvas: Canvas, ledger: Ledger) -> list[Text]:
    """Return one session: its levels, what lies outside its turns, and every difference with what explains it."""
    origin = ledger.origin
    facts = [
        f"session {canvas.log_text(ledger.session_id, 40)}",
        local_time(ledger.started_at, canvas.zone) if ledger.started_at is not None else "",
        f"CLI {canvas.log_text(origin.cli_version, 40)}" if origin.cli_version else "",
        canvas.log_text(origin.client, 40) if origin.client else "",
    ]
    lines = [*canvas.facts(facts, style="bold"), Text(), *_levels(canvas, ledger)]
    for difference in differences(ledger):
        lines += [Text(), *_difference(canvas, difference)]
    lines += [Text(), *canvas.wrapped(COUNTED, style="dim")]
    return [*lines, *canvas.wrapped("All credits are the CLI's own figures.", style="dim")]


def _row(canvas: Canvas, ledger: Ledger, short_id: str) -> list[Cell]:
    found = differences(ledger)
    records = levels.usage_records(ledger)
    return [
        (local_day(ledger.started_at, canvas.zone)[0], ""),
        (canvas.log_text(short_id, 40), ""),
        (amount(levels.legs(ledger)), ""),
        (amount(levels.roll_ups(ledger)), ""),
        (amount(records), ""),
        (amount(levels.shutdown(ledger)), ""),
        ("" if found[-1].nano_aiu is None else signed(found[-1].nano_aiu), ""),
        _because(found),
    ]


def _because(found: Sequence[Difference]) -> Cell:
    """Return what to know of a session's differences: what nobody explains, else why there is none, else the reasons."""
    unexplained = [each.unexplained_nano_aiu for each in found if each.nano_aiu is not None and each.unexplained_nano_aiu]
    if unexplained:
        return f"! {', '.join(map(signed, unexplained))}", "bold"
    reasons = list(dict.fromkeys(reason.name for each in found for reason in each.reasons))
    return ", ".join(reasons) or found[-1].missing or "", ""


def _levels(canvas: Canvas, ledger: Ledger) -> list[Text]:
    columns = (Column("level", least=12), Column("credits", right=True), Column(least=12))
    cells: list[list[Cell]] = []
    for row in level_rows(ledger):
        style = "bold" if row.is_counted else ""
        cells.append([(row.name, style), (row.credits, style), (row.remark, "")])
    widths = fit(columns, cells, canvas.width)
    return [lay_out(canvas, columns, widths, row) for row in [headings(columns), *cells]]


def _difference(canvas: Canvas, difference: Difference) -> list[Text]:
    name = difference_name(difference)
    if difference.nano_aiu is None:
        return canvas.wrapped(name)
    lines = canvas.wrapped(name, style="bold")
    columns = (Column(gap=0), Column(least=12), Column(right=True), Column())
    rows: list[list[Cell]] = [
        [("  ", ""), (reason.name, ""), (signed(reason.nano_aiu), ""), (f"({reason.parts})", "")]
        for reason in difference.reasons
    ]
    if difference.unexplained_nano_aiu:
        rows.append([("! ", "bold"), ("unexplained", "bold"), (signed(difference.unexplained_nano_aiu), "bold"), ("", "")])
    widths = fit(columns, rows, canvas.width)
    return lines + [lay_out(canvas, columns, widths, row) for row in rows]
