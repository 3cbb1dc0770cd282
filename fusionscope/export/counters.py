"""Form B of the metrics: cumulative sums and histograms, for back ends that want counters. A site uses A or B.

Pure: the totals are computed from the turns, and the start time is the caller's (kept in the database), so a restart
is no reset. Money is added up as integer nano-AIU and time as integer microseconds: the totals depend on no order.

A counter must not fall. Only ended turns count, and one that was given up and then goes on moves from one series to
another; who cannot stand that gives such turns only when their session is over.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Histogram,
    HistogramDataPoint,
    MetricsData,
    NumberDataPoint,
    Sum,
)

from fusionscope.export import names
from fusionscope.export.labels import Labels, LabelValues, pick
from fusionscope.export.names import Metric
from fusionscope.export.points import metrics_data
from fusionscope.export.times import leg_seconds, route_seconds, turn_seconds
from fusionscope.export.values import nanoseconds, number
from fusionscope.model import Leg, Turn, credits

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource

__all__ = ["counter_data"]

_CUMULATIVE = AggregationTemporality.CUMULATIVE
_BOUNDS = {
    names.TURN_DURATION: names.TURN_BOUNDS,
    names.ROUTE_DURATION: names.ROUTE_BOUNDS,
    names.PHASE_DURATION: names.PHASE_BOUNDS,
}

#: the labels of one series, in a form that can be a key
_Series = tuple[tuple[str, str | bool], ...]


def counter_data(turns: Iterable[Turn], labels: Labels, resource: Resource, *, started_at: int, now: int) -> MetricsData:
    """Return the totals over all ended turns of ``turns``, each given once.

    ``started_at`` and ``now`` are milliseconds since the epoch: since when is counted, and the moment of sending.
    """
    totals = _Totals()
    for turn in turns:
        if not turn.is_open:
            _add_turn(totals, turn, labels)
    return metrics_data(totals.data(nanoseconds(started_at), nanoseconds(now)), resource)


def _add_turn(totals: _Totals, turn: Turn, labels: Labels) -> None:
    of_turn = labels.of_turn(turn)
    totals.add(names.TURN_COUNT, of_turn, 1)
    totals.measure(names.TURN_DURATION, of_turn, turn_seconds(turn))
    totals.measure(names.ROUTE_DURATION, labels.of_route(turn), route_seconds(turn))
    for leg in turn.legs:
        of_leg = labels.of_leg(turn, leg)
        for metric, amount in _amounts(leg):
            totals.add(metric, of_leg, amount)
        totals.measure(names.PHASE_DURATION, of_leg, leg_seconds(leg))


def _amounts(leg: Leg) -> Iterator[tuple[Metric, int | None]]:
    yield names.PHASE_COUNT_TOTAL, 1
    yield names.CREDITS_TOTAL, leg.nano_aiu
    yield names.USAGE_INPUT_TOKENS, leg.input_tokens
    yield names.USAGE_OUTPUT_TOKENS, leg.output_tokens
    yield names.USAGE_CACHE_READ_TOKENS, leg.cached_tokens
    yield names.USAGE_CACHE_WRITE_TOKENS, leg.cache_write_tokens
    yield names.INFERENCE_CALLS, leg.requests


class _Buckets:
    """One series of a histogram. Times are microseconds; the bounds are upper ones and inclusive, as OTLP has them."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._times = 0
        self._least = 0
        self._most = 0

    def add(self, seconds: float) -> None:
        time = round(seconds * 1_000_000)
        self._least = min(self._least, time) if any(self._counts) else time
        self._most = max(self._most, time)
        self._times += time
        self._counts[bisect_left(self._bounds, seconds)] += 1

    def point(self, labels: LabelValues, start: int, now: int) -> HistogramDataPoint:
        total, least, most = (time / 1_000_000 for time in (self._times, self._least, self._most))
        return HistogramDataPoint(labels, start, now, sum(self._counts), total, tuple(self._counts), self._bounds, least, most)


class _Totals:
    """The running totals of every series."""

    def __init__(self) -> None:
        self._sums: dict[Metric, dict[_Series, int]] = {}
        self._times: dict[Metric, dict[_Series, _Buckets]] = {}

    def add(self, metric: Metric, values: LabelValues, amount: int | None) -> None:
        if amount is not None and number(amount) is not None:
            series = _series(metric, values)
            of = self._sums.setdefault(metric, {})
            of[series] = of.get(series, 0) + amount

    def measure(self, metric: Metric, values: LabelValues, seconds: float | None) -> None:
        known = number(seconds)
        if known is not None:
            series = _series(metric, values)
            self._times.setdefault(metric, {}).setdefault(series, _Buckets(_BOUNDS[metric])).add(known)

    def data(self, start: int, now: int) -> Iterator[tuple[Metric, Sum | Histogram]]:
        for metric, sums in self._sums.items():
            points = [NumberDataPoint(dict(series), start, now, _shown(metric, total)) for series, total in sums.items()]
            yield metric, Sum(points, _CUMULATIVE, is_monotonic=True)
        for metric, times in self._times.items():
            buckets = [of.point(dict(series), start, now) for series, of in times.items()]
            yield metric, Histogram(buckets, _CUMULATIVE)


def _series(metric: Metric, values: LabelValues) -> _Series:
    return tuple(pick(metric, values).items())


def _shown(metric: Metric, total: int) -> int | float:
    """Money is summed as nano-AIU and shown as credits. A sum beyond 64 bits has to be a float: it must not wrap."""
    if metric is names.CREDITS_TOTAL:
        return credits(total)
    return float(total) if number(total) is None else total
