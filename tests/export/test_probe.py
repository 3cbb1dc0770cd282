"""Asking an endpoint whether it is there: one empty request."""

from __future__ import annotations

import pytest

from fusionscope.export.endpoint import Endpoint
from fusionscope.export.probe import probe
from tests.export.receiver import Receiver, closed_port


@pytest.mark.parametrize(
    ("path", "asked"), [("", "/v1/traces"), ("/v1/traces", "/v1/traces"), ("/x/v1/metrics", "/x/v1/metrics")]
)
def test_an_endpoint_that_takes_nothing_at_all_is_there(path: str, asked: str) -> None:
    with Receiver() as receiver:
        assert probe(Endpoint(receiver.url + path, {"x-tenant": "7"})) is None
        (request,) = receiver.requests
    assert (request.path, request.body, request.headers["x-tenant"]) == (asked, b"", "7")


def test_why_it_is_not_there_is_a_sentence_without_the_password() -> None:
    with closed_port() as port:
        why = probe(Endpoint(f"http://user:secret@127.0.0.1:{port}"))
    assert why == f"http://127.0.0.1:{port} cannot be reached: nothing listens there (connection refused)"


def test_a_refusal_is_told() -> None:
    with Receiver() as receiver:
        receiver.reply(401)
        why = probe(Endpoint(receiver.url))
    assert why == f"{receiver.url} wants to know who asks: set OTEL_EXPORTER_OTLP_HEADERS (HTTP 401)"
