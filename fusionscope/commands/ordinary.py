"""What was done without Fusion: the table of such turns, and their part of the summary."""

from __future__ import annotations

import argparse
import sqlite3
from typing import Any, NamedTuple

from fusionscope import options
from fusionscope.commands.places import FailedError, console, roots_of, store_of, why_empty
from fusionscope.model import OrdinaryTurn, Turn
from fusionscope.store import ledger, ordinary, read
from fusionscope.store.ledger import Ledger
from fusionscope.store.read import Selection

__all__ = ["WithoutFusion", "ordinary_turns"]


class WithoutFusion(NamedTuple):
    """The selected turns without Fusion, and the sessions they may be in."""

    turns: list[OrdinaryTurn]
    ledgers: list[Ledger]

    @classmethod
    def of(cls, connection: sqlite3.Connection, selection: Selection, fusion_turns: list[Turn]) -> WithoutFusion:
        """What a selection gives; one by model, pattern or number selects turns, so it leaves no total of a whole session."""
        found = ledger.ledgers(connection, fusion_turns if selection == Selection() else None)
        turns = ordinary.select((turn for each in found for turn in each.ordinary), selection)
        whole = selection.pattern is None and selection.model is None and selection.limit is None
        return cls(turns, ledger.select(found, selection) if whole else [])

    def as_object(self, fusion_turns: list[Turn]) -> dict[str, Any]:
        """The key ``ordinary`` of ``summary --json``."""
        from fusionscope.report.ordinary_files import ordinary_object

        return ordinary_object(self.turns, fusion_turns, self.ledgers)

    def print(self, fusion_turns: list[Turn]) -> None:
        """Print the section after the summary."""
        from fusionscope.report.terminal import print_ordinary_section

        print_ordinary_section(console(), self.turns, fusion_turns, self.ledgers)


def ordinary_turns(parsed: argparse.Namespace) -> int:
    """The table of ``turns --ordinary``."""
    from fusionscope.commands.output import write_out

    if parsed.parquet:
        raise FailedError("Turns without Fusion are written as --json or --csv.")
    with store_of(parsed) as connection:
        turns = ordinary.ordinary_turns(connection, options.selected(parsed))
        if parsed.json or parsed.csv:
            from fusionscope.report import ordinary_files as files

            content = files.ordinary_turns_json(turns) if parsed.json else files.ordinary_turns_csv(turns)
            write_out(content, parsed.json or parsed.csv, roots_of(parsed))
        elif not turns and not read.sessions(connection):
            print(why_empty(connection, roots_of(parsed)))
        else:
            from fusionscope.report.terminal import print_ordinary_turns

            print_ordinary_turns(console(), turns)
    return 0
