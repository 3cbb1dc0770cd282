from __future__ import annotations

from datetime import UTC, datetime

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsPartialSuccess,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTracePartialSuccess, ExportTraceServiceResponse
from requests.structures import CaseInsensitiveDict

from fusionscope.export.answer import Answer, Later, Refused, Taken, TooLarge, Unfit, answer_of

PROTOBUF = "application/x-protobuf"
NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


def answer(status: int, body: bytes = b"", kind: str = "text/plain", **headers: str) -> Answer:
    found = CaseInsensitiveDict({"Content-Type": kind, **{name.replace("_", "-"): value for name, value in headers.items()}})
    return answer_of(status, found, body, shown="http://h", now=NOW)


@pytest.mark.parametrize("status", [200, 202, 204])
def test_two_hundreds_are_taken_whatever_the_body(status: int) -> None:
    assert answer(status) == answer(status, b"ok") == answer(status, b"\xff\xff", PROTOBUF) == Taken(0, "")
    assert answer(status, b"{", "application/json") == Taken(0, "")


def test_a_partial_success_is_taken_and_says_how_much_was_thrown_away() -> None:
    traces = ExportTraceServiceResponse(partial_success=ExportTracePartialSuccess(rejected_spans=3, error_message="too\nold"))
    points = ExportMetricsServiceResponse(
        partial_success=ExportMetricsPartialSuccess(rejected_data_points=2, error_message="no")
    )
    assert answer(200, traces.SerializeToString(), PROTOBUF) == Taken(3, "too old")
    assert answer(200, points.SerializeToString(), PROTOBUF) == Taken(2, "no")
    assert answer(200, b'{"partialSuccess":{"rejectedSpans":"4","errorMessage":"x"}}', "application/json; v=1") == Taken(4, "x")
    assert answer(200, b'{"partialSuccess":{"rejectedDataPoints":5}}', "application/json") == Taken(5, "")
    assert answer(200, b'{"partialSuccess":{}}', "application/json") == Taken(0, "")


def test_a_warning_without_a_rejection_is_kept() -> None:
    warned = ExportTraceServiceResponse(partial_success=ExportTracePartialSuccess(error_message="careful"))
    assert answer(200, warned.SerializeToString(), PROTOBUF) == Taken(0, "careful")


def test_a_web_page_is_no_receiver() -> None:
    assert answer(200, b"<html>", "text/html; charset=utf-8") == Refused(200, "http://h is a web page and no OTLP receiver")


@pytest.mark.parametrize("status", [408, 429, 502, 503, 504])
def test_busy_receivers_are_asked_again(status: int) -> None:
    assert isinstance(answer(status), Later)


@pytest.mark.parametrize("status", [301, 307, 400, 401, 403, 404, 405, 415, 500, 501, 505])
def test_everything_else_needs_a_person(status: int) -> None:
    found = answer(status)
    assert isinstance(found, Refused)
    assert (found.status, found.why.count("\n"), found.why.startswith("http://h ")) == (status, 0, True)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2", 2.0),
        (" 120 ", 120.0),
        ("0", 0.0),
        ("Mon, 30 Nov 2026 12:00:30 GMT", 30.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("-5", None),
        ("soon", None),
        ("1e9", None),
        ("9" * 400, None),
        ("", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str, seconds: float | None) -> None:
    found = answer(503, Retry_After=value)
    assert isinstance(found, Later)
    assert found.after_s == seconds


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (413, ""),
        (400, "http: request body too large"),
        (400, "rpc error: code = ResourceExhausted"),
        (500, "grpc: received message larger than max (5 vs. 4)"),
        (503, "trying to send message larger than max (6000000 vs. 4194304)"),
        (429, "Request Entity Too Large"),
    ],
)
def test_a_body_beyond_the_limit_is_to_be_divided(status: int, said: str) -> None:
    assert isinstance(answer(status, said.encode()), TooLarge)


@pytest.mark.parametrize("said", ["resource exhausted", "request rate exceeds limit", "queue size exceeded"])
def test_a_rate_beyond_the_limit_is_not_divided_or_data_would_be_dropped(said: str) -> None:
    assert isinstance(answer(429, said.encode()), Later)


@pytest.mark.parametrize(
    ("said", "age"),
    [
        ("too old sample", True),
        ("out of bounds", True),
        ("out of bounds: timestamp is too far in the future", False),
        ("out of order sample", False),
        ("duplicate sample for timestamp", False),
    ],
)
def test_one_sample_that_prometheus_will_never_take_does_not_hold_up_the_rest(said: str, age: bool) -> None:
    assert answer(400, said.encode()) == Unfit(f"http://h does not take every sample: {said}", age)


def test_the_receiver_s_own_words_are_read_from_a_status_message_and_kept_short() -> None:
    # google.rpc.Status {code: 3, message: "bad\nthing"}
    status = b"\x08\x03\x12\x09bad\nthing"
    assert answer(400, status, PROTOBUF) == Refused(400, "http://h does not understand what was sent (HTTP 400): bad thing")
    found = answer(500, b"x" * 10_000)
    assert isinstance(found, Refused)
    assert len(found.why) < 250
    assert answer(404, b"<html>lots</html>", "text/html") == Refused(
        404, "http://h has nothing at this address: is it an OTLP/HTTP endpoint? (HTTP 404)"
    )
