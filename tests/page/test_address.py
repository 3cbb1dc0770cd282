"""Where the page listens."""

from __future__ import annotations

import socket

import pytest

from fusionscope.page.address import Address, AddressError


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1:7433", "127.0.0.1", 7433),
        ("LocalHost:80", "localhost", 80),
        ("[::1]:0", "::1", 0),
        ("desk.example:65535", "desk.example", 65535),
    ],
)
def test_an_address_is_a_host_and_a_port(text: str, host: str, port: int) -> None:
    assert Address.of(text) == (host, port)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7433",
        ":7433",
        "127.0.0.1",
        "127.0.0.1:",
        "127.0.0.1:65536",
        "::1:7433",
        "[::1]",
        "a b:1",
        "http://a:1",
        "a/b:1",
        "a:٣",
    ],
)
def test_anything_else_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(AddressError, match=r"for example 127\.0\.0\.1:7433"):
        Address.of(text)


def test_it_answers_to_the_names_of_loopback_and_its_own_with_the_port() -> None:
    assert Address("desk.example", 7433).names == {
        "localhost:7433",
        "127.0.0.1:7433",
        "[::1]:7433",
        "desk.example:7433",
    }


def test_the_port_of_the_web_may_be_left_out() -> None:
    assert Address("127.0.0.1", 80).names == {"localhost:80", "127.0.0.1:80", "[::1]:80", "localhost", "127.0.0.1", "[::1]"}


def test_every_address_of_the_machine_is_opened_on_it_by_one_of_loopback() -> None:
    assert (Address("0.0.0.0", 1).url, Address("::", 1).url) == ("http://127.0.0.1:1/", "http://[::1]:1/")
    assert Address("desk.example", 1).url == "http://desk.example:1/"


def test_a_port_that_is_taken_is_said_in_a_sentence_that_names_the_option() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(AddressError, match=rf"cannot listen on 127\.0\.0\.1:{port} \(address already in use\).*--page"):
            Address("127.0.0.1", port).listen()


def test_a_host_that_nobody_knows_is_said_in_a_sentence() -> None:
    with pytest.raises(AddressError, match="no such host"):
        Address("no-such-host.invalid", 7433).listen()
