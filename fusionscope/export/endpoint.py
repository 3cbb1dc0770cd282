"""Where to send: an address and what goes with it, as the standard ``OTEL_EXPORTER_OTLP_*`` variables say."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from hashlib import sha256
from urllib.parse import unquote, urlsplit, urlunsplit

__all__ = ["Endpoint", "EndpointError", "Signal"]

DEFAULT_URL = "http://localhost:4318"
#: seconds; the default of the specification
DEFAULT_TIMEOUT_S = 10.0

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


class EndpointError(ValueError):
    """An address or a setting that cannot be used; the message is one sentence and holds no secret."""


class Signal(Enum):
    """What is sent: its path below the base address."""

    TRACES = "/v1/traces"
    METRICS = "/v1/metrics"


@dataclass(frozen=True)
class Endpoint:
    """One OTLP/HTTP receiver.

    ``url`` is a base address, as in ``OTEL_EXPORTER_OTLP_ENDPOINT``, or that of one signal. ``certificate`` is a file
    of the authorities to trust instead of the usual ones. ``timeout_s`` bounds the connection and each wait for an
    answer. Headers and the address may hold passwords: show ``shown`` and nothing else.
    """

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    certificate: str | None = None
    client_certificate: str | None = None
    client_key: str | None = None
    timeout_s: float = DEFAULT_TIMEOUT_S

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        except ValueError:
            valid = False
        if not valid or re.search(r"[\x00-\x20\x7f]", self.url):
            raise EndpointError(f"The OTLP endpoint must be an address like {DEFAULT_URL}.")

    @classmethod
    def of(cls, url: str | None, environment: Mapping[str, str]) -> Endpoint:
        """Return the endpoint at ``url``, else at ``OTEL_EXPORTER_OTLP_ENDPOINT``; the other variables complete it.

        Raises:
            EndpointError: an address or a header that cannot be sent.
        """
        return cls(
            url or environment.get("OTEL_EXPORTER_OTLP_ENDPOINT") or DEFAULT_URL,
            _headers(environment.get("OTEL_EXPORTER_OTLP_HEADERS", "")),
            environment.get("OTEL_EXPORTER_OTLP_CERTIFICATE") or None,
            environment.get("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE") or None,
            environment.get("OTEL_EXPORTER_OTLP_CLIENT_KEY") or None,
        )

    def address(self, signal: Signal) -> str:
        """Return the address for ``signal``. One that already names a signal is used as it stands, its sibling derived."""
        parts = urlsplit(self.url)
        if parts.path.endswith(signal.value):
            return self.url
        path = parts.path.rstrip("/")
        for other in Signal:
            path = path.removesuffix(other.value)
        return urlunsplit((parts.scheme, parts.netloc, path + signal.value, parts.query, ""))

    def fingerprint(self, signal: Signal) -> str:
        """Return what tells this configuration from another one, and from which none of its passwords can be read."""
        told = [self.address(signal), *(f"{name}={value}" for name, value in sorted(self.headers.items()))]
        return sha256("\n".join(told).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @property
    def shown(self) -> str:
        """The address as a person may see it: without user, password and query."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    @property
    def is_loopback(self) -> bool:
        """Whether the receiver is on this machine, so that no proxy may come between."""
        host = urlsplit(self.url).hostname or ""
        if host == "localhost" or host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False


def _headers(text: str) -> dict[str, str]:
    """``name=value,name=value``, values percent-encoded."""
    found = {}
    for pair in filter(None, (pair.strip() for pair in text.split(","))):
        name, equals, value = pair.partition("=")
        name, value = name.strip().lower(), unquote(value.strip())
        if not equals or not _TOKEN.fullmatch(name) or not _VALUE.fullmatch(value):
            raise EndpointError("OTEL_EXPORTER_OTLP_HEADERS must read name=value,name=value, the values percent-encoded.")
        found[name] = value
    return found
