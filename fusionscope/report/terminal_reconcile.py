"""The levels of sessions' money for the terminal: a line a session, or one session with every difference explained."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from fusionscope.report import levels
from fusionscope.report.levels import Level
from fusionscope.report.reconcile import Difference, differences
from fusionscope.report.terminal_canvas import Canvas, Cell, Column, fit, headings, lay_out
from fusionscope.report.text import NOT_METERED, credits, local_day, local_time, money, plural, short_ids
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

_COUNTED = (
    "Counted is what the Fusion turns cost: their roll-ups, else their legs. All other levels are views of the same money, "
    "compared with it and never added to it."
)

_SHORT_SESSION = 8


def ledgers_lines(canvas: Canvas, ledgers: Sequence[Ledger]) -> list[Text]:
    """Return a line a session, newest last, with the levels side by side; sessions that say nothing of money are counted."""
    told = [each for each in ledgers if _says_something(each)]
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
    lines += canvas.wrapped(_COUNTED, style="dim")
    lines += canvas.wrapped(
        "Difference: shutdown totals less turns and ordinary calls. `fusionscope reconcile SESSION` explains one session.",
        style="dim",
    )
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
    lines += [Text(), *canvas.wrapped(_COUNTED, style="dim")]
    return [*lines, *canvas.wrapped("All credits are the CLI's own figures.", style="dim")]


def _says_something(ledger: Ledger) -> bool:
    return bool(ledger.turns or ledger.ordinary or ledger.calls or ledger.compactions or ledger.totals)


def _row(canvas: Canvas, ledger: Ledger, short_id: str) -> list[Cell]:
    found = differences(ledger)
    records = levels.usage_records(ledger)
    return [
        (local_day(ledger.started_at, canvas.zone)[0], ""),
        (canvas.log_text(short_id, 40), ""),
        (_amount(levels.legs(ledger)), ""),
        (_amount(levels.roll_ups(ledger)), ""),
        (_amount(records), ""),
        (_amount(levels.shutdown(ledger)), ""),
        ("" if found[-1].nano_aiu is None else _signed(found[-1].nano_aiu), ""),
        _because(found),
    ]


def _amount(level: Level) -> str:
    if level.nano_aiu is not None:
        return credits(level.nano_aiu)
    return "unknown" if level.parts else ""


def _signed(nano_aiu: int) -> str:
    return f"+{credits(nano_aiu)}" if nano_aiu > 0 else credits(nano_aiu)


def _because(found: Sequence[Difference]) -> Cell:
    """Return what to know of a session's differences: what nobody explains, else why there is none, else the reasons."""
    unexplained = [each.unexplained_nano_aiu for each in found if each.nano_aiu is not None and each.unexplained_nano_aiu]
    if unexplained:
        return f"unexplained {', '.join(map(_signed, unexplained))}", "bold"
    reasons = list(dict.fromkeys(reason.name for each in found for reason in each.reasons))
    return ", ".join(reasons) or found[-1].missing or "", ""


def _levels(canvas: Canvas, ledger: Ledger) -> list[Text]:
    totals = ledger.totals
    shutdown = levels.shutdown(ledger)
    segments = (
        "" if totals is None or len(totals.segments) < 2 else f", {len(totals.segments)} added: each a segment of its own"
    )
    rows = [
        ("turns, counted", levels.counted(ledger), "turn", ""),
        ("legs", levels.legs(ledger), "leg", ""),
        ("roll-ups", levels.roll_ups(ledger), "roll-up", ""),
        ("usage records in turns", levels.calls_in_fusion(ledger), "call", ""),
        ("usage records outside", levels.calls_outside(ledger), "call", ", those of the ordinary turns"),
        ("shutdown totals", shutdown._replace(unknown=0), "shutdown", segments),
        ("outside: ordinary turns", levels.ordinary(ledger), "turn", ""),
        ("outside: compaction", levels.compaction(ledger), "compaction", ""),
    ]
    columns = (Column("level", least=12), Column("credits", right=True), Column(least=12))
    cells: list[list[Cell]] = []
    for name, level, thing, remark in rows:
        unknown = f", {level.unknown} of unknown cost" if level.unknown and level.nano_aiu is not None else ""
        amount = NOT_METERED if level.parts and level.nano_aiu is None else _amount(level)
        style = "bold" if name.endswith("counted") else ""
        cells.append([(name, style), (amount, style), (f"{plural(level.parts, thing)}{unknown}{remark}", "")])
    if totals is not None and totals.nano_aiu is not None and totals.is_subtotal:
        cells.append([("", ""), ("", ""), ("the CLI says that some calls had no amount", "")])
    inherited = len(ledger.inherited_turns) + len(ledger.inherited_calls)
    if inherited:
        copied = f"{plural(len(ledger.inherited_turns), 'turn')}, {plural(len(ledger.inherited_calls), 'call')}"
        cells.append([("of the session it was forked from", ""), ("", ""), (f"{copied}: counted there", "")])
    widths = fit(columns, cells, canvas.width)
    return [lay_out(canvas, columns, widths, row) for row in [headings(columns), *cells]]


def _difference(canvas: Canvas, difference: Difference) -> list[Text]:
    name = f"{difference.more} less {difference.less}"
    if difference.nano_aiu is None:
        return canvas.wrapped(f"{name}: nothing to compare ({difference.missing})")
    lines = canvas.wrapped(f"{name}: {_signed(difference.nano_aiu)} credits", style="bold")
    columns = (Column(gap=0), Column(least=12), Column(right=True), Column())
    rows: list[list[Cell]] = [
        [("  ", ""), (reason.name, ""), (_signed(reason.nano_aiu), ""), (f"({reason.parts})", "")]
        for reason in difference.reasons
    ]
    if difference.unexplained_nano_aiu:
        rows.append([("! ", "bold"), ("unexplained", "bold"), (_signed(difference.unexplained_nano_aiu), "bold"), ("", "")])
    widths = fit(columns, rows, canvas.width)
    return lines + [lay_out(canvas, columns, widths, row) for row in rows]
