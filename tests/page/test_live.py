"""The live events, over real sockets: what readers are told, and that none of them holds anybody up."""

from __future__ import annotations

import json
import socket
import struct
from contextlib import ExitStack

from fusionscope.page.address import Address
from fusionscope.page.live import MOST_READERS
from fusionscope.page.serve import PageServer
from fusionscope.page.settings import PageSettings
from tests.conftest import Stage
from tests.follow.live import until
from tests.page.served import Stream, ask, served


def _next(stream: Stream) -> tuple[int, list[str] | None]:
    """The number of the next change, and the turns it names."""
    number = int(stream.until("id: "))
    return number, json.loads(stream.until("data: "))["turns"]


def test_every_reader_is_told_which_turns_changed(stage: Stage) -> None:
    with served(stage) as page, Stream(page.port) as one, Stream(page.port) as two:
        until(lambda: page.server.live.readers == 2)
        page.server.changed(["f2", "f1"])
        assert _next(one) == _next(two) == (page.server.live.number, ["f1", "f2"])


def test_a_page_made_before_a_change_is_told_when_it_begins_to_listen(stage: Stage) -> None:
    with served(stage) as page:
        made_at = page.server.live.number
        page.server.changed(["f1"])
        until(lambda: page.server.live.number == made_at + 1)
        page.server.changed(["f2"])
        until(lambda: page.server.live.number == made_at + 2)
        with Stream(page.port, f"?since={made_at}") as stream:
            assert _next(stream) == (made_at + 2, ["f1", "f2"])
        with Stream(page.port, f"?since={made_at + 1}") as stream:
            assert _next(stream) == (made_at + 2, ["f2"])


def test_a_page_of_another_process_is_told_that_anything_may_have_changed(stage: Stage) -> None:
    with served(stage) as page:
        for since in (0, page.server.live.number + 10**6):
            with Stream(page.port, f"?since={since}") as stream:
                assert _next(stream) == (page.server.live.number, None)


def test_a_number_that_is_none_is_passed_over(stage: Stage) -> None:
    with served(stage) as page:
        for since in ("x", "-1", "1.5", "9" * 30, "%D9%A3", "%00"):
            with Stream(page.port, f"?since={since}") as stream:
                assert stream.status == 200
                assert stream.until("retry: ") == "1000"


def test_many_changes_in_a_moment_are_one_that_names_no_turn(stage: Stage) -> None:
    with served(stage) as page, Stream(page.port) as stream:
        until(lambda: page.server.live.readers == 1)
        before = page.server.live.number
        page.server.changed([f"f{n}" for n in range(100_000)])
        assert _next(stream) == (before + 1, None)
        for n in range(2_000):
            page.server.changed([f"g{n % 10}"])
        seen: set[str] = set()
        while len(seen) < 10:
            number, turns = _next(stream)
            seen.update(turns or ())
            if turns is None:
                break
        assert number - before < 20


def test_what_changed_before_anybody_could_listen_is_told_too(stage: Stage) -> None:
    server = PageServer(PageSettings(stage.database, Address("127.0.0.1", 0)), lambda sentence: None)
    made_at = server.live.number
    server.changed(["f1"])
    with server, Stream(server.port, f"?since={made_at}") as stream:
        assert _next(stream) == (made_at + 1, ["f1"])


def test_a_reader_that_goes_away_is_forgotten(stage: Stage) -> None:
    with served(stage) as page:
        with Stream(page.port):
            until(lambda: page.server.live.readers == 1)
        until(lambda: page.server.live.readers == 0)
        connection = socket.create_connection(("127.0.0.1", page.port))
        connection.sendall(f"GET /live HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n\r\n".encode())
        until(lambda: page.server.live.readers == 1)
        # a reset instead of a goodbye
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        until(lambda: page.server.live.readers == 0)


def test_one_reader_too_many_is_sent_away_and_may_come_when_another_has_gone(stage: Stage) -> None:
    with served(stage) as page, ExitStack() as readers:
        for _ in range(MOST_READERS):
            readers.enter_context(Stream(page.port))
        until(lambda: page.server.live.readers == MOST_READERS)
        refused = page.get("/live")
        assert (refused.status, refused.headers["retry-after"]) == (503, "30")
        assert page.get("/healthz").status == 200
        readers.close()
        until(lambda: page.server.live.readers == 0)
        with Stream(page.port) as stream:
            assert stream.status == 200


def test_a_look_at_the_head_keeps_nobody(stage: Stage) -> None:
    with served(stage) as page:
        answer = ask(page.port, "HEAD /live", Host=f"127.0.0.1:{page.port}")
        assert (answer.status, answer.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        assert page.server.live.readers == 0


def test_at_the_end_every_reader_is_let_go(stage: Stage) -> None:
    with ExitStack() as readers:
        with served(stage) as page:
            streams = [readers.enter_context(Stream(page.port)) for _ in range(20)]
            until(lambda: page.server.live.readers == 20)
        for stream in streams:
            assert stream.rest().endswith(b"0\r\n\r\n")
