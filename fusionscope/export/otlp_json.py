"""Spans as OTLP JSON: what a receiver takes at ``/v1/traces`` with ``Content-Type: application/json``.

Protobuf's own JSON but for the ids, which are hexadecimal and not base64, and enumerations, which are numbers
(opentelemetry.io/docs/specs/otlp, "JSON Protobuf encoding").
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

__all__ = ["traces_json"]

_IDS = frozenset({"traceId", "spanId", "parentSpanId"})


def traces_json(spans: Sequence[ReadableSpan]) -> str:
    """Return spans as the text of an OTLP JSON request."""
    return json.dumps(_with_hex_ids(MessageToDict(encode_spans(spans), use_integers_for_enums=True)), indent=2) + "\n"


def _with_hex_ids(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: base64.b64decode(held).hex() if key in _IDS else _with_hex_ids(held) for key, held in value.items()}
    if isinstance(value, list):
        return [_with_hex_ids(item) for item in value]
    return value
