"""``compare A B``: two ranges, CLI versions, policies and so on side by side."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from fusionscope import options
from fusionscope.commands.places import console, roots_of, store_of, why_empty, write_as_is
from fusionscope.commands.sides import side_of
from fusionscope.store import read

__all__ = ["compare"]


def compare(parsed: argparse.Namespace) -> int:
    from fusionscope.report.compare import compare
    from fusionscope.store.lean import lean_turns

    now = datetime.now(UTC)
    a, b = (side_of(text, now, parsed.zone) for text in (parsed.a, parsed.b))
    with store_of(parsed) as connection:
        turns = lean_turns(connection, options.selected(parsed))
        if not (turns or parsed.json) and read.newest_turn(connection) is None:
            print(why_empty(connection, roots_of(parsed)))
            return 0
    comparison = compare([turn for turn in turns if a.holds(turn)], [turn for turn in turns if b.holds(turn)])
    if parsed.json:
        from fusionscope.report.files_compare import comparison_json

        write_as_is(comparison_json(comparison, parsed.a, parsed.b))
    else:
        from fusionscope.report.terminal_canvas import canvas_for, draw
        from fusionscope.report.terminal_compare import comparison_lines

        screen = console()
        draw(screen, comparison_lines(canvas_for(screen), comparison, parsed.a, parsed.b))
    return 0
