"""The tables of the overview: a number of rows that any data fits in, and the rest in one row more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from fusionscope.report.figures import KindFigures, ModelFigures, PatternFigures
from fusionscope.report.summed_worth import Worth
from fusionscope.store.totals import LegTotals

__all__ = ["LedgerTable", "PatternRow", "ShareRow", "kinds", "ledger", "models", "patterns", "worth"]

#: rows of a table; those after them are thrown together or left out
_ROWS = 10


class ShareRow(NamedTuple):
    """Legs of one name and what they cost; ``nano_aiu`` is ``None`` where the cost of none is known, ``share`` is of 1.

    ``rest`` names stand for so many others in one row.
    """

    name: str
    legs: int
    nano_aiu: int | None
    share: float | None
    rest: int = 0


class PatternRow(NamedTuple):
    """Turns of one pattern; the figures are those of ``PatternFigures``, ``share`` is that of all credits."""

    name: str
    turns: int
    nano_aiu: int | None
    share: float | None
    median_nano_aiu: int | None
    mean_ms: float | None


class LedgerTable(NamedTuple):
    """Rows by kind and model, and how many are left out: those that cost least."""

    rows: list[LegTotals]
    left_out: int


def models(found: Mapping[str, ModelFigures]) -> list[ShareRow]:
    """Return the rows of credits by model."""
    return _shares(found)


def kinds(found: Mapping[str, KindFigures]) -> list[ShareRow]:
    """Return the rows of credits by kind."""
    return _shares(found)


def patterns(found: Mapping[str, PatternFigures]) -> list[PatternRow]:
    """Return the rows of credits by pattern; those of fewest turns are left out where there are too many."""
    whole = sum(each.nano_aiu for each in found.values())
    return [
        PatternRow(
            name,
            each.turns,
            _known(each.nano_aiu, each.turns, each.unmetered),
            each.nano_aiu / whole if whole else None,
            each.median_nano_aiu,
            None if each.mean_seconds is None else each.mean_seconds * 1000,
        )
        for name, each in list(found.items())[:_ROWS]
    ]


def ledger(legs: Iterable[LegTotals]) -> LedgerTable:
    """Return the phase ledger: every kind of leg with the model that ran it, most nano-AIU first."""
    rows = sorted(legs, key=lambda leg: (-leg.nano_aiu, leg.kind, leg.model))
    return LedgerTable(rows[:_ROWS], max(0, len(rows) - _ROWS))


def worth(found: list[Worth]) -> tuple[list[Worth], int]:
    """Return the pairs with most checks, and how many are left out."""
    return found[:_ROWS], max(0, len(found) - _ROWS)


def _shares(found: Mapping[str, ModelFigures | KindFigures]) -> list[ShareRow]:
    whole = sum(each.nano_aiu for each in found.values())
    items = list(found.items())
    rows = [
        ShareRow(name, each.legs, _known(each.nano_aiu, each.legs, each.unmetered), each.nano_aiu / whole if whole else None)
        for name, each in items[:_ROWS]
    ]
    rest = [each for _, each in items[_ROWS:]]
    if rest:
        spent, legs = sum(each.nano_aiu for each in rest), sum(each.legs for each in rest)
        unmetered = sum(each.unmetered for each in rest)
        rows.append(ShareRow("", legs, _known(spent, legs, unmetered), spent / whole if whole else None, len(rest)))
    return rows


def _known(nano_aiu: int, parts: int, unmetered: int) -> int | None:
    return None if parts == unmetered else nano_aiu
