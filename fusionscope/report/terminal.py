"""The terminal views: one turn, a table of turns, the summary, the levels of money, printed to a console that the caller made.

The console decides about colour (``NO_COLOR``, pipes), width and encoding; these views never force any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING

from rich.text import Text

from fusionscope.model import OrdinaryTurn, Turn
from fusionscope.report.ordinary import Median
from fusionscope.report.summary import Summary
from fusionscope.report.terminal_canvas import canvas_for, draw
from fusionscope.report.terminal_ordinary import ordinary_lines, section_lines
from fusionscope.report.terminal_reconcile import ledger_lines, ledgers_lines
from fusionscope.report.terminal_summary import summary_lines
from fusionscope.report.terminal_turn import turn_lines
from fusionscope.report.terminal_turns import turns_lines
from fusionscope.report.terminal_waterfall import Tools
from fusionscope.store.drift import NO_DRIFT, Drift
from fusionscope.store.ledger import Ledger

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "Tools",
    "print_ledger",
    "print_ledgers",
    "print_ordinary_section",
    "print_ordinary_turns",
    "print_summary",
    "print_turn",
    "print_turns",
]


def print_turn(
    console: Console, turn: Turn, *, short_id: str | None = None, zone: tzinfo | None = None, tools: Tools = Tools.NONE
) -> None:
    """Print one turn leg by leg, with the tool calls that ``tools`` asks for.

    ``short_id`` is the beginning of its id that tells it from all others, its first 15 characters by default; ``zone`` is
    the zone of its times, the machine's own by default.
    """
    draw(console, turn_lines(canvas_for(console, zone), turn, short_id, tools))


def print_turns(console: Console, turns: Sequence[Turn], *, zone: tzinfo | None = None) -> None:
    """Print a table of turns, newest last, below the local days they began on."""
    draw(console, turns_lines(canvas_for(console, zone), turns))


def print_summary(
    console: Console, found: Summary, skipped_records: int, drift: Drift = NO_DRIFT, *, zone: tzinfo | None = None
) -> None:
    """Print the figures.

    ``skipped_records`` is how many records of the logs could not be read, ``drift`` what they say that is not known.
    """
    draw(console, summary_lines(canvas_for(console, zone), found, skipped_records, drift))


def print_ordinary_turns(console: Console, turns: Sequence[OrdinaryTurn], *, zone: tzinfo | None = None) -> None:
    """Print a table of turns without Fusion, newest last."""
    draw(console, ordinary_lines(canvas_for(console, zone), turns))


def print_ordinary_section(
    console: Console,
    turns: Sequence[OrdinaryTurn],
    fusion: Median,
    ledgers: Iterable[Ledger],
    *,
    zone: tzinfo | None = None,
) -> None:
    """Print, after the summary, what was done without Fusion and beside it ``fusion``; nothing where there is nothing."""
    if lines := section_lines(canvas_for(console, zone), turns, fusion, ledgers):
        draw(console, [Text(), *lines])


def print_ledgers(console: Console, ledgers: Sequence[Ledger], *, zone: tzinfo | None = None) -> None:
    """Print the levels of sessions' money, a line a session, newest last."""
    draw(console, ledgers_lines(canvas_for(console, zone), ledgers))


def print_ledger(console: Console, ledger: Ledger, *, zone: tzinfo | None = None) -> None:
    """Print the levels of one session's money, with what explains their differences."""
    draw(console, ledger_lines(canvas_for(console, zone), ledger))
