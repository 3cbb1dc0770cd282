from __future__ import annotations

import pytest

from fusionscope.export.endpoint import Endpoint, EndpointError, Signal


@pytest.mark.parametrize(
    ("url", "traces", "metrics"),
    [
        ("http://localhost:4318", "http://localhost:4318/v1/traces", "http://localhost:4318/v1/metrics"),
        ("http://localhost:4318/", "http://localhost:4318/v1/traces", "http://localhost:4318/v1/metrics"),
        ("https://h/otlp/", "https://h/otlp/v1/traces", "https://h/otlp/v1/metrics"),
        ("http://h/v1/traces", "http://h/v1/traces", "http://h/v1/metrics"),
        ("http://h/x/v1/metrics", "http://h/x/v1/traces", "http://h/x/v1/metrics"),
        ("http://h/v1/traces?k=1", "http://h/v1/traces?k=1", "http://h/v1/metrics?k=1"),
        ("http://p:9090/api/v1/otlp", "http://p:9090/api/v1/otlp/v1/traces", "http://p:9090/api/v1/otlp/v1/metrics"),
    ],
)
def test_a_base_address_gets_the_signal_and_one_that_has_it_stands(url: str, traces: str, metrics: str) -> None:
    endpoint = Endpoint(url)
    assert (endpoint.address(Signal.TRACES), endpoint.address(Signal.METRICS)) == (traces, metrics)


@pytest.mark.parametrize(
    "url", ["localhost:4318", "ftp://h", "http://", "", "http://h:port", "http://h:0", "http://h /\nx", "http://[::1"]
)
def test_what_is_no_address_is_one_sentence(url: str) -> None:
    with pytest.raises(EndpointError, match=r"^The OTLP endpoint must be an address like http://localhost:4318\.$"):
        Endpoint(url)


def test_the_environment_says_where_and_with_what() -> None:
    endpoint = Endpoint.of(
        None,
        {
            "OTEL_EXPORTER_OTLP_ENDPOINT": "https://h:1",
            "OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Basic%20YTpi, x-tenant = 7 ,",
            "OTEL_EXPORTER_OTLP_CERTIFICATE": "ca.pem",
            "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": "me.pem",
            "OTEL_EXPORTER_OTLP_CLIENT_KEY": "me.key",
        },
    )
    assert endpoint == Endpoint("https://h:1", {"authorization": "Basic YTpi", "x-tenant": "7"}, "ca.pem", "me.pem", "me.key")


def test_the_given_address_wins_and_without_any_it_is_the_standard_one() -> None:
    assert Endpoint.of("http://a", {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://b"}).url == "http://a"
    assert Endpoint.of(None, {}) == Endpoint("http://localhost:4318")


@pytest.mark.parametrize("headers", ["secret", "a b=secret", "a=sec%0Aret", "=secret", "a=secret%E2%82%AC"])
def test_a_bad_header_is_refused_without_showing_it(headers: str) -> None:
    with pytest.raises(EndpointError) as caught:
        Endpoint.of(None, {"OTEL_EXPORTER_OTLP_HEADERS": headers})
    assert "sec" not in str(caught.value)


def test_passwords_are_never_shown() -> None:
    endpoint = Endpoint("http://me:secret@h:4318/x?key=secret", {"authorization": "secret"})
    assert endpoint.shown == "http://h:4318/x"
    assert "secret" not in repr(endpoint)


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://localhost:4318", True),
        ("http://LOCALHOST", True),
        ("http://x.localhost", True),
        ("http://127.0.0.9:1", True),
        ("http://[::1]:4318", True),
        ("http://10.0.0.1", False),
        ("http://localhost.example.com", False),
    ],
)
def test_this_machine_is_known_by_its_names(url: str, loopback: bool) -> None:
    assert Endpoint(url).is_loopback is loopback


def test_the_fingerprint_tells_one_configuration_from_another_and_holds_no_password() -> None:
    one = Endpoint("http://me:pass@h", {"authorization": "Bearer s3cret"})
    others = [Endpoint("http://h", one.headers), Endpoint(one.url), Endpoint(one.url, {"authorization": "Bearer other"})]
    prints = {endpoint.fingerprint(signal) for endpoint in (one, *others) for signal in Signal}
    assert len(prints) == 8
    assert one.fingerprint(Signal.TRACES) == Endpoint(one.url, dict(one.headers)).fingerprint(Signal.TRACES)
    assert all(len(text) == 32 and "pass" not in text and "s3cret" not in text for text in prints)
