"""OTLP gauges as the body of Prometheus' remote write: what the collector's exporter of that name makes of them.

The Prometheus of Debian 12 takes no OTLP. The protobuf messages (prompb ``WriteRequest``: series 1 of labels 1 and samples 2)
are four fields deep, so they are written here by hand.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

import cramjam

from tests.export.receiver import values

if TYPE_CHECKING:
    from opentelemetry.proto.metrics.v1.metrics_pb2 import ResourceMetrics

__all__ = ["body"]

_Labels = tuple[tuple[str, str], ...]


def body(metrics: Iterable[ResourceMetrics]) -> bytes:
    """Return all points of all gauges, each at its own time, in a compressed write request."""
    series: defaultdict[_Labels, list[tuple[int, float]]] = defaultdict(list)
    for resource_metrics in metrics:
        resource = values(resource_metrics.resource.attributes)
        who = {"job": resource["service.name"], "instance": resource["service.instance.id"]}
        for scope_metrics in resource_metrics.scope_metrics:
            for metric in scope_metrics.metrics:
                for point in metric.gauge.data_points:
                    labels = {key.replace(".", "_"): _text(value) for key, value in values(point.attributes).items()}
                    named = {"__name__": metric.name.replace(".", "_"), **who, **labels}
                    amount = point.as_int if point.WhichOneof("value") == "as_int" else point.as_double
                    series[tuple(sorted(named.items()))].append((point.time_unix_nano // 1_000_000, float(amount)))
    written = b"".join(_message(1, _series(labels, sorted(points))) for labels, points in series.items())
    return bytes(cramjam.snappy.compress_raw(written))


def _series(labels: _Labels, points: list[tuple[int, float]]) -> bytes:
    named = b"".join(_message(1, _message(1, name.encode()) + _message(2, value.encode())) for name, value in labels)
    sampled = b"".join(_message(2, b"\x09" + struct.pack("<d", value) + b"\x10" + _varint(at)) for at, value in points)
    return named + sampled


def _message(field: int, content: bytes) -> bytes:
    return bytes([field << 3 | 2]) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
