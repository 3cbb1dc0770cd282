"""Panels of one look: what a row's module says about a panel becomes a panel of Grafana.

A panel's height and width are part of it, its place is ``layout``'s business.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grafana_foundation_sdk.builders import bargauge, stat, table, timeseries
from grafana_foundation_sdk.builders.common import (
    ReduceDataOptions,
    StackingConfig,
    VizLegendOptions,
    VizTooltipOptions,
)
from grafana_foundation_sdk.builders.prometheus import Dataquery as PrometheusQuery
from grafana_foundation_sdk.builders.tempo import Dataquery as TempoQuery
from grafana_foundation_sdk.models.common import (
    BarAlignment,
    BarGaugeDisplayMode,
    BigValueColorMode,
    BigValueGraphMode,
    BigValueTextMode,
    GraphDrawStyle,
    LegendDisplayMode,
    LegendPlacement,
    SortOrder,
    StackingMode,
    TooltipDisplayMode,
    VisibilityMode,
    VizOrientation,
)
from grafana_foundation_sdk.models.dashboard import DataTransformerConfig, DynamicConfigValue
from grafana_foundation_sdk.models.prometheus import PromQueryFormat
from grafana_foundation_sdk.models.tempo import MetricsQueryType, SearchTableType

from fusionscope.export import names
from stack.dashboard import palette
from stack.dashboard.sources import PROMETHEUS, TEMPO

__all__ = [
    "DURATION", "START", "bars", "columns", "figures", "instant", "ledger", "link", "over_time", "points", "ranking", "search",
    "spans_over_time", "step",
]  # fmt: skip

#: the most turns that a table of traces shows; Tempo's own default is 20
_MOST_TRACES = 500
#: the most spans of one trace in a table
_MOST_SPANS = 100
#: what Grafana calls the column with the start of a span
START = "Start time"
#: and the one with its length
DURATION = "Duration"
_REF_IDS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


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


def spans_over_time(query: str, every: str) -> TempoQuery:
    """Return a metrics query over spans."""
    found = TempoQuery().datasource(TEMPO).query_type("traceql").query(query)
    return found.metrics_query_type(MetricsQueryType.RANGE).step(every).exemplars(0)


def figures(title: str, description: str, *queries: PrometheusQuery, unit: str, decimals: int = 0) -> stat.Panel:
    """Return one or more numbers."""
    panel = (
        stat.Panel()
        .title(title)
        .description(description)
        .datasource(PROMETHEUS)
        .unit(unit)
        .decimals(decimals)
        .no_value("no data")
        .graph_mode(BigValueGraphMode.NONE)
        .color_mode(BigValueColorMode.NONE)
        .text_mode(BigValueTextMode.VALUE_AND_NAME if len(queries) > 1 else BigValueTextMode.VALUE)
        .reduce_options(_last())
    )
    return panel.targets([query.ref_id(name) for query, name in zip(queries, _REF_IDS, strict=False)])


def ranking(
    title: str,
    description: str,
    query: PrometheusQuery,
    *,
    unit: str = "none",
    decimals: int = 2,
    colours: Mapping[str, str] | None = None,
) -> bargauge.Panel:
    """Return a bar a name."""
    panel = (
        bargauge.Panel()
        .title(title)
        .description(description)
        .datasource(PROMETHEUS)
        .unit(unit)
        .decimals(decimals)
        .min(0)
        .no_value("no data")
        .orientation(VizOrientation.HORIZONTAL)
        .display_mode(BarGaugeDisplayMode.BASIC)
        .color_scheme(palette.by_name())
        .reduce_options(_last())
        .targets([query.ref_id("A")])
    )
    for name, colour in (colours or {}).items():
        panel.override_by_name(name, [palette.fixed(colour)])
    return panel


def bars(
    title: str,
    description: str,
    query: PrometheusQuery | TempoQuery,
    every: str,
    *,
    stacked: StackingMode = StackingMode.NORMAL,
    colours: Mapping[str, str] | None = None,
) -> timeseries.Panel:
    """Return stacked bars, one a step that begins where the bar does."""
    panel = (
        _series(title, description)
        .datasource(TEMPO if isinstance(query, TempoQuery) else PROMETHEUS)
        .interval(every)
        .decimals(0)
        .draw_style(GraphDrawStyle.BARS)
        .bar_alignment(BarAlignment.AFTER)
        .fill_opacity(80)
        .stacking(StackingConfig().mode(stacked).group("A"))
        .targets([query.ref_id("A")])
    )
    for name, colour in (colours or {}).items():
        panel.override_by_name(name, [palette.fixed(colour)])
    return panel


def over_time(
    title: str, description: str, *queries: PrometheusQuery, every: str, unit: str, decimals: int
) -> timeseries.Panel:
    """Return lines with a point a step; steps without turns have none."""
    return (
        _series(title, description)
        .datasource(PROMETHEUS)
        .interval(every)
        .unit(unit)
        .decimals(decimals)
        .draw_style(GraphDrawStyle.LINE)
        .show_points(VisibilityMode.ALWAYS)
        .point_size(7)
        .span_nulls(True)
        .targets([query.ref_id(name) for query, name in zip(queries, _REF_IDS, strict=False)])
    )


def points(
    title: str, description: str, query: TempoQuery, *, value: str, series: str, unit: str, colours: Mapping[str, str]
) -> timeseries.Panel:
    """Return a point a span: ``value`` is the attribute on the axis, ``series`` the one that colours and names it."""
    panel = (
        _series(title, description)
        .datasource(TEMPO)
        .unit(unit)
        .decimals(2)
        .draw_style(GraphDrawStyle.POINTS)
        .show_points(VisibilityMode.ALWAYS)
        .point_size(8)
        .targets([query.ref_id("A")])
        .with_transformation(_numbers(value))
        .with_transformation(_transformation("filterFieldsByName", include={"names": [START, value, series]}))
        .with_transformation(_transformation("sortBy", sort=[{"field": START}]))
        .with_transformation(_transformation("partitionByValues", fields=[series], naming={"asLabels": True}))
        .override_by_field_type("number", [DynamicConfigValue("displayName", f'${{__field.labels["{series}"]}}')])
    )
    for name, colour in colours.items():
        # Grafana matches the name that a series has before it gets its short one
        panel.override_by_regexp(f".*{name}.*", [palette.fixed(colour)])
    return panel


def ledger(
    title: str, description: str, *queries: PrometheusQuery | TempoQuery, shown: Mapping[str, str], numbers: Sequence[str] = ()
) -> table.Panel:
    """Return a table of the columns ``shown`` (field name to title) in that order; ``numbers`` came as text and are none."""
    panel = (
        table.Panel()
        .title(title)
        .description(description)
        .datasource(TEMPO if isinstance(queries[0], TempoQuery) else PROMETHEUS)
        .no_value("")
        .filterable(True)
        .targets([query.ref_id(name) for query, name in zip(queries, _REF_IDS, strict=False)])
    )
    if len(queries) > 1:
        panel.with_transformation(_transformation("merge"))
    if numbers:
        panel.with_transformation(_numbers(*numbers))
    return panel.with_transformation(
        _transformation(
            "organize",
            excludeByName=dict.fromkeys(sorted(_UNUSED - set(shown)), True),
            indexByName={name: index for index, name in enumerate(shown)},
            renameByName=dict(shown),
        )
    )


#: columns that every table of this kind has, used or not
_UNUSED = frozenset({
    "Time", "Trace Service", "Trace Name", "Span ID", names.SERVICE_NAME, names.OPERATION, "status",
})  # fmt: skip


def columns(panel: table.Panel, **properties: Sequence[DynamicConfigValue]) -> table.Panel:
    """Give columns, by their titles with ``_`` for a space, a look of their own."""
    for title, values in properties.items():
        panel.override_by_name(title.replace("_", " "), list(values))
    return panel


def link(title: str, url: str) -> DynamicConfigValue:
    """Return a link on each value of a column."""
    return DynamicConfigValue("links", [{"title": title, "url": url, "targetBlank": False}])


def _numbers(*fields: str) -> DataTransformerConfig:
    return _transformation(
        "convertFieldType", conversions=[{"targetField": name, "destinationType": "number"} for name in fields]
    )


def _transformation(name: str, **options: object) -> DataTransformerConfig:
    return DataTransformerConfig(id_val=name, options=options)


def _last() -> ReduceDataOptions:
    return ReduceDataOptions().calcs(["lastNotNull"]).values(False)


def _series(title: str, description: str) -> timeseries.Panel:
    return (
        timeseries.Panel()
        .title(title)
        .description(description)
        .no_value("no data")
        .min(0)
        .color_scheme(palette.by_name())
        .legend(
            VizLegendOptions()
            .display_mode(LegendDisplayMode.LIST)
            .placement(LegendPlacement.BOTTOM)
            .show_legend(True)
            .calcs([])
        )
        .tooltip(VizTooltipOptions().mode(TooltipDisplayMode.MULTI).sort(SortOrder.DESCENDING))
    )
