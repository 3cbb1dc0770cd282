"""Two sets of turns side by side, and for each figure whether the samples are large enough to tell them apart.

Shares are compared with Fisher's exact test, amounts with the Mann-Whitney U test: neither supposes that credits or
milliseconds are spread in any particular way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean, median, quantiles
from typing import NamedTuple

from fusionscope.model import Turn
from fusionscope.report import figures
from fusionscope.report.figures import Rate
from fusionscope.report.significance import fisher_exact, mann_whitney

__all__ = ["FISHER", "LEAST", "MANN_WHITNEY", "SIGNIFICANT", "Comparison", "Figure", "Measure", "compare"]

FISHER = "Fisher's exact test"
MANN_WHITNEY = "Mann-Whitney U test"

#: fewer than so many on either side tell nothing
LEAST = 8

#: a difference that chance alone would make less often than this is told as one
SIGNIFICANT = 0.05


class Figure(NamedTuple):
    """One number of both sides: a ``Rate`` of things (``unit`` is ``share``) or of nano-AIU (``spent``), or an amount in
    ``nano_aiu`` or ``ms``, ``None`` with nothing to measure.
    """

    name: str
    unit: str
    a: Rate | float | None
    b: Rate | float | None

    @property
    def difference(self) -> float | None:
        """B minus A: of rates in shares of 1; ``None`` where one of them is not known."""
        a, b = (side.value if isinstance(side, Rate) else side for side in (self.a, self.b))
        return None if a is None or b is None else b - a


class Measure(NamedTuple):
    """Figures of one thing, made from ``counts`` of ``things`` on the two sides, and the test that compares them.

    ``p`` is how often chance alone would make such a difference; ``None`` where either side has fewer than ``LEAST``.
    """

    name: str
    things: str
    counts: tuple[int, int]
    figures: tuple[Figure, ...]
    test: str
    p: float | None

    @property
    def tells(self) -> bool | None:
        """Whether the sides differ; ``None`` where there are too few to tell."""
        return None if self.p is None else self.p < SIGNIFICANT


class Comparison(NamedTuple):
    """The turns of both sides, ``shared`` of them on both, and the measures in the order in which they are read."""

    turns: tuple[int, int]
    shared: int
    measures: list[Measure]


def compare(a: Sequence[Turn], b: Sequence[Turn]) -> Comparison:
    """Compare two sets of turns: pattern mix, credits, review, rejections, routing, failures."""
    shared = {turn.fusion_id for turn in a} & {turn.fusion_id for turn in b}
    patterns = sorted({turn.pattern_name for turn in (*a, *b)})
    measures = [
        _share(f"pattern {name}", "turns", _counted(a, _is_pattern(name)), _counted(b, _is_pattern(name))) for name in patterns
    ]
    measures += [
        _amounts("credits a turn", "nano_aiu", _spent(a), _spent(b)),
        _review(a, b),
        _share("rejections", "verdicts", figures.judge_rejection_rate(a), figures.judge_rejection_rate(b)),
        _amounts("routing", "ms", _routing(a), _routing(b)),
        _share("failed", "turns", _counted(a, _failed), _counted(b, _failed)),
        _share("degraded", "turns", _counted(a, _degraded), _counted(b, _degraded)),
    ]
    return Comparison((len(a), len(b)), len(shared), measures)


def _is_pattern(name: str) -> Callable[[Turn], bool]:
    return lambda turn: turn.pattern_name == name


def _failed(turn: Turn) -> bool:
    return turn.state == "failed"


def _degraded(turn: Turn) -> bool:
    return turn.state == "degraded"


def _counted(turns: Sequence[Turn], holds: Callable[[Turn], bool]) -> Rate:
    part = sum(1 for turn in turns if holds(turn))
    return Rate(part, len(turns), part / len(turns) if turns else None)


def _share(name: str, things: str, a: Rate, b: Rate) -> Measure:
    p = fisher_exact(a.part, a.whole, b.part, b.whole) if min(a.whole, b.whole) >= LEAST else None
    return Measure(name, things, (a.whole, b.whole), (Figure("", "share", a, b),), FISHER, p)


def _amounts(name: str, unit: str, a: Sequence[float], b: Sequence[float]) -> Measure:
    """Compare amounts: their median, their 90th percentile (between two values where it falls there) and their mean."""
    made = (
        Figure("median", unit, _of(median, a), _of(median, b)),
        Figure("p90", unit, _of(_ninetieth, a), _of(_ninetieth, b)),
        Figure("mean", unit, _of(fmean, a), _of(fmean, b)),
    )
    return Measure(name, "turns", (len(a), len(b)), made, MANN_WHITNEY, _differ(a, b))


def _review(a: Sequence[Turn], b: Sequence[Turn]) -> Measure:
    """Compare review shares: the figure is that of all credits of a side, the test goes by each turn's own share."""
    own, others = _own_shares(a), _own_shares(b)
    figure = Figure("", "spent", figures.review_share(a), figures.review_share(b))
    return Measure("review share", "turns", (len(own), len(others)), (figure,), MANN_WHITNEY, _differ(own, others))


def _differ(a: Sequence[float], b: Sequence[float]) -> float | None:
    return mann_whitney(a, b) if min(len(a), len(b)) >= LEAST else None


def _of(figure: Callable[[Sequence[float]], float], values: Sequence[float]) -> float | None:
    return figure(values) if values else None


def _ninetieth(values: Sequence[float]) -> float:
    return quantiles(values, n=10, method="inclusive")[8] if len(values) > 1 else values[0]


def _spent(turns: Sequence[Turn]) -> list[float]:
    return [spent for turn in turns if not turn.is_open and (spent := turn.nano_aiu) is not None]


def _own_shares(turns: Sequence[Turn]) -> list[float]:
    return [turn.review_nano_aiu / spent for turn in turns if not turn.is_open and (spent := turn.nano_aiu)]


def _routing(turns: Sequence[Turn]) -> list[float]:
    return [turn.routing_latency_ms for turn in turns if turn.routing_latency_ms is not None]
