"""Figures from sums: what ``figures`` says of turns in memory, of so many turns that only SQLite adds them up.

``add_up`` reads the sums of a selection; sums of parts that do not overlap are put ``together``; the functions below are the
figures. Their definitions are those of the functions of the same names in ``figures``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from statistics import median
from typing import NamedTuple

from fusionscope.model import NOT_FUSED, UNKNOWN
from fusionscope.report.figures import KindFigures, ModelFigures, PatternFigures, Rate, Tokens
from fusionscope.report.ordinary import Median
from fusionscope.store import totals as store
from fusionscope.store.read import Selection
from fusionscope.store.totals import NOTHING, CheckTotals, LegTotals, Totals

__all__ = [
    "NONE",
    "Sums",
    "add_up",
    "by_kind",
    "by_model",
    "by_pattern",
    "compound_rate",
    "fusion_median",
    "judge_rejection_rate",
    "known_nano_aiu",
    "mean_nano_aiu",
    "review_share",
    "together",
    "tokens",
    "totals",
]


class Sums(NamedTuple):
    """The sums of some turns: by pattern, the settled amounts by pattern (nano-AIU), legs by kind and model, checks."""

    patterns: Mapping[str | None, Totals]
    amounts: Mapping[str | None, list[int]]
    legs: Mapping[tuple[str, str], LegTotals]
    checks: Mapping[tuple[str | None, str, str], CheckTotals]


#: the sums of no turn
NONE = Sums({}, {}, {}, {})


def add_up(connection: sqlite3.Connection, selection: Selection) -> Sums:
    """Return the sums of the selected turns."""
    return Sums(
        store.by_pattern(connection, selection),
        store.settled_amounts(connection, selection),
        {(each.kind, each.model): each for each in store.by_kind_and_model(connection, selection)},
        {(each.drafter, each.judge, each.verdict): each for each in store.checks(connection, selection)},
    )


def together(parts: Iterable[Sums]) -> Sums:
    """Return the sums of turns of which each is in exactly one of ``parts``."""
    patterns: dict[str | None, Totals] = {}
    amounts: dict[str | None, list[int]] = {}
    legs: dict[tuple[str, str], LegTotals] = {}
    checks: dict[tuple[str | None, str, str], CheckTotals] = {}
    for part in parts:
        for name, turns in part.patterns.items():
            patterns[name] = turns.plus(patterns[name]) if name in patterns else turns
        for name, some in part.amounts.items():
            amounts.setdefault(name, []).extend(some)
        for phase, ran in part.legs.items():
            legs[phase] = ran.plus(legs[phase]) if phase in legs else ran
        for pair, judged in part.checks.items():
            checks[pair] = judged.plus(checks[pair]) if pair in checks else judged
    for some in amounts.values():
        some.sort()
    return Sums(patterns, amounts, legs, checks)


def totals(sums: Sums) -> Totals:
    """Return the totals over all patterns."""
    whole = NOTHING
    for each in sums.patterns.values():
        whole = whole.plus(each)
    return whole


def compound_rate(totals: Totals) -> Rate:
    """Turns that more than one distinct model ran, of the turns with at least one leg."""
    return _rate(totals.compound, totals.with_legs)


def judge_rejection_rate(totals: Totals) -> Rate:
    """Judge legs whose verdict was ``reject``, of the judge legs that gave a verdict."""
    return _rate(totals.rejections, totals.verdicts)


def review_share(totals: Totals) -> Rate:
    """Nano-AIU spent on legs that are not the answer leg, of the nano-AIU of all turns."""
    return _rate(totals.review_nano_aiu, totals.nano_aiu)


def known_nano_aiu(totals: Totals) -> int | None:
    """Nano-AIU of all turns, or ``None`` where there are turns and the log says the credits of none of them."""
    return None if totals.turns and totals.unmetered == totals.turns else totals.nano_aiu


def mean_nano_aiu(totals: Totals) -> int | None:
    """The mean turn: nano-AIU of a turn that has ended and whose credits are known; ``None`` when there is none."""
    return round(totals.settled_nano_aiu / totals.settled) if totals.settled else None


def fusion_median(sums: Sums) -> Median:
    """The median nano-AIU of a Fusion turn, of those that have ended and whose credits are known; failed routes are none."""
    fused = [name for name in sums.patterns if name != NOT_FUSED]
    amounts = [amount for name in fused for amount in sums.amounts.get(name, ())]
    ended = sum(sums.patterns[name].turns - sums.patterns[name].open for name in fused)
    return Median(round(median(amounts)) if amounts else None, len(amounts), ended)


def tokens(sums: Sums) -> Tokens:
    """Tokens of all legs, failed ones too."""
    legs = sums.legs.values()
    return Tokens(
        sum(leg.input_tokens for leg in legs),
        sum(leg.output_tokens for leg in legs),
        sum(leg.cached_tokens for leg in legs),
        sum(leg.cache_write_tokens for leg in legs),
    )


def by_pattern(sums: Sums) -> dict[str, PatternFigures]:
    """Turns, nano-AIU, median and mean wall time by pattern; most turns first, then by name."""
    found: dict[str, PatternFigures] = {}
    for name, each in sums.patterns.items():
        amounts = sums.amounts.get(name)
        found[name or UNKNOWN] = PatternFigures(
            turns=each.turns,
            nano_aiu=each.nano_aiu,
            median_nano_aiu=round(median(amounts)) if amounts else None,
            mean_seconds=each.duration_ms / each.timed / 1000 if each.timed else None,
            unmetered=each.unmetered,
        )
    return dict(sorted(found.items(), key=lambda item: (-item[1].turns, item[0])))


def by_model(sums: Sums) -> dict[str, ModelFigures]:
    """Legs, nano-AIU and share by the model that ran the leg; most nano-AIU first, then by name."""
    found = _legs_by_name((leg.model, leg) for leg in sums.legs.values())
    whole = sum(each.nano_aiu for each in found.values())
    return {
        name: ModelFigures(each.legs, each.nano_aiu, _rate(each.nano_aiu, whole).value, each.unmetered)
        for name, each in found.items()
    }


def by_kind(sums: Sums) -> dict[str, KindFigures]:
    """Legs and nano-AIU by kind of leg; most nano-AIU first, then by name."""
    return _legs_by_name((leg.kind, leg) for leg in sums.legs.values())


def _legs_by_name(named: Iterable[tuple[str, LegTotals]]) -> dict[str, KindFigures]:
    found: dict[str, KindFigures] = {}
    for name, leg in named:
        before = found.get(name, KindFigures(0, 0, 0))
        found[name] = KindFigures(before.legs + leg.legs, before.nano_aiu + leg.nano_aiu, before.unmetered + leg.unmetered)
    return dict(sorted(found.items(), key=lambda item: (-item[1].nano_aiu, item[0])))


def _rate(part: int, whole: int) -> Rate:
    return Rate(part, whole, part / whole if whole else None)
