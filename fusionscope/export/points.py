"""Form A of the metrics: event samples, the default for Prometheus.

One OTLP gauge point for each leg and each turn, stamped with that leg's or turn's own end, its value the amount of
that leg or turn alone. ``sum(sum_over_time(x[range]))`` is then exact for every range the time picker gives, restarts
and re-sends change nothing, and history can be sent at any time. The Meter API can set no time stamps, so the data
are built by hand.

A sample is sent when all its labels are final, which is when the turn has ended, and never again: its value never
changes. A turn that was given up has its labels then, and keeps them when it goes on after all. Only if the database is
made again after that, the turn (and its answer, if that was there when it was given up) counts once more, as what it is:
no log says that it was ever given up, and to hold back every such turn for a day would cost more than it mends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from opentelemetry.sdk.metrics.export import (
    Gauge,
    Histogram,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.metrics.export import Metric as OtlpMetric

from fusionscope.export import names
from fusionscope.export.identity import METRIC_SCOPE
from fusionscope.export.labels import Labels, LabelValues, pick
from fusionscope.export.names import Metric
from fusionscope.export.stamps import Stamps
from fusionscope.export.times import leg_seconds, route_seconds, turn_seconds
from fusionscope.export.values import nanoseconds, number
from fusionscope.ids import LegKey
from fusionscope.model import Leg, Turn, credits
from fusionscope.tools import ToolKey

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource

__all__ = ["Sample", "metrics_data", "sample_data", "turn_points"]


class Sample(NamedTuple):
    """One gauge point and the metric that it belongs to."""

    metric: Metric
    point: NumberDataPoint


def turn_points(
    turn: Turn,
    labels: Labels,
    stamps: Stamps | None = None,
    *,
    root_sent: bool = False,
    sent_legs: Collection[LegKey] = frozenset(),
    sent_tools: Collection[ToolKey] = frozenset(),
) -> list[Sample]:
    """Return the samples of an ended turn: its own, its routing attempt's, its legs' in log order, its tool calls'.

    ``root_sent``, ``sent_legs`` and ``sent_tools`` tell what went out before: only the rest is returned. ``stamps`` keeps the
    samples of different turns apart; without it only those of this turn are. An open turn has none.
    """
    if turn.is_open:
        return []
    at = (stamps or Stamps()).of(turn, labels, sent_tools)
    found: list[Sample] = []
    if not root_sent:
        of_turn = labels.of_turn(turn)
        found += _samples(_turn_amounts(turn), of_turn, at.turn)
        if at.words is not None:
            found += _samples([(names.TURN_UNKNOWN_WORDS, len(turn.unknown_words))], of_turn, at.words)
        found += _samples([(names.ROUTE_SECONDS, route_seconds(turn))], labels.of_route(turn), at.route)
    for leg in turn.legs:
        key = (leg.phase_id, leg.attempt)
        if key not in sent_legs:
            found += _samples(_leg_amounts(leg), labels.of_leg(turn, leg), at.legs[key])
    for count, moment in at.tools:
        found += _samples([(names.LEG_TOOL_CALLS, count.calls)], count.values, moment)
    return found


def _turn_amounts(turn: Turn) -> Iterator[tuple[Metric, float | None]]:
    yield names.TURN, 1
    yield names.TURN_SECONDS, turn_seconds(turn)


def _leg_amounts(leg: Leg) -> Iterator[tuple[Metric, float | None]]:
    yield names.LEG, 1
    yield names.LEG_CREDITS, _credits(leg)
    yield names.LEG_INPUT_TOKENS, leg.input_tokens
    yield names.LEG_OUTPUT_TOKENS, leg.output_tokens
    yield names.LEG_CACHE_READ_TOKENS, leg.cached_tokens
    yield names.LEG_CACHE_WRITE_TOKENS, leg.cache_write_tokens
    yield names.LEG_INFERENCE_CALLS, leg.requests
    yield names.LEG_SECONDS, leg_seconds(leg)


def _samples(amounts: Iterable[tuple[Metric, float | None]], values: LabelValues, at: int) -> Iterator[Sample]:
    for metric, amount in amounts:
        value = number(amount)
        if value is not None:
            yield Sample(metric, NumberDataPoint(pick(metric, values), 0, nanoseconds(at), value))


def _credits(leg: Leg) -> float | None:
    """What a leg cost; ``None`` where the log does not say, which is not zero."""
    return None if leg.nano_aiu is None or number(leg.nano_aiu) is None else credits(leg.nano_aiu)


def sample_data(samples: Iterable[Sample], resource: Resource) -> MetricsData:
    """Return samples as OTLP data: one metric a name, its points oldest first, because a back end appends."""
    points: dict[Metric, list[NumberDataPoint]] = {}
    for sample in samples:
        points.setdefault(sample.metric, []).append(sample.point)
    ordered = {metric: sorted(of, key=lambda point: point.time_unix_nano) for metric, of in points.items()}
    return metrics_data([(metric, Gauge(of)) for metric, of in ordered.items()], resource)


def metrics_data(metrics: Iterable[tuple[Metric, Gauge | Sum | Histogram]], resource: Resource) -> MetricsData:
    """Return named data under one resource and our scope."""
    made = [OtlpMetric(metric.name, metric.description, metric.unit, data) for metric, data in metrics]
    return MetricsData([ResourceMetrics(resource, [ScopeMetrics(METRIC_SCOPE, made, "")], "")])
