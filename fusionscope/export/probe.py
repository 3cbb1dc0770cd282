"""Asking an endpoint whether it is there: one request without content, which every receiver must take."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

from fusionscope.export.answer import Taken
from fusionscope.export.endpoint import Endpoint, Signal
from fusionscope.export.otlp import Client

__all__ = ["probe"]

#: seconds; a person waits for it
_PATIENCE_S = 3.0


def probe(endpoint: Endpoint) -> str | None:
    """Post no span, or no sample where the address is that of metrics. Returns why it was not taken, for a person."""
    signal = Signal.METRICS if urlsplit(endpoint.url).path.endswith(Signal.METRICS.value) else Signal.TRACES
    with Client(replace(endpoint, timeout_s=min(_PATIENCE_S, endpoint.timeout_s))) as client:
        # the empty message is no bytes at all, for either signal
        answer = client.post(signal, b"")
    return None if isinstance(answer, Taken) else answer.why
