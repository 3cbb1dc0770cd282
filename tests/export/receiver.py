"""An OTLP/HTTP receiver on loopback that answers whatever a test wants and keeps what it was sent.

with Receiver() as receiver:
    receiver.reply(503, {"Retry-After": "2"})     # the next request only; then 200 again
    ...
    assert [span.name for span in receiver.spans] == ["fusion cascade", ...]
"""

from __future__ import annotations

import gzip
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

if TYPE_CHECKING:
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
    from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric, ResourceMetrics
    from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, Span

__all__ = ["Receiver", "Reply", "Request", "closed_port", "values"]

PROTOBUF = "application/x-protobuf"


@dataclass(frozen=True)
class Reply:
    """What to answer, after ``delay`` seconds (or sooner, when the receiver closes). Status 0: hang up without an answer."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": PROTOBUF})
    body: bytes = b""
    delay: float = 0.0


class Request(NamedTuple):
    """What came in: ``headers`` by lower-case name, ``raw`` the body as it was sent, ``body`` without its compression."""

    path: str
    headers: dict[str, str]
    raw: bytes
    body: bytes
    status: int

    @property
    def resource_spans(self) -> list[ResourceSpans]:
        if not self.path.endswith("/v1/traces"):
            return []
        return list(ExportTraceServiceRequest.FromString(self.body).resource_spans)

    @property
    def resource_metrics(self) -> list[ResourceMetrics]:
        if not self.path.endswith("/v1/metrics"):
            return []
        return list(ExportMetricsServiceRequest.FromString(self.body).resource_metrics)

    @property
    def spans(self) -> list[Span]:
        return [span for part in self.resource_spans for scope in part.scope_spans for span in scope.spans]

    @property
    def metrics(self) -> list[Metric]:
        return [metric for part in self.resource_metrics for scope in part.scope_metrics for metric in scope.metrics]


class Receiver:
    """The receiver. ``decide`` makes the answer to a request for which no ``reply`` is queued; default: 200, empty.

    ``port`` 0 is any that is free.
    """

    def __init__(self, port: int = 0) -> None:
        self.requests: list[Request] = []
        self.decide: Callable[[Request], Reply] = lambda request: Reply()
        self._replies: deque[Reply] = deque()
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", port), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """The base address, as in OTEL_EXPORTER_OTLP_ENDPOINT."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def accepted(self) -> list[Request]:
        """The requests that were answered with 2xx."""
        return [request for request in self.requests if 200 <= request.status < 300]

    @property
    def spans(self) -> list[Span]:
        """The spans of all accepted requests, in the order they came."""
        return [span for request in self.accepted for span in request.spans]

    @property
    def metrics(self) -> list[Metric]:
        """The metrics of all accepted requests, in the order they came."""
        return [metric for request in self.accepted for metric in request.metrics]

    def reply(
        self, status: int, headers: Mapping[str, str] | None = None, body: bytes = b"", *, delay: float = 0.0, times: int = 1
    ) -> None:
        """Queue the answer to the next ``times`` requests."""
        self._replies.extend([Reply(status, {"Content-Type": PROTOBUF} | dict(headers or {}), body, delay)] * times)

    def __enter__(self) -> Receiver:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, path: str, headers: dict[str, str], raw: bytes) -> Reply:
        """Keep the request and return its answer. What is no OTLP is answered with 400, whatever is queued."""
        try:
            body = gzip.decompress(raw) if headers.get("content-encoding") == "gzip" else raw
            request = Request(path, headers, raw, body, 0)
            reply = None if request.path.endswith(("/v1/traces", "/v1/metrics")) else Reply(404)
            _ = request.spans, request.metrics
        except Exception as broken:  # also protobuf's own, whose package has no types
            request, reply = Request(path, headers, raw, b"", 0), Reply(400, body=str(broken).encode())
        if self._replies:
            reply = self._replies.popleft()
        if reply is None:
            reply = self.decide(request)
        self.requests.append(request._replace(status=reply.status))
        return reply

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                headers = {name.lower(): value for name, value in self.headers.items()}
                reply = receiver._answer(self.path, headers, raw)
                receiver._closing.wait(reply.delay)
                if reply.status == 0:
                    self.close_connection = True
                    return
                try:
                    self.send_response(reply.status)
                    for name, value in reply.headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(reply.body)))
                    self.end_headers()
                    self.wfile.write(reply.body)
                except OSError:
                    self.close_connection = True  # the client did not wait

            def log_message(self, *args: object) -> None:
                """Keep the test's output clean."""

        return Handler


class _Server(ThreadingHTTPServer):
    """Closes what clients keep open, so that no thread and no socket outlives a test."""

    daemon_threads = False

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._open: set[socket.socket] = set()
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error of a test."""

    def server_close(self) -> None:
        for connection in list(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        super().server_close()


@contextmanager
def closed_port() -> Iterator[int]:
    """A port on which nothing listens, and which nobody else gets meanwhile."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield int(bound.getsockname()[1])


def values(attributes: Iterable[KeyValue]) -> dict[str, Any]:
    """Protobuf attributes as plain Python; an attribute without a value is ``None``."""
    return {pair.key: _value(pair.value) for pair in attributes}


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    if kind == "array_value":
        return [_value(item) for item in value.array_value.values]
    return getattr(value, kind)
