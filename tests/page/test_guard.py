"""Who may ask for what: every route on a real socket, with requests that no browser would send."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator

import pytest

from tests.conftest import Stage
from tests.logs import a_turn, place
from tests.page.served import ADDRESSES, Served, ask, served

LONG = "x" * 10_000


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    stage = Stage(tmp_path_factory.mktemp("page"))
    place(stage.root, a_turn())
    stage.index()
    with served(stage) as page:
        yield page
    stage.connection.close()


@pytest.mark.parametrize("path", ADDRESSES)
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "localhost.evil.example:{port}",
        "localhost",
        "localhost:1",
        "127.0.0.1",
        "127.0.0.2:{port}",
        "0.0.0.0:{port}",
        "127.0.0.1:{port}@evil.example",
        "localhost:{port}.evil.example",
        "",
    ],
)
def test_no_route_answers_to_a_name_that_is_not_the_pages(page: Served, path: str, host: str) -> None:
    assert ask(page.port, f"GET {path}", Host=host.format(port=page.port)).status == 403


@pytest.mark.parametrize("host", ["localhost:{port}", "LOCALHOST:{port}", "127.0.0.1:{port}", "[::1]:{port}"])
def test_it_answers_to_the_names_of_loopback(page: Served, host: str) -> None:
    answer = ask(page.port, "GET /healthz", Host=host.format(port=page.port))
    assert (answer.status, answer.body) == (200, b"ok\n")


def test_a_request_that_names_no_host_or_two_is_refused(page: Served) -> None:
    named = f"Host: 127.0.0.1:{page.port}\r\n"
    for head, status in (
        ("GET /healthz HTTP/1.0\r\n\r\n", 403),
        ("GET /healthz HTTP/1.1\r\n\r\n", 400),
        (f"GET /healthz HTTP/1.1\r\n{named}Host: evil.example\r\n\r\n", 400),
        (f"GET http://evil.example/healthz HTTP/1.1\r\n{named}\r\n", 404),
    ):
        with socket.create_connection(("127.0.0.1", page.port), 20) as connection:
            connection.sendall(head.encode())
            assert int(connection.recv(65_536).split()[1]) == status, head


@pytest.mark.parametrize("path", ADDRESSES)
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get"])
def test_no_route_can_be_written_to(page: Served, path: str, method: str) -> None:
    answer = ask(page.port, f"{method} {path}", Host=f"127.0.0.1:{page.port}", Content_Length="0", Content_Type="text/plain")
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("path", [path for path in ADDRESSES if path != "/live"])
def test_every_answer_carries_the_policy(page: Served, path: str) -> None:
    answer = page.get(path)
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "connect-src": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
    }
    assert {name: answer.headers.get(name) for name in ("x-content-type-options", "referrer-policy", "server")} == {
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "server": None,
    }
    assert answer.headers["cross-origin-opener-policy"] == answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert answer.headers["cache-control"] == ("no-cache" if path.startswith("/static/") else "no-store")
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("path", ADDRESSES)
def test_the_head_of_an_answer_comes_without_its_body(page: Served, path: str) -> None:
    answer = ask(page.port, f"HEAD {path}", Host=f"127.0.0.1:{page.port}")
    assert answer.body == b""
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("before", ["/turns/", "/sessions/", "/api/turns/", "/static/"])
@pytest.mark.parametrize(
    "name",
    [
        "..%2F..%2F..%2Fetc%2Fpasswd",
        "../../../../etc/passwd",
        "..%5C..%5Cwindows",
        "%2e%2e/app.py",
        "..%2Fapp.py",
        "style.css%00.txt",
        "f1%00",
        "%00",
        "%ff%fe",
        "style.css/",
        "",
        LONG,
    ],
)
def test_an_id_that_is_no_id_finds_nothing(page: Served, before: str, name: str) -> None:
    answer = page.get(before + name)
    assert answer.status in (400, 404)
    assert b"root:" not in answer.body
    assert b"create_app" not in answer.body
    assert LONG.encode() not in answer.body


def test_a_line_longer_than_any_address_is_refused_and_the_page_goes_on(page: Served) -> None:
    with socket.create_connection(("127.0.0.1", page.port), 20) as connection:
        connection.sendall(b"GET /turns/" + b"x" * 100_000)
        assert connection.recv(65_536).startswith(b"HTTP/1.1 400 ")
    assert page.get("/healthz").status == 200


def test_a_file_the_browser_has_is_not_sent_again(page: Served) -> None:
    first = page.get("/static/style.css")
    again = page.get("/static/style.css", If_None_Match=first.headers["etag"])
    assert (first.status, first.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert (again.status, again.body) == (304, b"")


def test_what_others_can_reach_asks_for_a_token_on_every_route(stage: Stage) -> None:
    with served(stage, "0.0.0.0") as page:
        for path in ADDRESSES:
            assert page.get(path).status == (200 if path == "/healthz" else 401), path
            assert page.get(f"{path}?token=wrong").status == (200 if path == "/healthz" else 401), path
            assert ask(page.port, f"GET {path}", Host="evil.example").status == 403, path
        assert page.get("/static/style.css", Cookie=f"fusionscope-{page.port}=wrong").status == 401
        assert page.get("/static/style.css", Cookie=f"fusionscope-{page.port}=\xe9").status == 401


def test_the_token_is_changed_once_for_a_cookie_that_scripts_and_other_sites_cannot_use(stage: Stage) -> None:
    with served(stage, "0.0.0.0") as page:
        token = re.fullmatch(rf"http://127\.0\.0\.1:{page.port}/\?token=([\w-]{{32}})", page.server.url)
        assert token
        answer = page.get(f"/static/style.css?a=1&token={token[1]}&b=%26")
        assert (answer.status, answer.headers["location"]) == (303, "/static/style.css?a=1&b=%26")
        cookie, *how = answer.headers["set-cookie"].split("; ")
        assert {word.lower() for word in how} == {"httponly", "path=/", "samesite=strict"}
        assert page.get("/static/style.css", Cookie=f"other=1; {cookie}").status == 200
        assert page.get(f"//evil.example/?token={token[1]}").headers["location"] == "/evil.example/"


def test_two_pages_have_two_tokens_and_one_on_loopback_has_none(stage: Stage) -> None:
    with served(stage, "0.0.0.0") as one, served(stage, "0.0.0.0") as two, served(stage) as three:
        assert one.server.url.partition("token=")[2] != two.server.url.partition("token=")[2]
        assert "?" not in three.server.url
        assert "encrypted" in one.server.sentence
        assert three.server.sentence == f"The page: http://127.0.0.1:{three.port}/"


def test_a_page_open_to_others_answers_to_the_address_it_is_reached_at(stage: Stage) -> None:
    with served(stage, "0.0.0.0") as page, socket.create_connection(("127.0.0.2", page.port), 20) as connection:
        connection.sendall(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.2:{page.port}\r\n\r\n".encode())
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200 ")
        assert ask(page.port, "GET /healthz", Host=f"127.0.0.2:{page.port}").status == 403


def test_a_database_that_cannot_be_read_is_said_and_the_page_goes_on(stage: Stage) -> None:
    with served(stage) as page:
        stage.database.rename(stage.database.with_suffix(".away"))
        answer = page.get("/api/summary")
        assert (answer.status, answer.headers["retry-after"]) == (503, "2")
        assert b"The database cannot be read now" in answer.body
        stage.database.with_suffix(".away").rename(stage.database)
        assert page.get("/api/summary").status == 200
