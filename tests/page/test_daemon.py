"""The page of `fusionscope up` and of the demo: processes of their own, on real sockets."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from fusionscope.store.database import connect
from tests.conftest import Stage
from tests.daemon import Daemon, run
from tests.follow.live import until
from tests.logs import CREDIT, Log, a_turn, place
from tests.page.served import Stream, ask

FREE = ("--page", "127.0.0.1:0")


def _port(daemon: Daemon) -> int:
    """Where a daemon says that its page is."""
    until(lambda: any(line.startswith("The page: ") for line in daemon.lines()))
    (said,) = (line for line in daemon.lines() if line.startswith("The page: "))
    found = re.fullmatch(r"The page: http://127\.0\.0\.1:(\d+)/", said)
    assert found, said
    return int(found[1])


def test_it_says_once_where_its_page_is_and_serves_it(stage: Stage) -> None:
    with Daemon(stage, *FREE) as daemon:
        port = _port(daemon)
        assert ask(port, "GET /healthz", Host=f"localhost:{port}").body == b"ok\n"
    assert daemon.said.count(f"The page: http://127.0.0.1:{port}/") == 1


def test_a_turn_is_told_when_it_appears_when_it_grows_and_when_it_ends(stage: Stage) -> None:
    log = Log()
    log.start()
    log.user()
    log.resolved("f1")
    with Daemon(stage, *FREE) as daemon, Stream(_port(daemon)) as stream:
        path = place(stage.root, log)
        assert json.loads(stream.until("data: "))["turns"] == ["f1"]
        for line in (
            log.leg("f1", 0, "primary", "m-small", CREDIT),
            log.leg("f1", 1, "judge", "m-big", CREDIT, "accept"),
            log.commit("f1", 0, "m-small") + log.completed("f1", 0, "m-small"),
        ):
            with path.open("ab") as file:
                file.write(line)
            assert json.loads(stream.until("data: "))["turns"] == ["f1"]


def test_a_port_that_is_taken_is_one_sentence_and_nothing_is_followed(stage: Stage) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = run(stage, "up", "--page", f"127.0.0.1:{taken.getsockname()[1]}", code=1)
    assert re.fullmatch(
        r"fusionscope: The page cannot listen on .* \(address already in use\)\. .*--page off\.\n", refused.stderr
    )
    assert json.loads(run(stage, "status", "--json").stdout)["followed_by"] is None


@pytest.mark.parametrize("words", [("--page", "7433"), ("--page", "127.0.0.1:99999"), ("--grafana", "javascript:alert(1)")])
def test_an_option_that_means_nothing_is_wrong_usage(stage: Stage, words: tuple[str, str]) -> None:
    assert words[1] in run(stage, "up", *words, code=2).stderr


def test_without_a_page_nothing_listens(stage: Stage) -> None:
    place(stage.root, a_turn())
    with Daemon(stage) as daemon:
        until(lambda: len(stage.turns()) == 1)
        sockets = {
            os.readlink(fd)  # noqa: PTH115
            for fd in Path(f"/proc/{daemon.process.pid}/fd").iterdir()
        }
        assert not [name for name in sockets if name.startswith("socket:")]


def test_it_stops_at_once_while_readers_listen_and_one_does_not_read(stage: Stage) -> None:
    with ExitStack() as readers:
        with Daemon(stage, *FREE) as daemon:
            port = _port(daemon)
            streams = [readers.enter_context(Stream(port)) for _ in range(50)]
            slow = readers.enter_context(socket.create_connection(("127.0.0.1", port)))
            slow.sendall(f"GET /static/style.css HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n".encode())
            daemon.process.send_signal(signal.SIGTERM)
            assert daemon.process.wait(5) == 0
        for stream in streams:
            stream.rest()
    assert len(daemon.said) == 1


def test_readers_and_refused_requests_are_no_lines_of_its_log(stage: Stage) -> None:
    with Daemon(stage, *FREE, "--log-format", "json") as daemon:
        until(lambda: bool(daemon.lines()))
        message = json.loads(daemon.lines()[0])["message"]
        port = int(re.search(r":(\d+)/", message)[1])  # type: ignore[index]
        ask(port, "GET /", Host="evil.example")
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(b"\x16\x03\x01 no HTTP at all\r\n\r\n")
            connection.recv(65_536)
        with Stream(port):
            pass
    assert [json.loads(line)["message"] for line in daemon.said] == [message]


def test_a_damaged_database_is_made_again_behind_the_page(stage: Stage) -> None:
    log = Log()
    for n in range(80):
        log.turn(f"f{n}")
    place(stage.root, log)
    stage.index()
    stage.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    stage.connection.close()
    with stage.database.open("r+b") as file:
        file.truncate(stage.database.stat().st_size // 2)
    with Daemon(stage, *FREE) as daemon:
        port = _port(daemon)
        until(lambda: ask(port, "GET /api/summary", Host=f"127.0.0.1:{port}").status == 200)
        until(lambda: json.loads(ask(port, "GET /api/summary", Host=f"127.0.0.1:{port}").body)["turns"] == 80)
    stage.connection = connect(stage.database)


def _demo(*words: str) -> tuple[subprocess.Popen[bytes], int]:
    """The demo on a terminal, and where to read what it shows."""
    reading, terminal = pty.openpty()
    process = subprocess.Popen([sys.executable, "-m", "fusionscope", "demo", *words], stdin=terminal, stdout=terminal)
    os.close(terminal)
    return process, reading


def _shown(reading: int, awaited: str) -> str:
    """What a terminal shows, up to ``awaited`` or its end."""
    text = ""
    while awaited not in text:
        try:
            text += os.read(reading, 65_536).decode()
        except OSError:  # so ends a terminal that nobody has any more
            break
    return text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_demo_ends_on_the_page_until_it_is_stopped(number: signal.Signals) -> None:
    process, reading = _demo()
    try:
        text = _shown(reading, "Ctrl-C ends it")
        found = re.search(r"The page: http://127\.0\.0\.1:(\d+)/", text)
        assert found, text
        port = int(found[1])
        assert "24 turns" in text
        assert json.loads(ask(port, "GET /api/summary", Host=f"localhost:{port}").body)["turns"] == 24
        process.send_signal(number)
        assert process.wait(10) == 0
    finally:
        process.kill()
        process.wait()
        os.close(reading)


def test_two_demos_at_once_take_two_ports() -> None:
    with ExitStack() as stack:
        ports = set()
        for _ in range(2):
            process, reading = _demo()
            stack.callback(os.close, reading)
            stack.callback(process.wait)
            stack.callback(process.kill)
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", _shown(reading, "Ctrl-C ends it"))
            assert found
            ports.add(found[1])
        assert len(ports) == 2


def test_the_demo_serves_nothing_when_asked_for_once_or_into_a_pipe() -> None:
    process, reading = _demo("--once")
    text = _shown(reading, "no end but the end")
    assert (process.wait(30), "The page" in text, "24 turns" in text) == (0, False, True)
    os.close(reading)
    piped = subprocess.run(
        [sys.executable, "-m", "fusionscope", "demo"], capture_output=True, text=True, timeout=60, check=True
    )
    assert ("The page" in piped.stdout, "24 turns" in piped.stdout) == (False, True)


def test_only_a_wish_opens_the_browser(stage: Stage, tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> {opened}\n')
    browser.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BROWSER", str(browser))
        with Daemon(stage, *FREE) as daemon:
            _port(daemon)
        assert not opened.exists()
        with Daemon(stage, *FREE, "--open") as daemon:
            port = _port(daemon)
            until(lambda: opened.exists() and bool(opened.read_text()))
    assert opened.read_text() == f"http://127.0.0.1:{port}/\n"
