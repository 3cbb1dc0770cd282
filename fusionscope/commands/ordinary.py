"""What was done without Fusion: the table of such turns, and their part of the summary."""

from __future__ import annotations

import argparse
import sqlite3
from typing import Any, NamedTuple

from fusionscope import options
from fusionscope.commands.places import FailedError, console, roots_of, store_of, why_empty
from fusionscope.model import OrdinaryTurn
from fusionscope.report.ordinary import Median
from fusionscope.store import ledger, ordinary, read
from fusionscope.store.ledger import Ledger
from fusionscope.store.read import Selection

__all__ = ["WithoutFusion", "ordinary_turns"]


class WithoutFusion(NamedTuple):
    """The selected turns without Fusion, and the sessions that hold no Fusion turn."""

    turns: list[OrdinaryTurn]
    ledgers: list[Ledger]

    @classmethod
    def of(cls, connection: sqlite3.Connection, selection: Selection) -> WithoutFusion:
        """What a selection gives; one by model, pattern or number selects turns, so it leaves no total of a whole session."""
        if selection.pattern is not None or selection.model is not None or selection.limit is not None:
            return cls(ordinary.ordinary_turns(connection, selection), [])
        found = ledger.ledgers_beside_fusion(connection)
        turns = ordinary.select((turn for each in found for turn in each.ordinary), selection)
        fused = ledger.fused_sessions(connection)
        return cls(turns, ledger.select((each for each in found if each.session_id not in fused), selection))

    def as_object(self, fusion: Median) -> dict[str, Any]:
        """The key ``ordinary`` of ``summary --json``, with ``fusion`` beside it."""
        from fusionscope.report.ordinary_files import ordinary_object

        return ordinary_object(self.turns, fusion, self.ledgers)

    def print(self, fusion: Median) -> None:
        """Print the section after the summary."""
        from fusionscope.report.terminal import print_ordinary_section

        print_ordinary_section(console(), self.turns, fusion, self.ledgers)


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
