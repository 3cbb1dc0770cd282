"""`fusionscope watch` on a real terminal: a pseudo-terminal with keys, sizes and modes as any has."""

from __future__ import annotations

import os
import re
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fusionscope.follow.lock import FollowerLock
from tests.conftest import Stage
from tests.daemon import Daemon
from tests.logs import Log, a_turn, place

if sys.platform == "win32":
    pytest.skip("needs a terminal of its own, as Unix has them", allow_module_level=True)
import fcntl
import select
import termios

_PATIENCE_S = 30
_SCREEN_OF_ITS_OWN = "\x1b[?1049h"
_COMMAND = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")


class Watch:
    """The command on a terminal of 80 columns and 24 lines."""

    def __init__(self, stage: Stage, *words: str) -> None:
        self.terminal, inner = os.openpty()
        self.inner = inner
        self.resize(80, 24, tell=False)
        self.modes = termios.tcgetattr(inner)
        self.raw = ""
        places = ["--root", str(stage.root), "--db", str(stage.database)]
        environment = {**os.environ, "TERM": "xterm-256color", "TZ": "UTC", "PYTHONIOENCODING": "utf-8"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fusionscope", "watch", *words, *places], env=environment,
            stdin=inner, stdout=inner, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=_take_terminal,
        )  # fmt: skip

    def resize(self, columns: int, lines: int, tell: bool = True) -> None:
        """Make the terminal so large, and tell the program as a terminal does."""
        self.lines = lines
        fcntl.ioctl(self.inner, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        if tell:
            os.killpg(self.process.pid, signal.SIGWINCH)

    def press(self, key: str) -> None:
        """Press a key."""
        os.write(self.terminal, key.encode())

    def shows(self, text: str) -> str:
        """Wait until the newest picture has ``text``; returns that picture."""
        deadline = time.monotonic() + _PATIENCE_S
        while text not in self.picture() or len(self.picture().splitlines()) < self.lines:
            assert time.monotonic() < deadline, self.picture()
            self._read()
        return self.picture()

    def picture(self) -> str:
        """What was drawn last, without commands to the terminal."""
        return _COMMAND.sub("", self.raw.rpartition("\x1b[H")[2])

    def rests(self) -> None:
        """Wait until nothing was drawn for a second, and forget what was drawn before."""
        quiet = 0
        while quiet < 10:
            quiet = 0 if self._read() else quiet + 1
        self.raw = ""

    def ended(self) -> tuple[int, str]:
        """Wait for its end; returns the exit code and what it complained of."""
        deadline = time.monotonic() + _PATIENCE_S
        while self.process.poll() is None:
            assert time.monotonic() < deadline, "it does not end"
            self._read()
        while self._read():
            pass
        assert self.process.stderr
        return self.process.returncode, self.process.stderr.read().decode()

    def close(self) -> None:
        """End it, however it is."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        assert self.process.stderr
        self.process.stderr.close()
        os.close(self.terminal)
        os.close(self.inner)

    def _read(self) -> bool:
        ready, _, _ = select.select([self.terminal], [], [], 0.1)
        if ready:
            self.raw += os.read(self.terminal, 65_536).decode("utf-8", "replace")
        return bool(ready)


def _take_terminal() -> None:
    """Make the standard input the terminal that this process and its keys belong to."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def watched(stage: Stage) -> Iterator[Watch]:
    place(stage.root, a_turn())
    watch = Watch(stage)
    yield watch
    watch.close()


def _restored(watch: Watch) -> bool:
    """Whether the terminal is as it was: the first screen, a cursor, its modes."""
    screen_left = watch.raw.rfind("\x1b[?1049l") > watch.raw.rfind("\x1b[?1049h") >= 0
    cursor_back = watch.raw.rfind("\x1b[?25h") > watch.raw.rfind("\x1b[?25l") >= 0
    return screen_left and cursor_back and termios.tcgetattr(watch.inner) == watch.modes


@pytest.mark.parametrize("key", ["q", "Q", "\x03"])
def test_a_key_ends_it_and_the_terminal_is_as_it_was(watched: Watch, key: str) -> None:
    picture = watched.shows("12.50")
    assert len(picture.splitlines()) == 24
    assert max(len(line) for line in picture.splitlines()) == 80
    assert "session 12.50 credits ($0.13) in 1 turn" in picture
    assert watched.process.poll() is None
    watched.press("x")
    watched.press(key)
    assert watched.ended() == (0, "")
    assert _restored(watched)


def test_a_request_to_end_leaves_the_terminal_as_it_was(watched: Watch) -> None:
    watched.shows("12.50")
    watched.process.send_signal(signal.SIGTERM)
    assert watched.ended() == (0, "")
    assert _restored(watched)


def test_legs_appear_as_they_complete(watched: Watch, stage: Stage) -> None:
    watched.shows("the answer")
    log = Log("later", begins="2026-11-30T12:00:00")
    log.start()
    log.resolved("f2")
    place(stage.root, log)
    watched.shows("no leg in the log yet")
    log.leg("f2", 0, "primary", "m-draft", 500_000_000)
    place(stage.root, log)
    watched.shows("m-draft")
    log.leg("f2", 1, "judge", "m-judge", 2_000_000_000, "reject")
    place(stage.root, log)
    picture = watched.shows("m-judge")
    assert "session 2.50 credits" in picture
    assert re.search(r"10:\d\d +f1 +cascade +m-small, m-big +reject", picture), picture


def test_the_picture_follows_the_size_of_the_terminal(watched: Watch) -> None:
    watched.shows("12.50")
    watched.resize(50, 30)
    picture = watched.shows("q quits")
    assert len(picture.splitlines()) == 30
    assert max(len(line.rstrip()) for line in picture.splitlines()) <= 50


def test_where_another_process_follows_it_shows_what_that_one_reads(stage: Stage) -> None:
    place(stage.root, a_turn())
    with Daemon(stage):
        watch = Watch(stage)
        watch.shows("another process follows the logs")
        place(stage.root, Log("later", begins="2026-11-30T12:00:00").turn("f2"))
        watch.shows("12.50 credits ($0.13) in 1 turn")
        watch.shows("cascade  f2")
        watch.press("q")
        assert watch.ended() == (0, "")
        watch.close()


def test_it_leaves_following_to_whoever_wants_to_and_takes_it_up_again(watched: Watch, stage: Stage) -> None:
    watched.shows("following the logs")
    lock = FollowerLock(stage.database)
    assert lock.take()
    watched.shows("another process follows")
    lock.release()
    watched.shows("following the logs")


def test_one_picture_can_be_printed_into_a_pipe(stage: Stage, tmp_path: Path) -> None:
    place(stage.root, a_turn())
    words = ["watch", "--once", "--root", str(stage.root), "--db", str(stage.database)]
    environment = {**os.environ, "COLUMNS": "80", "LINES": "24", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run([sys.executable, "-m", "fusionscope", *words], capture_output=True, check=True, env=environment)
    assert len(done.stdout.splitlines()) == 24
    assert b"session 12.50 credits ($0.13) in 1 turn" in done.stdout
    assert b"\x1b" not in done.stdout
    assert b"quits" not in done.stdout


def test_without_a_terminal_it_says_what_to_take_instead(stage: Stage) -> None:
    words = ["watch", "--root", str(stage.root), "--db", str(stage.database)]
    done = subprocess.run(
        [sys.executable, "-m", "fusionscope", *words], capture_output=True, check=False, stdin=subprocess.DEVNULL
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"--once" in done.stderr


def test_after_it_was_stopped_it_takes_the_terminal_again_and_draws_anew(watched: Watch) -> None:
    watched.shows("the answer")
    watched.rests()
    termios.tcsetattr(watched.inner, termios.TCSADRAIN, watched.modes)  # as a shell does when a job is stopped
    os.killpg(watched.process.pid, signal.SIGCONT)
    watched.shows("the answer")
    assert _SCREEN_OF_ITS_OWN in watched.raw
    watched.press("q")
    assert watched.ended() == (0, "")


def test_it_draws_anew_when_asked(watched: Watch) -> None:
    watched.shows("the answer")
    watched.rests()
    watched.press("\f")
    watched.shows("the answer")
    assert _SCREEN_OF_ITS_OWN in watched.raw
