"""What a session spent outside its Fusion turns."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from fusionscope.report import levels
from fusionscope.store.ledger import Ledger, ledger

__all__ = ["Outside", "outside", "outside_of"]


class Outside(NamedTuple):
    """Turns without Fusion, and compactions; amounts in nano-AIU, ``None`` where the log says none.

    ``calls`` are the usage records of the ordinary turns: the same money. ``unknown_*`` of the parts have no amount, or not all
    of it.
    """

    ordinary_turns: int
    unknown_ordinary_turns: int
    ordinary_nano_aiu: int | None
    calls: int
    compactions: int
    unknown_compactions: int
    compaction_nano_aiu: int | None

    @property
    def nano_aiu(self) -> int | None:
        """All of it as far as it is known."""
        if self.ordinary_nano_aiu is None and self.compaction_nano_aiu is None:
            return None
        return (self.ordinary_nano_aiu or 0) + (self.compaction_nano_aiu or 0)


def outside(connection: sqlite3.Connection, session_id: str) -> Outside | None:
    """What a session spent outside its Fusion turns; ``None``: nobody knows this session."""
    found = ledger(connection, session_id)
    return None if found is None else outside_of(found)


def outside_of(ledger: Ledger) -> Outside:
    """What the session of a ledger spent outside its Fusion turns."""
    turns, compactions = levels.ordinary(ledger), levels.compaction(ledger)
    return Outside(
        ordinary_turns=turns.parts,
        unknown_ordinary_turns=turns.unknown,
        ordinary_nano_aiu=turns.nano_aiu,
        calls=levels.calls_outside(ledger).parts,
        compactions=compactions.parts,
        unknown_compactions=compactions.unknown,
        compaction_nano_aiu=compactions.nano_aiu,
    )
