"""Against a real receiver on loopback."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTracePartialSuccess, ExportTraceServiceResponse

import fusionscope
from fusionscope.export.identity import metric_resource, resource
from fusionscope.export.labels import Labels
from fusionscope.export.otlp import Client, Endpoint, Later, Refused, Signal, Taken, TooLarge, Unreachable
from fusionscope.export.points import sample_data, turn_points
from fusionscope.export.spans import turn_spans
from tests.export.receiver import Receiver, Reply, closed_port, values
from tests.turns import CASCADE

SPANS = turn_spans(CASCADE, resource("/root", "host"))


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as running:
        yield running


@contextmanager
def raw_server(answer: bytes) -> Iterator[int]:
    """A server that reads a little, says exactly ``answer`` and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(10)

        def serve() -> None:
            connection, _ = listening.accept()
            # the client may have heard enough
            with connection, suppress(OSError):
                connection.recv(65_536)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield listening.getsockname()[1]
        thread.join()


def test_a_turn_arrives_compressed_and_whole(receiver: Receiver) -> None:
    with Client(Endpoint(receiver.url)) as client:
        assert client.traces(SPANS) == Taken(0, "")
    (request,) = receiver.requests
    assert request.path == "/v1/traces"
    assert request.headers["content-type"] == "application/x-protobuf"
    assert request.headers["content-encoding"] == "gzip"
    assert request.headers["user-agent"] == f"fusionscope/{fusionscope.__version__}"
    assert gzip.decompress(request.raw) == request.body
    assert [span.name for span in receiver.spans] == [
        "fusion cascade", "primary mai-code-1.1-flash", "judge gpt-5.6-sol", "repair gpt-5.6-sol",
    ]  # fmt: skip
    (part,) = request.resource_spans
    assert values(part.resource.attributes)["service.name"] == "fusionscope"
    assert part.scope_spans[0].scope.name == "fusionscope"


def test_metrics_go_to_their_own_path(receiver: Receiver) -> None:
    samples = turn_points(CASCADE, Labels(["gpt-5.6-sol"]))
    with Client(Endpoint(receiver.url)) as client:
        assert client.metrics(sample_data(samples, metric_resource("/root", "host"))) == Taken(0, "")
    assert receiver.requests[0].path == "/v1/metrics"
    assert len(receiver.metrics) == 11


def test_headers_of_the_user_are_sent_but_do_not_change_what_the_body_is(receiver: Receiver) -> None:
    endpoint = Endpoint(receiver.url, {"authorization": "Basic YTpi", "content-type": "text/plain"})
    with Client(endpoint) as client:
        client.traces(SPANS)
    assert receiver.requests[0].headers["authorization"] == "Basic YTpi"
    assert receiver.requests[0].headers["content-type"] == "application/x-protobuf"


def test_a_receiver_that_takes_no_gzip_gets_it_plain_and_is_not_asked_again(receiver: Receiver) -> None:
    receiver.decide = lambda request: Reply(415 if "content-encoding" in request.headers else 200)
    with Client(Endpoint(receiver.url)) as client:
        assert client.traces(SPANS) == client.traces(SPANS) == Taken(0, "")
    assert [request.status for request in receiver.requests] == [415, 200, 200]
    assert receiver.requests[1].raw == receiver.requests[1].body
    assert len(receiver.spans) == 8


def test_a_receiver_that_takes_neither_is_asked_once_more_only(receiver: Receiver) -> None:
    receiver.reply(415, times=5)
    with Client(Endpoint(receiver.url)) as client:
        answer = client.traces(SPANS)
    assert isinstance(answer, Refused)
    assert answer.status == 415
    assert len(receiver.requests) == 2


def test_a_busy_receiver_says_how_long_to_wait_and_then_takes_one_trace(receiver: Receiver) -> None:
    receiver.reply(503, {"Retry-After": "2"}, times=3)
    with Client(Endpoint(receiver.url)) as client:
        answers = [client.traces(SPANS) for _ in range(4)]
    assert [answer.after_s for answer in answers if isinstance(answer, Later)] == [2.0, 2.0, 2.0]
    assert answers[3] == Taken(0, "")
    assert len({span.span_id for span in receiver.spans}) == len(receiver.spans) == 4


def test_a_partial_success_is_read(receiver: Receiver) -> None:
    partial = ExportTraceServiceResponse(partial_success=ExportTracePartialSuccess(rejected_spans=3, error_message="no room"))
    receiver.reply(200, body=partial.SerializeToString())
    with Client(Endpoint(receiver.url)) as client:
        assert client.traces(SPANS) == Taken(3, "no room")


def test_a_wrong_path_is_one_sentence(receiver: Receiver) -> None:
    with Client(Endpoint(receiver.url)) as client:
        receiver.reply(404)
        answer = client.traces(SPANS)
    assert answer == Refused(404, f"{receiver.url} has nothing at this address: is it an OTLP/HTTP endpoint? (HTTP 404)")


def test_a_body_that_is_too_large_is_told_apart(receiver: Receiver) -> None:
    receiver.reply(400, {"Content-Type": "text/plain"}, b"http: request body too large\n")
    with Client(Endpoint(receiver.url)) as client:
        answer = client.traces(SPANS)
    assert answer == TooLarge(f"{receiver.url} does not take as much at once: http: request body too large")


def test_headers_are_not_carried_to_another_host(receiver: Receiver) -> None:
    with Receiver() as other:
        receiver.reply(307, {"Location": other.url + "/v1/traces"})
        with Client(Endpoint(receiver.url, {"authorization": "secret"})) as client:
            answer = client.traces(SPANS)
        assert other.requests == []
    assert isinstance(answer, Refused)
    assert "points to another address" in answer.why


def test_the_environment_s_proxy_and_passwords_stay_out_of_this_machine(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    (tmp_path / "netrc").write_text("default login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with Client(Endpoint(receiver.url)) as client:
        assert client.traces(SPANS) == Taken(0, "")
    assert "authorization" not in receiver.requests[0].headers


def test_another_machine_is_reached_through_the_environment_s_proxy(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_PROXY", "no_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", receiver.url)
    with Client(Endpoint("http://collector.invalid:4318")) as client:
        assert client.traces(SPANS) == Taken(0, "")
    assert receiver.requests[0].path == "http://collector.invalid:4318/v1/traces"


def test_a_refused_connection_is_one_sentence_and_worth_another_try() -> None:
    with closed_port() as port, Client(Endpoint(f"http://user:secret@127.0.0.1:{port}")) as client:
        answer = client.traces(SPANS)
    why = f"http://127.0.0.1:{port} cannot be reached: nothing listens there (connection refused)"
    assert answer == Later(None, why)


def test_an_unknown_name_is_one_sentence_and_worth_another_try(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)

    def unknown(*args: object, **kwargs: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with Client(Endpoint("http://collector.invalid:4318")) as client:
        answer = client.traces(SPANS)
    assert answer == Later(None, "http://collector.invalid:4318 cannot be reached: its name is not known")


def test_a_receiver_that_does_not_answer_in_time_is_worth_another_try(receiver: Receiver) -> None:
    receiver.reply(200, delay=30)
    with Client(Endpoint(receiver.url, timeout_s=0.1)) as client:
        assert client.traces(SPANS) == Later(None, f"{receiver.url} did not answer within 0.1 s", True)


def test_a_receiver_that_hangs_up_is_worth_another_try() -> None:
    with raw_server(b"") as port, Client(Endpoint(f"http://127.0.0.1:{port}")) as client:
        answer = client.post(Signal.TRACES, b"")
    why = f"http://127.0.0.1:{port} cannot be reached: the connection was closed before an answer came"
    assert answer == Later(None, why, True)


def test_a_success_whose_body_breaks_off_is_still_a_success() -> None:
    broken = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n\x0a"
    with raw_server(broken) as port, Client(Endpoint(f"http://127.0.0.1:{port}")) as client:
        assert client.post(Signal.TRACES, b"") == Taken(0, "")


def test_an_answer_without_end_is_read_to_a_limit() -> None:
    endless = b"HTTP/1.1 500 Oops\r\nContent-Type: text/plain\r\n\r\n" + b"x" * 1_000_000
    with raw_server(endless) as port, Client(Endpoint(f"http://127.0.0.1:{port}")) as client:
        answer = client.post(Signal.TRACES, b"")
    assert isinstance(answer, Refused)
    assert len(answer.why) < 300


def test_a_certificate_that_is_not_there_is_one_sentence(receiver: Receiver) -> None:
    endpoint = Endpoint(receiver.url.replace("http:", "https:"), certificate="/nowhere/ca.pem")
    with Client(endpoint) as client:
        answer = client.traces(SPANS)
    assert isinstance(answer, Unreachable)
    assert answer.why.endswith("cannot be used: check the address and the OTEL_EXPORTER_OTLP_* variables")


def test_a_receiver_without_tls_behind_https_is_one_sentence() -> None:
    plain = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
    with raw_server(plain) as port, Client(Endpoint(f"https://127.0.0.1:{port}")) as client:
        answer = client.post(Signal.TRACES, b"")
    assert answer == Unreachable(f"https://127.0.0.1:{port} cannot be trusted: no secure connection came about")
