"""The generated parts of ``docs/UPSTREAM.md``: each telemetry name beside its source, the request and the CLI's own."""

from __future__ import annotations

from collections.abc import Iterable

from docs.emits import MEASURED, measured
from docs.origins import ORIGINS
from fusionscope.export import names
from fusionscope.export.names import Metric
from fusionscope.report.markdown import code, table

__all__ = ["cli_attributes", "upstream_parts"]


def upstream_parts() -> dict[str, list[str]]:
    """Return the parts by name.

    Raises:
        KeyError: an attribute has no origin.
    """
    return {
        "attributes": _attributes(),
        "events": _events(),
        "samples": _metrics(names.SAMPLES),
        "counters": _metrics(names.TOTALS),
    }


def cli_attributes(version: str) -> set[str]:
    """Return the attributes that spans of a version of the CLI were seen to have, in turns without Fusion."""
    spans = measured(version)["spans"].values()
    return {attribute for span in spans for attribute in span["attributes"]}


def _attributes() -> list[str]:
    own = cli_attributes(MEASURED[-1])
    rows = []
    for name in sorted(names.SPAN_ATTRIBUTES):
        origin = ORIGINS[name]
        rows.append((code(name), ", ".join(origin.spans), origin.source, str(origin.asked), "yes" if name in own else "no"))
    return table(("attribute", "spans", "source in the log", "asked for", f"in the CLI's own spans ({MEASURED[-1]})"), rows)


def _events() -> list[str]:
    return [f"- {code(name)}" for name in sorted(names.EVENTS)]


def _metrics(metrics: Iterable[Metric]) -> list[str]:
    own = measured(MEASURED[-1])["metrics"]
    rows = [
        (
            code(metric.name),
            code(metric.unit) if metric.unit else "none",
            ", ".join(map(code, metric.labels)),
            f"{metric.description}.",
            "yes" if metric.name in own else "no",
        )
        for metric in metrics
    ]
    return table(("metric", "unit", "labels", "what it is", f"in the CLI's own metrics ({MEASURED[-1]})"), rows)
