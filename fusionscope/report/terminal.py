"""The terminal views: one turn, a table of turns, the summary, printed to a console that the caller made.

The console decides about colour (``NO_COLOR``, pipes), width and encoding; these views never force any of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING

from fusionscope.model import Turn
from fusionscope.report.terminal_canvas import canvas_for, draw
from fusionscope.report.terminal_summary import summary_lines
from fusionscope.report.terminal_turn import turn_lines
from fusionscope.report.terminal_turns import turns_lines
from fusionscope.report.terminal_waterfall import Tools

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Tools", "print_summary", "print_turn", "print_turns"]


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


def print_summary(console: Console, turns: Sequence[Turn], skipped_records: int, *, zone: tzinfo | None = None) -> None:
    """Print the figures over ``turns``; ``skipped_records`` is how many records of the logs could not be read."""
    draw(console, summary_lines(canvas_for(console, zone), turns, skipped_records))
