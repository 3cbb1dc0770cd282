"""Figures, bars and lines of one look: what a row's module says about a panel becomes a panel of Grafana.

A panel's width and height are said where it is made; its place follows from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_uppercase

from grafana_foundation_sdk.builders import bargauge, stat, timeseries
from grafana_foundation_sdk.builders.common import (
    ReduceDataOptions,
    StackingConfig,
    VizLegendOptions,
    VizTooltipOptions,
)
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
from grafana_foundation_sdk.models.dashboard import DynamicConfigValue

from stack.dashboard import palette
from stack.dashboard.queries import PrometheusQuery, TempoQuery
from stack.dashboard.sources import PROMETHEUS, TEMPO
from stack.dashboard.tables import START
from stack.dashboard.transformations import numbers, transformation

__all__ = ["figures", "mix", "over_time", "points", "ranking"]


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
    return panel.targets([query.ref_id(name) for query, name in zip(queries, ascii_uppercase, strict=False)])


def ranking(
    title: str,
    description: str,
    query: PrometheusQuery | TempoQuery,
    *,
    decimals: int = 2,
    colours: Mapping[str, str] | None = None,
) -> bargauge.Panel:
    """Return a bar a name."""
    panel = (
        bargauge.Panel()
        .title(title)
        .description(description)
        .datasource(TEMPO if isinstance(query, TempoQuery) else PROMETHEUS)
        .unit("none")
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


def mix(title: str, description: str, query: PrometheusQuery, *, every: str, colours: Mapping[str, str]) -> timeseries.Panel:
    """Return bars of shares, one a step that begins where the bar does."""
    panel = (
        _series(title, description)
        .datasource(PROMETHEUS)
        .interval(every)
        .decimals(0)
        .draw_style(GraphDrawStyle.BARS)
        .bar_alignment(BarAlignment.AFTER)
        .fill_opacity(80)
        .stacking(StackingConfig().mode(StackingMode.PERCENT).group("A"))
        .targets([query.ref_id("A")])
    )
    for name, colour in colours.items():
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
        .targets([query.ref_id(name) for query, name in zip(queries, ascii_uppercase, strict=False)])
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
        .with_transformation(numbers(value))
        .with_transformation(transformation("filterFieldsByName", include={"names": [START, value, series]}))
        .with_transformation(transformation("sortBy", sort=[{"field": START}]))
        .with_transformation(transformation("partitionByValues", fields=[series], naming={"asLabels": True}))
        .override_by_field_type("number", [DynamicConfigValue("displayName", f'${{__field.labels["{series}"]}}')])
    )
    for name, colour in colours.items():
        # Grafana matches the name that a series has before it gets its short one
        panel.override_by_regexp(f".*{name}.*", [palette.fixed(colour)])
    return panel


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
