"""Queries as panels hold them: PromQL for one value or for one a step, TraceQL for rows or for a count."""

from __future__ import annotations

from grafana_foundation_sdk.builders.prometheus import Dataquery as PrometheusQuery
from grafana_foundation_sdk.builders.tempo import Dataquery as TempoQuery
from grafana_foundation_sdk.models.prometheus import PromQueryFormat
from grafana_foundation_sdk.models.tempo import MetricsQueryType, SearchTableType

from stack.dashboard.sources import PROMETHEUS, TEMPO

__all__ = ["PrometheusQuery", "TempoQuery", "counted", "instant", "search", "step"]

#: the most turns that a search returns; Tempo's own default is 20
_MOST_TRACES = 500
#: the most spans of one trace in a search
_MOST_SPANS = 100


def instant(expression: str, name: str, *, as_table: bool = False) -> PrometheusQuery:
    """Return a query for one value at the end of the time range; with ``[$__range]`` it is that of the whole range."""
    query = PrometheusQuery().datasource(PROMETHEUS).expr(expression).instant().legend_format(name)
    return query.format(PromQueryFormat.TABLE) if as_table else query


def step(expression: str, name: str) -> PrometheusQuery:
    """Return a query for a value a step."""
    return PrometheusQuery().datasource(PROMETHEUS).expr(expression).range().legend_format(name)


def search(query: str) -> TempoQuery:
    """Return a search for spans, one row a span."""
    return (
        TempoQuery()
        .datasource(TEMPO)
        .query_type("traceql")
        .query(query)
        .table_type(SearchTableType.SPANS)
        .limit(_MOST_TRACES)
        .spss(_MOST_SPANS)
    )


def counted(query: str) -> TempoQuery:
    """Return a metrics query over the spans of the whole time range, one value a series.

    Not over time: Tempo cuts days in UTC, whatever the time zone of the dashboard.
    """
    found = TempoQuery().datasource(TEMPO).query_type("traceql").query(query)
    return found.metrics_query_type(MetricsQueryType.INSTANT).exemplars(0)
