"""The levels of a session's money, one function each.

Legs, roll-ups, usage records and shutdown totals are views of the same money. Exactly one is added, in all figures of this
program: what a turn cost is its roll-up where the CLI wrote one, else the sum of its legs (``counted``). The others are only
compared with it (``reconcile.py``). Ordinary turns and compactions lie outside the Fusion turns and are told apart from them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from fusionscope.store.ledger import Ledger

__all__ = [
    "Level", "calls_in_fusion", "calls_outside", "compaction", "counted", "legs", "ordinary", "roll_ups", "shutdown",
    "usage_records",
]  # fmt: skip


class Level(NamedTuple):
    """What one level says: ``nano_aiu`` of ``parts`` things (legs, turns, calls); of ``unknown`` of them it does not.

    ``nano_aiu`` is ``None`` where there are parts and not one of them has an amount, and where there is no part.
    """

    nano_aiu: int | None
    parts: int
    unknown: int


def counted(ledger: Ledger) -> Level:
    """What the Fusion turns cost: the level that is added, in all figures of this program. A failed route cost nothing."""
    return _level(turn.nano_aiu for turn in ledger.turns if turn.route_failure is None or turn.legs)


def legs(ledger: Ledger) -> Level:
    """The legs of the Fusion turns, rewound and failed ones too."""
    return _level(leg.nano_aiu for turn in ledger.turns for leg in turn.legs)


def roll_ups(ledger: Ledger) -> Level:
    """The totals that the CLI wrote at the end of Fusion turns."""
    return _level(turn.reported_nano_aiu for turn in ledger.turns if turn.outcome is not None)


def calls_in_fusion(ledger: Ledger) -> Level:
    """The usage records of Fusion turns."""
    return _level(call.nano_aiu for call in ledger.calls if call.in_fusion)


def calls_outside(ledger: Ledger) -> Level:
    """The usage records of ordinary turns."""
    return _level(call.nano_aiu for call in ledger.calls if not call.in_fusion)


def usage_records(ledger: Ledger) -> Level:
    """All usage records of the session."""
    return _level(call.nano_aiu for call in ledger.calls)


def ordinary(ledger: Ledger) -> Level:
    """The ordinary turns; one of which only some calls were metered is unknown, though those calls are in the amount."""
    known = [turn.nano_aiu for turn in ledger.ordinary if turn.nano_aiu is not None]
    unknown = sum(turn.metered < turn.calls for turn in ledger.ordinary)
    return Level(sum(known) if known else None, len(ledger.ordinary), unknown)


def compaction(ledger: Ledger) -> Level:
    """The compactions of the conversation, which are in no turn."""
    return _level(each.nano_aiu for each in ledger.compactions)


def shutdown(ledger: Ledger) -> Level:
    """What the shutdowns say the session cost; its parts are the shutdowns."""
    found = ledger.totals
    if found is None:
        return Level(None, 0, 0)
    return Level(found.nano_aiu, found.shutdowns, sum(each.nano_aiu is None for each in found.segments))


def _level(amounts: Iterable[int | None]) -> Level:
    every = list(amounts)
    known = [amount for amount in every if amount is not None]
    return Level(sum(known) if known else None, len(every), len(every) - len(known))
