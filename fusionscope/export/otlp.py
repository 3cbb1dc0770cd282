"""OTLP over HTTP: encode, and post once.

The encoder is the official one. The exporter is not, on purpose: ``OTLPSpanExporter`` hides the status code and the
partial success, so nobody could tell a full body from a wrong password, and it sleeps and retries inside. Here one
call is one request with an answer that says what happened; the queue, the waiting and the splitting are other
modules'.
"""

from __future__ import annotations

import errno
import gzip
import socket
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING

import requests
from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

import fusionscope
from fusionscope.export import names
from fusionscope.export.answer import Answer, Later, Refused, Taken, TooLarge, Unfit, Unreachable, answer_of
from fusionscope.export.endpoint import Endpoint, EndpointError, Signal

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import MetricsData
    from opentelemetry.sdk.trace import ReadableSpan

__all__ = [
    "Answer", "Client", "Endpoint", "EndpointError", "Later", "Refused", "Signal", "Taken", "TooLarge", "Unfit", "Unreachable",
    "metrics_body", "traces_body",
]  # fmt: skip

#: bytes; an answer holds a short message, whatever a stranger sends
_LONGEST_ANSWER = 65_536
_FAST = 6


def traces_body(spans: Sequence[ReadableSpan]) -> bytes:
    """Return spans as the body of an OTLP request."""
    body: bytes = encode_spans(spans).SerializeToString()
    return body


def metrics_body(data: MetricsData) -> bytes:
    """Return metrics as the body of an OTLP request."""
    body: bytes = encode_metrics(data).SerializeToString()
    return body


class Client:
    """A connection to one receiver, to be closed. Not for several threads at once."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._gzip = True
        self._session = requests.Session()
        # the environment would add passwords of ~/.netrc, and a proxy for addresses of this machine
        self._session.trust_env = False
        if not endpoint.is_loopback:
            self._session.proxies = requests.utils.get_environ_proxies(endpoint.url)
        self._session.verify = endpoint.certificate or True
        if endpoint.client_certificate and endpoint.client_key:
            self._session.cert = (endpoint.client_certificate, endpoint.client_key)
        else:
            self._session.cert = endpoint.client_certificate

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections that are kept open between requests."""
        self._session.close()

    def traces(self, spans: Sequence[ReadableSpan]) -> Answer:
        """Send spans."""
        return self.post(Signal.TRACES, traces_body(spans))

    def metrics(self, data: MetricsData) -> Answer:
        """Send metrics."""
        return self.post(Signal.METRICS, metrics_body(data))

    def post(self, signal: Signal, body: bytes) -> Answer:
        """Send an encoded body with one request; with a second one only where the receiver turns out to take no gzip.

        Never raises for what a receiver or a network does.
        """
        answer = self._post(signal, body)
        if self._gzip and isinstance(answer, Refused) and answer.status == 415:
            self._gzip = False
            answer = self._post(signal, body)
        return answer

    def _post(self, signal: Signal, body: bytes) -> Answer:
        headers = {
            **self._endpoint.headers,
            "content-type": "application/x-protobuf",
            "user-agent": f"{names.SERVICE}/{fusionscope.__version__}",
        }
        if self._gzip:
            body = gzip.compress(body, _FAST, mtime=0)
            headers["content-encoding"] = "gzip"
        timeout = self._endpoint.timeout_s
        shown = self._endpoint.shown
        try:
            with self._session.post(
                self._endpoint.address(signal),
                data=body,
                headers=headers,
                timeout=timeout,
                # a redirect would carry the headers to a host that nobody named
                allow_redirects=False,
                stream=True,
            ) as response:
                said = _read(response, time.monotonic() + timeout)
                return answer_of(response.status_code, response.headers, said, shown=shown)
        except requests.Timeout as error:
            return Later(None, f"{shown} did not answer within {timeout:g} s", isinstance(error, requests.ReadTimeout))
        except requests.exceptions.SSLError as error:
            return Unreachable(f"{shown} cannot be trusted: {_tls_reason(error)}")
        except requests.exceptions.ProxyError:
            return Unreachable(f"{shown} cannot be reached through the proxy that the environment names")
        except requests.ConnectionError as error:
            return Later(None, f"{shown} cannot be reached: {_reason(error)}", _broke_off(error))
        except (requests.RequestException, OSError, ValueError) as error:
            return Unreachable(f"{shown} cannot be used: {_reason(error)}")


def _read(response: requests.Response, deadline: float) -> bytes:
    """The start of the body. Byte by byte, because a larger piece would wait for a receiver that drips.

    The status decides: a body that breaks off must not turn "taken" into "try again".
    """
    found = bytearray()
    try:
        for piece in response.iter_content(1):
            found += piece
            if len(found) >= _LONGEST_ANSWER or time.monotonic() > deadline:
                break
    except requests.RequestException:
        pass
    return bytes(found)


def _causes(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _reason(error: BaseException) -> str:
    """In plain words what the network said, deep below the exceptions of three libraries."""
    for cause in _causes(error):
        if isinstance(cause, socket.gaierror):
            return "its name is not known"
        if isinstance(cause, OSError) and cause.errno is not None:
            return _ERRNO.get(cause.errno) or (cause.strerror or "the connection failed").lower()
    if isinstance(error, requests.ConnectionError):
        return "the connection was closed before an answer came"
    return "check the address and the OTEL_EXPORTER_OTLP_* variables"


def _broke_off(error: BaseException) -> bool:
    """Whether there was a connection, and it was closed before an answer came."""
    numbers = [cause.errno for cause in _causes(error) if isinstance(cause, OSError)]
    return all(number in _CLOSED for number in numbers if number is not None)


def _tls_reason(error: BaseException) -> str:
    for cause in _causes(error):
        message = getattr(cause, "verify_message", None)
        if message:
            return str(message)
    return "no secure connection came about"


_CLOSED = frozenset({errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE})
_ERRNO = {
    errno.ECONNREFUSED: "nothing listens there (connection refused)",
    errno.ECONNRESET: "the connection was closed before an answer came",
    errno.EPIPE: "the connection was closed before an answer came",
    errno.EHOSTUNREACH: "there is no way to that host",
    errno.ENETUNREACH: "there is no network",
}
