"""What can come of one POST, and which answer of a receiver is which.

The classes are those of the OTLP specification: only 429, 502, 503 and 504 are worth a retry, a partial success is a
success and never retried, everything else needs a person. ``why`` is one sentence for that person: no traceback, no
password.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple, Protocol, cast

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTracePartialSuccess, ExportTraceServiceResponse

from fusionscope.export.values import clean

__all__ = ["Answer", "Later", "Refused", "Taken", "TooLarge", "Unfit", "Unreachable", "answer_of"]


class Taken(NamedTuple):
    """The receiver has it: 2xx. It threw ``rejected`` spans or points away, says why in ``message``, and is not asked again."""

    rejected: int
    message: str


class TooLarge(NamedTuple):
    """The body is more than the receiver takes: to be sent in smaller parts."""

    why: str


class Unfit(NamedTuple):
    """Something in the body will never be taken and the rest falls with it: to be sent in parts until that one is found.

    Prometheus answers so (400) to a request with one sample that is older than its window. ``age``: it is age that makes
    it unfit, so everything that is older is unfit too.
    """

    why: str
    age: bool = False


class Later(NamedTuple):
    """Not now, the same body may be taken later: ``after_s`` is how many seconds the receiver asks to wait, if it does.

    ``broken``: the talk broke off in the middle, so the size of the body may be the matter.
    """

    after_s: float | None
    why: str
    broken: bool = False


class Refused(NamedTuple):
    """The receiver answered and does not want it. The same body will not be taken before somebody changes something."""

    status: int
    why: str

    @property
    def about_content(self) -> bool:
        """Whether it may be what was sent that is refused, and not who sent it, or where to."""
        return 400 <= self.status < 600 and self.status not in _NOT_THE_CONTENT

    @property
    def for_good(self) -> bool:
        """Whether nothing at all will be taken before somebody changes something: not so where the receiver fails (5xx)."""
        return self.status < 500 or not self.about_content


class Unreachable(NamedTuple):
    """No talk was possible, and waiting alone will not help: a certificate, a proxy, the address itself."""

    why: str


Answer = Taken | TooLarge | Unfit | Later | Refused | Unreachable

_NOT_THE_CONTENT = frozenset({401, 402, 403, 404, 405, 407, 410, 415, 421, 426, 451, 501, 505, 511})
_LATER = frozenset({408, 429, 502, 503, 504})
_LONGEST_MESSAGE = 200

#: says of a request that its size is the matter, whatever the status; gRPC's words and those of web servers
_TOO_LARGE = re.compile(r"larger than max|\b(request|message|body|entity|payload) (is )?too (large|big)", re.IGNORECASE)
#: says so only where the status does not speak of a rate, or data would be dropped that only came too fast
_LIKELY_TOO_LARGE = re.compile(
    r"too (large|big)|\b(message|body|entity|payload|size) (size )?exceed|resource[ _]?exhausted", re.IGNORECASE
)

#: Prometheus's words (its `storage` package) for samples that it will never take
_UNFIT = re.compile(r"\b(too old|out of order) sample|\bduplicate sample for timestamp|\bout of bounds\b", re.IGNORECASE)
#: out of bounds is also what comes from the future
_TOO_OLD = re.compile(r"\btoo old\b|\bout of bounds\b(?!.*\bfuture\b)", re.IGNORECASE)

_MEANINGS = {
    400: "does not understand what was sent",
    401: "wants to know who asks: set OTEL_EXPORTER_OTLP_HEADERS",
    403: "does not allow it: check OTEL_EXPORTER_OTLP_HEADERS",
    404: "has nothing at this address: is it an OTLP/HTTP endpoint?",
    405: "takes no POST at this address: is it an OTLP/HTTP endpoint?",
    407: "stands behind a proxy that wants a password",
    415: "takes no OTLP in protobuf",
    429: "gets too much at once",
    502: "has nobody behind its gateway",
    503: "cannot take it now",
    504: "got no answer behind its gateway",
}


class _PartialSuccess(Protocol):
    rejected_spans: int
    error_message: str


def answer_of(status: int, headers: Mapping[str, str], body: bytes, *, shown: str, now: datetime | None = None) -> Answer:
    """Return what the HTTP answer means. ``shown`` is the receiver's address as a person may see it.

    ``headers`` must find names in any case. ``now`` is needed for a ``Retry-After`` that is a date; default: the clock.
    """
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if 200 <= status < 300:
        if kind == "text/html":
            return Refused(status, f"{shown} is a web page and no OTLP receiver")
        return _taken(kind, body)
    said = _said(kind, body)
    likely = status not in _LATER and _LIKELY_TOO_LARGE.search(said)
    if status == 413 or likely or _TOO_LARGE.search(said):
        return TooLarge(_sentence(shown, "does not take as much at once", said))
    if status in {400, 500} and _UNFIT.search(said):
        return Unfit(_sentence(shown, "does not take every sample", said), bool(_TOO_OLD.search(said)))
    if status in _LATER:
        after = _retry_after(headers.get("retry-after", ""), now or datetime.now(UTC))
        return Later(after, _sentence(shown, _meaning(status), said))
    if 300 <= status < 400:
        return Refused(status, f"{shown} points to another address (HTTP {status}): give that one")
    return Refused(status, _sentence(shown, _meaning(status), said))


def _meaning(status: int) -> str:
    kind = "failed" if status >= 500 else "refuses it"
    return f"{_MEANINGS.get(status, kind)} (HTTP {status})"


def _sentence(shown: str, meaning: str, said: str) -> str:
    return f"{shown} {meaning}" + (f": {said}" if said else "")


def _taken(kind: str, body: bytes) -> Taken:
    """Read the partial success: the official exporter drops it. A body that cannot be read says nothing."""
    if kind == "application/json":
        return _taken_json(body)
    try:
        # the answers for traces and metrics differ in names only
        partial = cast("_PartialSuccess", ExportTraceServiceResponse.FromString(body).partial_success)
    except Exception:  # whatever a stranger's bytes do to the parser
        return Taken(0, "")
    return Taken(max(0, partial.rejected_spans), clean(partial.error_message, _LONGEST_MESSAGE))


def _taken_json(body: bytes) -> Taken:
    """OTLP/JSON has 64-bit numbers as strings."""
    try:
        partial = json.loads(body)["partialSuccess"]
        rejected = int(partial.get("rejectedSpans") or partial.get("rejectedDataPoints") or 0)
        return Taken(max(0, rejected), clean(str(partial.get("errorMessage") or ""), _LONGEST_MESSAGE))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return Taken(0, "")


def _said(kind: str, body: bytes) -> str:
    """What the receiver says of a failure: a ``google.rpc.Status`` as OTLP wants it, or any text."""
    if kind in {"application/x-protobuf", "application/protobuf"}:
        try:
            # a Status has the same shape on the wire (a number, then a text), and that type is in no package of ours
            status = cast("_PartialSuccess", ExportTracePartialSuccess.FromString(body))
        except Exception:  # whatever a stranger's bytes do to the parser
            return ""
        return clean(status.error_message, _LONGEST_MESSAGE)
    if kind == "text/html":
        return ""
    return clean(body.decode("utf-8", "replace"), _LONGEST_MESSAGE)


def _retry_after(value: str, now: datetime) -> float | None:
    """Seconds of a ``Retry-After``, which is a number of seconds or a date; ``None`` where it is neither."""
    value = value.strip()
    if re.fullmatch(r"[0-9]{1,9}", value):
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, (date.astimezone(UTC) - now).total_seconds())
