"""What arrives at the other end: our own encoding, decoded again with the official messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from fusionscope.export.otlp import metrics_body, traces_body
from tests.export.receiver import values

if TYPE_CHECKING:
    from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
    from opentelemetry.proto.trace.v1.trace_pb2 import Span
    from opentelemetry.sdk.metrics.export import MetricsData
    from opentelemetry.sdk.trace import ReadableSpan

__all__ = ["arrived_metrics", "arrived_spans", "series"]


def arrived_spans(spans: Iterable[ReadableSpan]) -> list[Span]:
    request = ExportTraceServiceRequest.FromString(traces_body(list(spans)))
    return [span for part in request.resource_spans for scope in part.scope_spans for span in scope.spans]


def arrived_metrics(data: MetricsData) -> dict[str, Metric]:
    request = ExportMetricsServiceRequest.FromString(metrics_body(data))
    return {
        metric.name: metric for part in request.resource_metrics for scope in part.scope_metrics for metric in scope.metrics
    }


def series(point: Any) -> tuple[tuple[str, Any], ...]:
    """The labels of a point, in a form that can be a key."""
    return tuple(sorted(values(point.attributes).items()))
