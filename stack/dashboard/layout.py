"""Rows of panels. Panels fill Grafana's 24 columns from left to right by their own widths; ids count in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from grafana_foundation_sdk.builders import bargauge, stat, table, timeseries
from grafana_foundation_sdk.builders.dashboard import Dashboard, Panel, Row

__all__ = ["AnyPanel", "RowOf", "place"]

AnyPanel = Panel | stat.Panel | bargauge.Panel | table.Panel | timeseries.Panel


class RowOf(NamedTuple):
    """A title and the panels below it; each line of them must be 24 columns wide."""

    title: str
    panels: Sequence[AnyPanel]


def place(dashboard: Dashboard, rows: Sequence[RowOf]) -> Dashboard:
    """Add the rows, one below the other."""
    number = 0
    for row in rows:
        number += 1
        dashboard.with_row(Row(row.title).id(number))
        for panel in row.panels:
            number += 1
            dashboard.with_panel(panel.id(number))
    return dashboard
