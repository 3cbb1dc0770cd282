"""Write the dashboard where Grafana's provisioning finds it."""

from __future__ import annotations

from stack.dashboard.build import FILE, dashboard_json

FILE.write_text(dashboard_json(), encoding="utf-8")
