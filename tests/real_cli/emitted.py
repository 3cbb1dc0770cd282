"""What a version of the CLI emits, by name and never by value: on disk, as OTLP, and in the event schema that it carries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality, Metric
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from fusionscope.decode.events import FUSION_TYPES
from tests.export.receiver import Receiver, values
from tests.real_cli.conftest import Cli
from tests.real_cli.standin import Reply, StandIn

__all__ = ["emitted"]

_MODEL = "stand-in"
_REPLIES = (
    Reply(command="echo one", input_tokens=12_003, output_tokens=57, cached_tokens=8_000),
    Reply("It says one.", input_tokens=12_101, output_tokens=7, cached_tokens=12_000),
    Reply("As before.", input_tokens=12_203, output_tokens=11, cached_tokens=12_100),
    Reply("A summary.", input_tokens=12_305, output_tokens=13, cached_tokens=12_200),
)


def emitted(cli: Cli, copilot_home: Path) -> dict[str, Any]:
    """Run a session of two prompts, one tool call and a compaction in three processes, and return the names of all that came.

    ``disk``: the fields of each event type. ``spans`` and ``metrics``: what the first process sent to an endpoint (what the
    others send of a resumed session hangs on when they end). ``schema``: the fields of
    each Fusion event in the CLI's own schema, of which offline none is written, and the number of event types in it.
    """
    with Receiver() as receiver, StandIn(*_REPLIES) as model:
        more = {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}
        for place, prompt in enumerate(("What does it say?", "And now?", "/compact")):
            again = [f"--resume={log.parent.name}" for log in copilot_home.glob("session-state/*/events.jsonl")]
            assert len(again) == bool(place)
            done = cli.run(
                copilot_home, model, "-p", prompt, "--allow-all-tools", *again, name=_MODEL, **({} if again else more)
            )
            assert done.returncode == 0, done.stderr
    assert len(model.calls) == len(_REPLIES)
    (log,) = copilot_home.glob("session-state/*/events.jsonl")
    return {
        "version": cli.version,
        "disk": _disk(log),
        "paths": sorted({request.path for request in receiver.requests}),
        "resource": sorted(_resource_keys(receiver)),
        "scopes": sorted(_scopes(receiver)),
        "spans": _spans(receiver.spans),
        "metrics": _metrics(receiver.metrics),
        "schema": _schema(cli.event_schema()),
    }


def _disk(log: Path) -> dict[str, list[str]]:
    found: dict[str, set[str]] = {}
    for line in log.read_bytes().splitlines():
        record = json.loads(line)
        found.setdefault(record["type"], set()).update(record["data"])
    return {kind: sorted(names) for kind, names in sorted(found.items())}


def _resource_keys(receiver: Receiver) -> set[str]:
    resources = [part.resource for request in receiver.accepted for part in request.resource_spans]
    resources += [part.resource for request in receiver.accepted for part in request.resource_metrics]
    return {key for resource in resources for key in values(resource.attributes)}


def _scopes(receiver: Receiver) -> set[str]:
    of_spans = [scope for request in receiver.accepted for part in request.resource_spans for scope in part.scope_spans]
    of_metrics = [scope for request in receiver.accepted for part in request.resource_metrics for scope in part.scope_metrics]
    return {scope.scope.name for scope in (*of_spans, *of_metrics)}


def _spans(spans: list[Span]) -> dict[str, Any]:
    """Spans by name: kind, status, keys of attributes, events with the keys of theirs."""
    found: dict[str, Any] = {}
    for span in spans:
        name = span.name.replace(_MODEL, "<model>")
        kind = Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_")
        one = found.setdefault(name, {"kind": kind, "status": set(), "attributes": set(), "events": {}})
        one["status"].add(Status.StatusCode.Name(span.status.code).removeprefix("STATUS_CODE_"))
        one["attributes"] |= values(span.attributes).keys()
        for event in span.events:
            one["events"].setdefault(event.name, set()).update(values(event.attributes))
    for one in found.values():
        one["status"] = sorted(one["status"])
        one["attributes"] = sorted(one["attributes"])
        one["events"] = {name: sorted(keys) for name, keys in sorted(one["events"].items())}
    return dict(sorted(found.items()))


def _metrics(metrics: list[Metric]) -> dict[str, Any]:
    """Metrics by name: instrument, temporality, unit, keys of labels."""
    found: dict[str, Any] = {}
    for metric in metrics:
        instrument = str(metric.WhichOneof("data"))
        data = getattr(metric, instrument)
        sums = AggregationTemporality.Name(data.aggregation_temporality).removeprefix("AGGREGATION_TEMPORALITY_")
        one = found.setdefault(
            metric.name, {"instrument": instrument, "temporality": sums, "unit": metric.unit, "labels": set()}
        )
        for point in data.data_points:
            one["labels"] |= values(point.attributes).keys()
    return {name: one | {"labels": sorted(one["labels"])} for name, one in sorted(found.items())}


def _schema(path: Path) -> dict[str, Any]:
    definitions = json.loads(path.read_text(encoding="utf-8"))["definitions"]
    data = {
        kind: event["properties"]["data"]
        for event in definitions.values()
        if {"data", "timestamp"} <= event.get("properties", {}).keys() and (kind := event["properties"]["type"].get("const"))
    }

    def names(kind: str) -> list[str]:
        inner = data[kind]
        if "$ref" in inner:
            inner = definitions[inner["$ref"].rpartition("/")[2]]
        return sorted(inner["properties"])

    return {"event_types": len(data), "fusion": {kind: names(kind) for kind in sorted(FUSION_TYPES)}}
