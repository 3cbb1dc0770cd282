"""Form B of the metrics: cumulative sums and histograms, for back ends that want counters. A site uses A or B.

The totals are kept in the store and grow in the transaction that marks a turn as counted, so a restart is no reset and
nothing is counted twice. The start time is that of the database. Money is added up as integer nano-AIU and time as integer
microseconds: the totals depend on no order.

A counter must not fall: a turn that was given up counts as that, and when it goes on after all only what is new is added.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from opentelemetry.sdk.metrics.export import AggregationTemporality, Histogram, HistogramDataPoint, NumberDataPoint, Sum

from fusionscope.export import names
from fusionscope.export.labels import Labels, LabelValues, pick
from fusionscope.export.names import Metric
from fusionscope.export.times import leg_seconds, route_seconds, turn_seconds
from fusionscope.export.tool_counts import tool_counts
from fusionscope.export.values import nanoseconds, number
from fusionscope.ids import LegKey
from fusionscope.model import Leg, Turn, credits
from fusionscope.tools import ToolKey

__all__ = ["Totals"]

_CUMULATIVE = AggregationTemporality.CUMULATIVE
_BOUNDS = {
    names.TURN_DURATION: names.TURN_BOUNDS,
    names.ROUTE_DURATION: names.ROUTE_BOUNDS,
    names.PHASE_DURATION: names.PHASE_BOUNDS,
}
_METRICS = {metric.name: metric for metric in names.TOTALS}

#: a metric and the labels of one series, in a form that can be a key
_Series = tuple[Metric, tuple[tuple[str, str | bool], ...]]


class Totals:
    """The running totals of every series."""

    def __init__(self) -> None:
        self._sums: dict[_Series, int] = {}
        self._times: dict[_Series, _Buckets] = {}
        self._changed: set[_Series] = set()

    @classmethod
    def read(cls, amounts: Mapping[tuple[str, str], str]) -> Totals:
        """Return totals as ``written`` had them. What this version does not count is left alone."""
        totals = cls()
        for (name, labels), amount in amounts.items():
            metric = _METRICS.get(name)
            if metric is None:
                continue
            series = (metric, tuple((key, value) for key, value in json.loads(labels)))
            if metric in _BOUNDS:
                totals._times[series] = _Buckets(_BOUNDS[metric], json.loads(amount))
            else:
                totals._sums[series] = json.loads(amount)
        return totals

    def written(self) -> dict[tuple[str, str], str]:
        """Return the totals that have changed since they were read, as JSON by metric and labels."""
        found = {}
        for metric, labels in self._changed:
            series = (metric, labels)
            amount = self._times[series].facts() if metric in _BOUNDS else self._sums[series]
            found[metric.name, json.dumps(labels)] = json.dumps(amount)
        return found

    def count(
        self,
        turn: Turn,
        labels: Labels,
        *,
        root_sent: bool = False,
        sent_legs: Collection[LegKey] = frozenset(),
        sent_tools: Collection[ToolKey] = frozenset(),
    ) -> None:
        """Add a turn that has ended; ``root_sent``, ``sent_legs`` and ``sent_tools`` tell what of it was added before."""
        if turn.is_open:
            return
        if not root_sent:
            of_turn = labels.of_turn(turn)
            self._add(names.TURN_COUNT, of_turn, 1)
            self._measure(names.TURN_DURATION, of_turn, turn_seconds(turn))
            self._measure(names.ROUTE_DURATION, labels.of_route(turn), route_seconds(turn))
            if turn.unknown_words:
                self._add(names.UNKNOWN_WORD_COUNT, of_turn, len(turn.unknown_words))
        for leg in turn.legs:
            if (leg.phase_id, leg.attempt) in sent_legs:
                continue
            of_leg = labels.of_leg(turn, leg)
            for metric, amount in _amounts(leg):
                self._add(metric, of_leg, amount)
            self._measure(names.PHASE_DURATION, of_leg, leg_seconds(leg))
        for of_tools in tool_counts(turn, labels, sent_tools):
            self._add(names.TOOL_CALL_COUNT, of_tools.values, of_tools.calls)

    def data(self, started_at: int, now: int) -> Iterator[tuple[Metric, Sum | Histogram]]:
        """Return the totals since ``started_at`` as they are ``now`` (both ms)."""
        start, end = nanoseconds(started_at), nanoseconds(now)
        for metric in names.TOTALS:
            if metric in _BOUNDS:
                times = [of.point(dict(series), start, end) for (its, series), of in self._times.items() if its is metric]
                if times:
                    yield metric, Histogram(times, _CUMULATIVE)
                continue
            sums = [
                NumberDataPoint(dict(series), start, end, _shown(metric, total))
                for (its, series), total in self._sums.items()
                if its is metric
            ]
            if sums:
                yield metric, Sum(sums, _CUMULATIVE, is_monotonic=True)

    def _add(self, metric: Metric, values: LabelValues, amount: int | None) -> None:
        if amount is not None and number(amount) is not None:
            series = _series(metric, values)
            self._sums[series] = self._sums.get(series, 0) + amount
            self._changed.add(series)

    def _measure(self, metric: Metric, values: LabelValues, seconds: float | None) -> None:
        known = number(seconds)
        if known is not None:
            series = _series(metric, values)
            self._times.setdefault(series, _Buckets(_BOUNDS[metric])).add(known)
            self._changed.add(series)


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

    def __init__(self, bounds: tuple[float, ...], facts: Mapping[str, Any] | None = None) -> None:
        self._bounds = bounds
        self._counts: list[int] = list(facts["counts"]) if facts else [0] * (len(bounds) + 1)
        self._times, self._least, self._most = (int(facts[key]) if facts else 0 for key in ("sum", "min", "max"))

    def facts(self) -> dict[str, Any]:
        return {"counts": self._counts, "sum": self._times, "min": self._least, "max": self._most}

    def add(self, seconds: float) -> None:
        time = round(seconds * 1_000_000)
        self._least = min(self._least, time) if any(self._counts) else time
        self._most = max(self._most, time)
        self._times += time
        self._counts[bisect_left(self._bounds, seconds)] += 1

    def point(self, labels: LabelValues, start: int, now: int) -> HistogramDataPoint:
        total, least, most = (time / 1_000_000 for time in (self._times, self._least, self._most))
        return HistogramDataPoint(labels, start, now, sum(self._counts), total, tuple(self._counts), self._bounds, least, most)


def _series(metric: Metric, values: LabelValues) -> _Series:
    return metric, tuple(pick(metric, values).items())


def _shown(metric: Metric, total: int) -> int | float:
    """Money is summed as nano-AIU and shown as credits. A sum beyond 64 bits has to be a float: it must not wrap."""
    if metric is names.CREDITS_TOTAL:
        return credits(total)
    return float(total) if number(total) is None else total
