"""The whole dashboard, and its JSON."""

from __future__ import annotations

import json
from pathlib import Path

from grafana_foundation_sdk.builders.dashboard import Dashboard
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import DashboardCursorSync

from stack.dashboard import variables
from stack.dashboard.cost import cost
from stack.dashboard.headline import headline
from stack.dashboard.layout import place
from stack.dashboard.route import route
from stack.dashboard.turn import UID, one_turn
from stack.dashboard.work import work

__all__ = ["FILE", "dashboard_json"]

FILE = Path(__file__).parents[1] / "grafana" / "dashboards" / "fusionscope.json"


def dashboard_json() -> str:
    """Return the dashboard in Grafana's classic format, which 11, 12 and 13 load."""
    dashboard = (
        Dashboard("Fusionscope")
        .uid(UID)
        .description("GitHub Copilot Fusion turns: which models ran, what they decided, what it cost.")
        .tags(["copilot", "fusion"])
        .readonly()
        .time("now-30d", "now")
        .refresh("1m")
        .tooltip(DashboardCursorSync.CROSSHAIR)
        .variables([variables.session(), variables.pattern(), variables.model(), variables.trace_id()])
    )
    place(dashboard, [headline(), work(), cost(), route(), one_turn()])
    return json.dumps(dashboard.build(), cls=JSONEncoder, indent=2, sort_keys=True) + "\n"
