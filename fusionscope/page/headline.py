"""The headline figures of a range, each with what it counts and how it moved."""

from __future__ import annotations

from typing import NamedTuple

from fusionscope.report import summed
from fusionscope.report.change import growth, growth_text, points, points_text
from fusionscope.report.figures import Rate
from fusionscope.report.text import NOT_METERED, count, credits, dollars, percent, plural
from fusionscope.store.totals import Totals

__all__ = ["Figure", "headline"]


class Figure(NamedTuple):
    """One figure: its name, value and unit, what it counts, and its change against the range before (``""``: none to tell)."""

    name: str
    value: str
    unit: str
    note: str
    change: str


def headline(now: Totals, before: Totals | None) -> list[Figure]:
    """Return the figures of ``now``, with their changes where there is a range before."""
    return [_turns(now, before), _credits(now, before), _mean(now, before), *_rates(now, before)]


def _turns(now: Totals, before: Totals | None) -> Figure:
    still = f"{count(now.open)} open" if now.open else ""
    return Figure("Turns", count(now.turns), "", still, _growth(now.turns, before and before.turns))


def _credits(now: Totals, before: Totals | None) -> Figure:
    spent = summed.known_nano_aiu(now)
    change = _growth(spent, before and summed.known_nano_aiu(before))
    if spent is None:
        return Figure("Credits", "n/a", "", NOT_METERED, change)
    unmetered = f", {plural(now.unmetered, 'turn')} not metered" if now.unmetered else ""
    return Figure("Credits", credits(spent), "", f"{dollars(spent)} at list price{unmetered}", change)


def _mean(now: Totals, before: Totals | None) -> Figure:
    mean = summed.mean_nano_aiu(now)
    change = _growth(mean, before and summed.mean_nano_aiu(before))
    if mean is None:
        return Figure("Mean turn", "n/a", "", "no turn that has ended", change)
    return Figure("Mean turn", credits(mean), "credits", f"over {plural(now.settled, 'turn')}", change)


def _rates(now: Totals, before: Totals | None) -> list[Figure]:
    compound, rejected, review = summed.compound_rate(now), summed.judge_rejection_rate(now), summed.review_share(now)
    spent = f"{credits(review.part)} of {credits(review.whole)} credits not spent on the answer"
    return [
        Figure(
            "Compound rate", percent(compound.value), "",
            f"{_of(compound)} turns that more than one model ran" if compound.whole else "no turn with a leg",
            _points(compound, before and summed.compound_rate(before)),
        ),
        Figure(
            "Judge rejection rate", percent(rejected.value), "",
            f"{_of(rejected)} verdicts said reject" if rejected.whole else "no judge gave a verdict",
            _points(rejected, before and summed.judge_rejection_rate(before)),
        ),
        Figure(
            "Review share", percent(review.value), "", spent if review.whole else "no credits",
            _points(review, before and summed.review_share(before)),
        ),
    ]  # fmt: skip


def _of(rate: Rate) -> str:
    return f"{count(rate.part)} of {count(rate.whole)}"


def _growth(now: int | None, before: int | None) -> str:
    value = growth(now, before)
    return "" if value is None else growth_text(value)


def _points(now: Rate, before: Rate | None) -> str:
    value = None if before is None else points(now, before)
    return "" if value is None else points_text(value)
