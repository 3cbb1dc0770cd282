"""Commands that show what is in the store."""

from __future__ import annotations

import argparse

from fusionscope import options
from fusionscope.commands.places import FailedError, console, roots_of, store_of, turn_called, why_empty, write_as_is
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
        if parsed.json or parsed.csv or parsed.parquet:
            _write_turns(turns, parsed)
        elif turns:
            from fusionscope.report.terminal import print_turns

            print_turns(console(), turns, zone=parsed.zone)
        elif read.newest_turn(connection) is None:
            print(why_empty(connection, roots_of(parsed)))
        else:
            print("No turn fits.")
    return 0


def _write_turns(turns: list[Turn], parsed: argparse.Namespace) -> None:
    """Write turns as JSON, CSV or Parquet, to the file that was named with the form."""
    from fusionscope.commands.output import destination, write_out
    from fusionscope.report import files

    if not parsed.parquet:
        content = files.turns_json(turns) if parsed.json else files.turns_csv(turns)
        write_out(content, parsed.json or parsed.csv, roots_of(parsed))
        return
    path = destination(parsed.parquet, roots_of(parsed))
    try:
        from fusionscope.report.parquet import write_turns
    except ImportError as error:
        raise FailedError(
            "Parquet needs pyarrow, which is not installed: install fusionscope[parquet], or take --json."
        ) from error
    try:
        write_turns(turns, path)
    except OSError as error:
        raise FailedError(f"Cannot write {path}: {(error.strerror or str(error)).lower()}.") from error


def show(parsed: argparse.Namespace) -> int:
    with store_of(parsed) as connection:
        turn = turn_called(connection, parsed.id)
        if parsed.json:
            import json

            from fusionscope.report import files

            print(json.dumps(files.turn_details(turn), indent=2))
        else:
            print_one(turn, parsed.tools)
    return 0


def summary(parsed: argparse.Namespace) -> int:
    from fusionscope.commands.ordinary import WithoutFusion
    from fusionscope.report.summary import of_selection

    if parsed.by:
        from fusionscope.commands.group import print_groups

        return print_groups(parsed)
    if parsed.csv:
        raise FailedError("A table in CSV needs --by, for example --by day,model.")
    with store_of(parsed) as connection:
        selection = options.selected(parsed)
        found, skipped, unknown = of_selection(connection, selection), read.skipped_count(connection), drift(connection)
        without = WithoutFusion.of(connection, selection)
        if parsed.json:
            from fusionscope.report import files

            write_as_is(files.summary_json(found, skipped, unknown, without.as_object(found.fusion_median)))
            return 0
        if not found.turns and read.newest_turn(connection) is None:
            print(why_empty(connection, roots_of(parsed)))
        else:
            from fusionscope.report.terminal import print_summary

            print_summary(console(), found, skipped, unknown, zone=parsed.zone)
        without.print(found.fusion_median)
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
