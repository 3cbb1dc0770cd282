"""PromQL for event samples: one sample a leg or turn, at its end, with its own amount.

``sum(sum_over_time(x[range]))`` is exact for every range. An instant selector would see a sample for five minutes only, and
``rate`` or ``increase`` would take amounts for counters, so neither is used anywhere.

Two windows: ``RANGE`` is all that the time picker shows, for instant queries. ``STEP`` is one bar of a series over time.
Grafana rounds both ends of a series down to a multiple of the step (``AlignTimeRange`` of its Prometheus data source, in the
dashboard's time zone), and a plain window looks back: the last bar would miss what came after it, which is today in bars of
a day. With the negative offset each bar covers the step that begins at it.

Filters: ``$pattern`` applies wherever a metric has the pattern, ``$model`` to the metrics of legs. On the metrics of turns
the model label is the model that gave the answer, which is another question.
"""

from __future__ import annotations

from fusionscope.export import names
from fusionscope.export.names import Metric
from fusionscope.model import CREDITS_PER_USD

__all__ = [
    "RANGE", "STEP", "UNKNOWN_WORDS", "count", "credits_a_turn", "label", "legend", "mean", "metric_name", "quantile",
    "samples", "share", "total", "usd",
]  # fmt: skip

RANGE = "[$__range]"
STEP = "[$__interval] offset -$__interval"

#: one sample for each turn that holds words this release does not know, with their number
UNKNOWN_WORDS = names.TURN_UNKNOWN_WORDS


def metric_name(metric: Metric) -> str:
    """Return what Prometheus calls a metric (``UnderscoreEscapingWithoutSuffixes``)."""
    return metric.name.replace(".", "_")


def label(attribute: str) -> str:
    """Return what Prometheus calls an attribute."""
    return attribute.replace(".", "_")


def legend(*attributes: str) -> str:
    """Return the name of a series: the values of these attributes."""
    return " / ".join(f"{{{{{label(attribute)}}}}}" for attribute in attributes)


def samples(metric: Metric, window: str, *conditions: str, any_model: bool = False) -> str:
    """Return a metric's samples in a window, filtered by the dashboard's variables and by ``conditions``.

    ``any_model`` leaves ``$model`` out, for an amount of legs that is compared with turns.
    """
    filters = [f'{label(names.PATTERN)}=~"$pattern"'] if names.PATTERN in metric.labels else []
    if names.PHASE_KIND in metric.labels and not any_model:
        filters.append(f'{label(names.RESPONSE_MODEL)}=~"$model"')
    inside = ", ".join([*filters, *conditions])
    return f"{metric_name(metric)}{{{inside}}}{window}" if inside else metric_name(metric) + window


def total(metric: Metric, window: str, *conditions: str, by: tuple[str, ...] = (), any_model: bool = False) -> str:
    """Return the sum of a metric's amounts; ``by`` splits it by attributes."""
    return f"{_sum(by)}(sum_over_time({samples(metric, window, *conditions, any_model=any_model)}))"


def count(metric: Metric, window: str, *conditions: str, by: tuple[str, ...] = ()) -> str:
    """Return the number of a metric's samples; ``by`` splits it by attributes."""
    return f"{_sum(by)}(count_over_time({samples(metric, window, *conditions)}))"


def mean(metric: Metric, window: str) -> str:
    """Return the mean of a metric's amounts; nothing where there are none."""
    return f"{total(metric, window)} / {count(metric, window)}"


def quantile(q: float, metric: Metric, window: str) -> str:
    """Return the greatest of the series' own quantiles: quantiles of several series cannot be put together exactly."""
    return f"max(quantile_over_time({q:g}, {samples(metric, window)}))"


def share(part: str, whole: str) -> str:
    """Return ``part`` of ``whole``: 0 where only the part is missing, nothing (not 0) where there is nothing to divide by."""
    return f"({part} or 0 * {whole}) / ({whole} > 0)"


def usd(amount: str) -> str:
    """Return credits as US dollars at list price."""
    return f"{amount} / {CREDITS_PER_USD}"


def credits_a_turn(window: str) -> str:
    """Return the mean credits of a turn, whatever models ran in it."""
    return f"{total(names.LEG_CREDITS, window, any_model=True)} / {total(names.TURN, window)}"


def _sum(by: tuple[str, ...]) -> str:
    return f"sum by ({', '.join(map(label, by))}) " if by else "sum"
