"""The receiver is a tool of many tests: what it keeps has to be what was sent."""

from __future__ import annotations

import requests

from tests.export.receiver import Receiver, Reply


def test_what_is_no_otlp_is_refused_and_kept() -> None:
    with Receiver() as receiver:
        bad = requests.post(receiver.url + "/v1/traces", b"\xff\xff", timeout=5)
        torn = requests.post(receiver.url + "/v1/traces", b"\x1f\x8b", headers={"Content-Encoding": "gzip"}, timeout=5)
        lost = requests.post(receiver.url + "/", b"", timeout=5)
    assert [bad.status_code, torn.status_code, lost.status_code] == [400, 400, 404]
    assert [request.path for request in receiver.requests] == ["/v1/traces", "/v1/traces", "/"]
    assert (receiver.accepted, receiver.spans, receiver.metrics) == ([], [], [])


def test_queued_replies_come_first_then_the_decision_then_200() -> None:
    with Receiver() as receiver:
        receiver.reply(503, {"Retry-After": "1"}, b"busy", times=2)
        receiver.decide = lambda request: Reply(404 if request.path == "/x/v1/traces" else 200)
        answers = [requests.post(receiver.url + path, b"", timeout=5) for path in ["/v1/traces"] * 3 + ["/x/v1/traces"]]
    assert [answer.status_code for answer in answers] == [503, 503, 200, 404]
    assert (answers[0].headers["Retry-After"], answers[0].content) == ("1", b"busy")


def test_closing_does_not_wait_for_clients_or_delays() -> None:
    with requests.Session() as session, Receiver() as receiver:
        session.post(receiver.url + "/v1/traces", b"", timeout=5)
        receiver.reply(200, delay=60)
    assert len(receiver.requests) == 1
