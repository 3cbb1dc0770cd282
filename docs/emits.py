"""The generated parts of ``docs/WHAT-THE-CLI-EMITS.md``: names on disk and in OTLP, version beside version.

From what was measured with the real CLI (``docs/emitted``; ``tests/real_cli`` measures again) and from the committed logs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from docs.samples import SAMPLES, records, version_of
from fusionscope.decode.events import DECODERS
from fusionscope.report.markdown import code, table

__all__ = ["MEASURED", "emits_parts", "measured", "measured_path"]

#: the versions that are measured, oldest first
MEASURED = ("1.0.84-4", "1.0.102")


def measured_path(version: str) -> Path:
    """Return where the measurement of a version is kept."""
    return Path(__file__).parent / "emitted" / f"{version}.json"


def measured(version: str) -> dict[str, Any]:
    """Return what a version was seen to emit, in names."""
    return dict(json.loads(measured_path(version).read_text(encoding="utf-8")))


def emits_parts() -> dict[str, list[str]]:
    """Return the parts by name."""
    found = {version: measured(version) for version in MEASURED}
    return {
        "disk": _disk({version: _on_disk(version, one) for version, one in found.items()}),
        "schema": _schema(found),
        "spans": _spans(found),
        "span-events": _span_events(found),
        "metrics": _metrics(found),
        "resource": _resource(found),
    }


def _on_disk(version: str, one: Mapping[str, Any]) -> dict[str, set[str]]:
    """The fields of each event type, as measured and in the committed logs of that version."""
    fields = {kind: set(names) for kind, names in one["disk"].items()}
    for sample in SAMPLES:
        if version_of(sample) == version:
            for record in records(sample):
                fields.setdefault(record["type"], set()).update(record["data"])
    return fields


def _disk(found: Mapping[str, Mapping[str, set[str]]]) -> list[str]:
    old, new = found.values()
    rows = []
    for kind in sorted(old.keys() | new.keys()):
        read = "yes" if kind in DECODERS else "no"
        rows.append((code(kind), read, *_differences(old.get(kind, set()), new.get(kind, set()))))
    return table(("event", "read", "fields in both", *(f"only in {version}" for version in found)), rows)


def _schema(found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    counts = " and ".join(f"{one['schema']['event_types']} event types in {version}" for version, one in found.items())
    old, new = (one["schema"]["fusion"] for one in found.values())
    rows = [(code(kind), *_differences(set(old[kind]), set(new[kind]))) for kind in old]
    heading = ("event", "fields in both", *(f"only in {version}" for version in found))
    return [f"The schemas have {counts}.", "", *table(heading, rows)]


def _spans(found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """One row an operation: a version may add to the name of the span."""
    every: dict[str, dict[str, tuple[str, Any]]] = {}
    for version, one in found.items():
        for name, span in one["spans"].items():
            every.setdefault(name.partition(" ")[0], {})[version] = name, span
    rows = []
    for by_version in every.values():
        names = dict.fromkeys(name for name, _ in by_version.values())
        kinds = dict.fromkeys(span["kind"] for _, span in by_version.values())
        old, new = (set(by_version[version][1]["attributes"]) for version in MEASURED)
        status = dict.fromkeys(word for _, span in by_version.values() for word in span["status"])
        rows.append((", then ".join(map(code, names)), ", ".join(kinds), ", ".join(status), *_differences(old, new)))
    return table(("span", "kind", "status", "attributes in both", *(f"only in {version}" for version in found)), rows)


def _span_events(found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    rows = [
        (version, code(span), code(event), _listed(keys))
        for version, one in found.items()
        for span, its in one["spans"].items()
        for event, keys in its["events"].items()
    ]
    return table(("version", "on the span", "event", "attributes"), rows)


def _metrics(found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    every: dict[str, dict[str, Any]] = {}
    for version, one in found.items():
        for name, metric in one["metrics"].items():
            every.setdefault(name, {})[version] = metric
    rows = []
    for name, by_version in sorted(every.items()):
        last = by_version[max(by_version, key=MEASURED.index)]
        versions = "both" if len(by_version) == len(found) else f"only {next(iter(by_version))}"
        instrument = f"{last['instrument']}, {last['temporality'].lower()}"
        rows.append((code(name), instrument, code(last["unit"]), versions, _listed(last["labels"])))
    return table(("metric", "instrument", "unit", "versions", "labels (of the newest)"), rows)


def _resource(found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return [
        f"- {version}: {_listed(one['resource'])}; scope {_listed(one['scopes'])}; sent to {_listed(one['paths'])}"
        for version, one in found.items()
    ]


def _differences(old: set[str], new: set[str]) -> tuple[str, str, str]:
    """What is in both, only in the old one, only in the new one."""
    return _listed(sorted(old & new)), _listed(sorted(old - new)), _listed(sorted(new - old))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(code, names))
