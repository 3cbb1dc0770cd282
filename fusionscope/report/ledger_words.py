"""The levels of a session's money in words, and the differences between them: for the terminal and the page alike."""

from __future__ import annotations

from typing import NamedTuple

from fusionscope.report import levels
from fusionscope.report.levels import Level
from fusionscope.report.reconcile import Difference
from fusionscope.report.text import NOT_METERED, credits, plural
from fusionscope.store.ledger import Ledger

__all__ = ["COUNTED", "LevelRow", "amount", "difference_name", "level_rows", "outside_rows", "says_something", "signed"]

COUNTED = (
    "Counted is what the Fusion turns cost: their roll-ups, else their legs. All other levels are views of the same money, "
    "compared with it and never added to it."
)


class LevelRow(NamedTuple):
    """One level: its name, its credits (or that they are not metered), and how many things it is about."""

    name: str
    credits: str
    remark: str
    is_counted: bool = False


def says_something(ledger: Ledger) -> bool:
    """Whether a session says anything of money."""
    return bool(ledger.turns or ledger.ordinary or ledger.calls or ledger.compactions or ledger.totals)


def level_rows(ledger: Ledger) -> list[LevelRow]:
    """Return the levels side by side, that which is counted first."""
    totals = ledger.totals
    segments = (
        "" if totals is None or len(totals.segments) < 2 else f", {len(totals.segments)} added: each a segment of its own"
    )
    rows = [
        _row("turns, counted", levels.counted(ledger), "turn")._replace(is_counted=True),
        _row("legs", levels.legs(ledger), "leg"),
        _row("roll-ups", levels.roll_ups(ledger), "roll-up"),
        _row("usage records in turns", levels.calls_in_fusion(ledger), "call"),
        _row("usage records outside", levels.calls_outside(ledger), "call", ", those of the ordinary turns"),
        _row("shutdown totals", levels.shutdown(ledger)._replace(unknown=0), "shutdown", segments),
        _row("outside: ordinary turns", levels.ordinary(ledger), "turn"),
        _row("outside: compaction", levels.compaction(ledger), "compaction"),
    ]
    if totals is not None and totals.nano_aiu is not None and totals.is_subtotal:
        rows.append(LevelRow("", "", "the CLI says that some calls had no amount"))
    inherited = len(ledger.inherited_turns) + len(ledger.inherited_calls)
    if inherited:
        copied = f"{plural(len(ledger.inherited_turns), 'turn')}, {plural(len(ledger.inherited_calls), 'call')}"
        rows.append(LevelRow("of the session it was forked from", "", f"{copied}: counted there"))
    return rows


def outside_rows(ledger: Ledger) -> list[LevelRow]:
    """Return what lies outside the Fusion turns; none where nothing does. The calls are the same money as their turns."""
    rows = [
        (levels.ordinary(ledger), "ordinary turns", "turn", ""),
        (levels.calls_outside(ledger), "their usage records", "call", ", the same money"),
        (levels.compaction(ledger), "compaction", "compaction", ""),
    ]
    return [_row(name, level, thing, remark) for level, name, thing, remark in rows if level.parts]


def amount(level: Level) -> str:
    """Return what a level says in a column of many: nothing of no part, and of parts without an amount that it is unknown."""
    if level.nano_aiu is not None:
        return credits(level.nano_aiu)
    return "unknown" if level.parts else ""


def signed(nano_aiu: int) -> str:
    """Return credits with their sign, also where it is a plus."""
    return f"+{credits(nano_aiu)}" if nano_aiu > 0 else credits(nano_aiu)


def difference_name(difference: Difference) -> str:
    """Return what is compared, and by how much it differs or why there is nothing to compare."""
    name = f"{difference.more} less {difference.less}"
    if difference.nano_aiu is None:
        return f"{name}: nothing to compare ({difference.missing})"
    return f"{name}: {signed(difference.nano_aiu)} credits"


def _row(name: str, level: Level, thing: str, remark: str = "") -> LevelRow:
    unknown = f", {level.unknown} of unknown cost" if level.unknown and level.nano_aiu is not None else ""
    said = NOT_METERED if level.parts and level.nano_aiu is None else amount(level)
    return LevelRow(name, said, f"{plural(level.parts, thing)}{unknown}{remark}")
