"""The page on a real socket, and requests written by hand: what a client library would mend reaches the server as it is."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from fusionscope.page import views
from fusionscope.page.address import Address
from fusionscope.page.serve import PageServer
from fusionscope.page.settings import Checks, PageSettings
from tests.conftest import Stage

__all__ = ["ADDRESSES", "Answer", "Served", "Stream", "ask", "served"]

#: one address of each route there is, and one of none
ADDRESSES = [re.sub(r"\{[^}]*\}", "f1", route.path) for route in views.routes()]
ADDRESSES += ["/live", "/static/style.css", "/static/app.js", "/healthz", "/metrics", "/no/such/page"]

_PATIENCE_S = 20.0


class Answer(NamedTuple):
    """A status, header fields by lower-case name, and a body."""

    status: int
    headers: dict[str, str]
    body: bytes


class Served(NamedTuple):
    """A page that is being served, its port, and what it complained of."""

    server: PageServer
    port: int
    said: list[str]

    def get(self, path: str, **headers: str) -> Answer:
        """Ask for ``path`` as a browser on this machine would."""
        return ask(self.port, f"GET {path}", **({"Host": f"127.0.0.1:{self.port}"} | headers))


@contextmanager
def served(stage: Stage, host: str = "127.0.0.1", checks: Checks | None = None) -> Iterator[Served]:
    """The page of a stage's database at a free port; it must have nothing to complain of in the end."""
    said: list[str] = []
    settings = PageSettings(stage.database, Address(host, 0), follower=True, checks=checks)
    with PageServer(settings, said.append) as server:
        yield Served(server, server.port, said)
    assert said == []


def ask(port: int, request: str, **headers: str) -> Answer:
    """Send a request line (without its version) and these header fields, and read the answer to its end."""
    with socket.create_connection(("127.0.0.1", port), _PATIENCE_S) as connection:
        connection.sendall(_head(request, {"Connection": "close", **headers}))
        received = b""
        while block := connection.recv(65_536):
            received += block
    return _answer(received)


def _head(request: str, headers: dict[str, str]) -> bytes:
    lines = [f"{request} HTTP/1.1", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _answer(received: bytes) -> Answer:
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    fields = (line.partition(": ") for line in lines)
    return Answer(int(first.split()[1]), {name.lower(): value for name, _, value in fields}, body)


class Stream:
    """A reader of ``/live``: what it was sent so far, line by line."""

    def __init__(self, port: int, query: str = "") -> None:
        self._connection = socket.create_connection(("127.0.0.1", port), _PATIENCE_S)
        self._connection.sendall(_head(f"GET /live{query}", {"Host": f"127.0.0.1:{port}"}))
        self._file = self._connection.makefile("rb")
        self.status = int(self._file.readline().split()[1])

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._connection.close()

    def until(self, beginning: str) -> str:
        """Read on to a line that begins so; the rest of it."""
        for line in self._file:
            if line.startswith(beginning.encode()):
                return line.decode()[len(beginning) :].strip()
        raise EOFError(beginning)

    def rest(self) -> bytes:
        """Everything up to the end."""
        return self._file.read()
