"""``summary --by``: the figures by one key or two."""

from __future__ import annotations

import argparse

from fusionscope import options
from fusionscope.commands.places import console, roots_of, store_of, why_empty, write_as_is
from fusionscope.store import read

__all__ = ["keys", "print_groups"]


def keys(text: str) -> tuple[str, ...]:
    """The value of ``--by``: one key, or two with a comma between them."""
    from fusionscope.report.groups import KEYS

    named = tuple(part.strip() for part in text.split(","))
    for name in named:
        if name not in KEYS:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(KEYS)}")
    if len(named) > 2 or len(set(named)) < len(named):
        raise argparse.ArgumentTypeError(f"{text!r} names more than two keys, or one twice")
    return named


def print_groups(parsed: argparse.Namespace) -> int:
    from fusionscope.report.groups import group_by
    from fusionscope.store.lean import lean_turns

    zone_name = options.zone_name(parsed.zone)
    with store_of(parsed) as connection:
        turns = lean_turns(connection, options.selected(parsed))
        if not (turns or parsed.json or parsed.csv) and read.newest_turn(connection) is None:
            print(why_empty(connection, roots_of(parsed)))
            return 0
    grouping = group_by(turns, parsed.by, parsed.zone)
    if parsed.json or parsed.csv:
        from fusionscope.report import files_groups

        write_as_is(files_groups.groups_json(grouping, zone_name) if parsed.json else files_groups.groups_csv(grouping))
    else:
        from fusionscope.report.terminal_canvas import canvas_for, draw
        from fusionscope.report.terminal_groups import groups_lines

        screen = console()
        draw(screen, groups_lines(canvas_for(screen, parsed.zone), grouping, zone_name))
    return 0
