"""Metrics with the names of Copilot CLI's own telemetry, in both of its vocabularies."""

from __future__ import annotations

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import (
    AGGREGATION_TEMPORALITY_CUMULATIVE,
    Histogram,
    HistogramDataPoint,
    Metric,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

__all__ = ["HISTOGRAMS", "SUMS", "cli_metrics"]

#: names of CLI 1.0.84 and 1.0.102 -> the unit they have
HISTOGRAMS = {
    "gen_ai.client.operation.duration": "s",
    "gen_ai.client.token.usage": "{token}",
    "gen_ai.client.inference.duration": "s",
    "gen_ai.client.inference.operation.input_tokens": "{token}",
    "gen_ai.invoke_agent.tool_calls": "{tool_call}",
    "github.copilot.agent.turn.count": "{turn}",
}
SUMS = {
    "gen_ai.client.inference.usage.input_tokens": "{token}",
    "gen_ai.client.inference.usage.cache_read.input_tokens": "{token}",
    "github.copilot.tool.call.count": "{call}",
}


def cli_metrics(now_ns: int) -> bytes:
    """One export of the CLI: every sum is 12, every histogram has one value, 3."""
    labels = [_text("gen_ai.response.model", "gpt-5.6-sol")]
    metrics = [
        Metric(
            name=name,
            unit=unit,
            sum=Sum(
                data_points=[NumberDataPoint(attributes=labels, start_time_unix_nano=now_ns, time_unix_nano=now_ns, as_int=12)],
                aggregation_temporality=AGGREGATION_TEMPORALITY_CUMULATIVE,
                is_monotonic=True,
            ),
        )
        for name, unit in SUMS.items()
    ]
    point = HistogramDataPoint(
        attributes=labels,
        start_time_unix_nano=now_ns,
        time_unix_nano=now_ns,
        count=1,
        sum=3.0,
        bucket_counts=[0, 1, 0],
        explicit_bounds=[1.0, 4.0],
    )
    metrics += [
        Metric(
            name=name,
            unit=unit,
            histogram=Histogram(data_points=[point], aggregation_temporality=AGGREGATION_TEMPORALITY_CUMULATIVE),
        )
        for name, unit in HISTOGRAMS.items()
    ]
    resource = Resource(attributes=[_text("service.name", "github-copilot"), _text("service.version", "1.0.102")])
    of_scope = [ScopeMetrics(metrics=metrics)]
    body: bytes = ExportMetricsServiceRequest(
        resource_metrics=[ResourceMetrics(resource=resource, scope_metrics=of_scope)]
    ).SerializeToString()
    return body


def _text(key: str, value: str) -> KeyValue:
    return KeyValue(key=key, value=AnyValue(string_value=value))
