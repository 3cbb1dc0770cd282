"""Tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_uppercase

from grafana_foundation_sdk.builders import table
from grafana_foundation_sdk.models.dashboard import DynamicConfigValue

from fusionscope.export import names
from stack.dashboard.queries import PrometheusQuery, TempoQuery
from stack.dashboard.sources import PROMETHEUS, TEMPO
from stack.dashboard.transformations import numbers, transformation

__all__ = ["DURATION", "START", "columns", "ledger", "link"]

#: what Grafana calls the columns with the start of a span and with its length
START, DURATION = "Start time", "Duration"


def ledger(
    title: str, description: str, *queries: PrometheusQuery | TempoQuery, shown: Mapping[str, str], texts: Sequence[str] = ()
) -> table.Panel:
    """Return a table of the columns ``shown`` (field name to title) in that order; ``texts`` are numbers that come as text."""
    panel = (
        table.Panel()
        .title(title)
        .description(description)
        .datasource(TEMPO if isinstance(queries[0], TempoQuery) else PROMETHEUS)
        .no_value("")
        .filterable(True)
        .targets([query.ref_id(name) for query, name in zip(queries, ascii_uppercase, strict=False)])
    )
    if len(queries) > 1:
        panel.with_transformation(transformation("merge"))
    if texts:
        panel.with_transformation(numbers(*texts))
    return panel.with_transformation(
        transformation(
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
