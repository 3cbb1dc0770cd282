"""The committed dashboard and the committed rules, read as any other program would."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from tests.stack.programs import ROOT

__all__ = ["BOARD", "DASHBOARD", "RULES", "RULES_FILE", "Rule", "Target", "filled", "promql", "traceql"]

DASHBOARD = ROOT / "stack" / "grafana" / "dashboards" / "fusionscope.json"
RULES_FILE = ROOT / "stack" / "prometheus" / "rules" / "fusionscope.yml"

BOARD: dict[str, Any] = json.loads(DASHBOARD.read_text(encoding="utf-8"))


class Target(NamedTuple):
    """One query of a panel."""

    panel: str
    ref_id: str
    query: str
    is_instant: bool
    every: str | None

    @property
    def key(self) -> tuple[str, str]:
        return self.panel, self.ref_id


class Rule(NamedTuple):
    """One alert."""

    name: str
    expression: str


def _targets(source: str, field: str) -> Iterator[Target]:
    for panel in BOARD["panels"]:
        for target in panel.get("targets", []):
            if target["datasource"]["type"] == source:
                yield Target(
                    panel["title"], target["refId"], target[field], target.get("instant", False), panel.get("interval")
                )


def promql() -> list[Target]:
    """Every PromQL of every panel."""
    return list(_targets("prometheus", "expr"))


def traceql() -> list[Target]:
    """Every TraceQL of every panel."""
    return list(_targets("tempo", "query"))


def _rules() -> Iterator[Rule]:
    for group in yaml.safe_load(RULES_FILE.read_text(encoding="utf-8"))["groups"]:
        for rule in group["rules"]:
            yield Rule(rule["alert"], rule["expr"])


RULES = list(_rules())

_VARIABLE = re.compile(r"\$(?:\{(\w+)(?::\w+)?\}|(\w+))")


def filled(query: str, **variables: str) -> str:
    """Return a query with its variables replaced, as Grafana does before it asks. Every variable must be given."""
    return _VARIABLE.sub(lambda found: variables[found[1] or found[2]], query)
