"""Commands that show what is in the store."""

from __future__ import annotations

import argparse

from fusionscope import options
from fusionscope.commands.places import FailedError, console, roots_of, store_of, why_empty, write_as_is
from fusionscope.model import Turn
from fusionscope.store import read
from fusionscope.store.drift import drift

__all__ = ["last", "print_one", "show", "skipped", "summary", "turns"]


def last(parsed: argparse.Namespace) -> int:
    with store_of(parsed) as connection:
        turn = read.newest_turn(connection)
        if turn is None:
            print(why_empty(connection, roots_of(parsed)))
            return 0
        print_one(turn, parsed.tools)
    return 0


def turns(parsed: argparse.Namespace) -> int:
    if parsed.ordinary:
        from fusionscope.commands.ordinary import ordinary_turns

        return ordinary_turns(parsed)
    with store_of(parsed) as connection:
        turns = read.turns(connection, options.selected(parsed))
        if parsed.json or parsed.csv:
            from fusionscope.report import files

            write_as_is(files.turns_json(turns) if parsed.json else files.turns_csv(turns))
        elif turns:
            from fusionscope.report.terminal import print_turns

            print_turns(console(), turns)
        elif read.newest_turn(connection) is None:
            print(why_empty(connection, roots_of(parsed)))
        else:
            print("No turn fits.")
    return 0


def show(parsed: argparse.Namespace) -> int:
    with store_of(parsed) as connection:
        try:
            turn = read.find_turn(connection, parsed.id)
        except read.AmbiguousIdError as error:
            raise FailedError(f"More than one turn begins with {parsed.id}: {', '.join(error.fits)}.") from error
        if turn is None:
            raise FailedError(f"No turn's id begins with {parsed.id!r}; `fusionscope turns` lists them.")
        if parsed.json:
            import json

            from fusionscope.report import files

            print(json.dumps(files.turn_details(turn), indent=2))
        else:
            print_one(turn, parsed.tools)
    return 0


def summary(parsed: argparse.Namespace) -> int:
    from fusionscope.commands.ordinary import WithoutFusion

    with store_of(parsed) as connection:
        turns, skipped = read.turns(connection, options.selected(parsed)), read.skipped_count(connection)
        unknown = drift(connection)
        without = WithoutFusion.of(connection, options.selected(parsed), turns)
        if parsed.json:
            from fusionscope.report import files

            write_as_is(files.summary_json(turns, skipped, unknown, without.as_object(turns)))
            return 0
        if not turns and read.newest_turn(connection) is None:
            print(why_empty(connection, roots_of(parsed)))
        else:
            from fusionscope.report.terminal import print_summary

            print_summary(console(), turns, skipped, unknown)
        without.print(turns)
    return 0


def skipped(parsed: argparse.Namespace) -> int:
    from fusionscope.report.text import shown

    with store_of(parsed) as connection:
        records = read.skipped_records(connection)
    for record in records:
        path = shown(record.path.decode(errors="backslashreplace"), limit=4_096)
        print(f"{path}: byte {record.position}, {record.length} bytes: {shown(record.reason)}")
    if not records:
        print("Every record could be used.")
    return 0


def print_one(turn: Turn, tools: str = "none") -> None:
    """Print a turn; ``tools`` says which of its tool calls: none, some (many are folded) or all."""
    from fusionscope.report.terminal import Tools, print_turn

    print_turn(console(), turn, tools=Tools(tools))
