"""The real CLI shows our line under its input field: on a terminal of tmux, with a stand-in for its model."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.logs import CREDIT, Log
from tests.real_cli.conftest import Cli, Root
from tests.real_cli.standin import Reply, StandIn

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux (a Debian package) is not installed")

_HELLO = Reply("Hello.", input_tokens=1_000, output_tokens=10)
_PATIENCE_S = 60
_WHOLE = "cascade  m-small 0.50 > m-big reject 2.00 > m-big 10.00  =  12.50 cr $0.13"


class Terminal:
    """One pane of tmux, on a server of its own."""

    def __init__(self, directory: Path) -> None:
        self._server = ["tmux", "-S", str(directory / "tmux")]

    def start(self, words: list[str], environment: dict[str, str], directory: Path, columns: int) -> None:
        """Run a program in it."""
        command = ["env", "-i", *(f"{name}={value}" for name, value in environment.items()), *words]
        size = ["-x", str(columns), "-y", "30", "-c", str(directory)]
        self._tmux("new-session", "-d", "-s", "cli", *size, f"{shlex.join(command)}; sleep 60")

    def type(self, *keys: str) -> None:
        """Press keys, as tmux names them."""
        self._tmux("send-keys", "-t", "cli", *keys)

    def resize(self, columns: int) -> None:
        """Make the pane so wide."""
        self._tmux("resize-window", "-t", "cli", "-x", str(columns))

    def lines(self) -> list[str]:
        """What stands in it now."""
        return [line.rstrip() for line in self._tmux("capture-pane", "-p", "-t", "cli").splitlines()]

    def shows(self, *parts: str) -> None:
        """Wait until each of ``parts`` is a line of it."""
        deadline = time.monotonic() + _PATIENCE_S
        while not set(parts) <= {line.strip() for line in self.lines()}:
            assert time.monotonic() < deadline, "\n".join(self.lines())
            time.sleep(0.05)

    def end(self) -> None:
        """End the server and what runs in it."""
        subprocess.run([*self._server, "kill-server"], capture_output=True, check=False)

    def _tmux(self, *words: str) -> str:
        return subprocess.run([*self._server, *words], capture_output=True, check=True, text=True, encoding="utf-8").stdout


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path)
    yield terminal
    terminal.end()


def _fusionscope(root: Root, *words: str) -> None:
    environment = {**os.environ, "COPILOT_HOME": str(root.copilot_home)}
    command = [sys.executable, "-m", "fusionscope", *words, "--db", str(root.database)]
    subprocess.run(command, check=True, capture_output=True, env=environment)


def _a_command(directory: Path) -> Path:
    """`fusionscope` as an installed program is: on PATH, started by its name."""
    program = directory / "bin" / "fusionscope"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m fusionscope "$@"\n')
    program.chmod(0o755)
    return program.parent


def test_the_cli_shows_the_newest_turn_below_its_input_and_follows_it(
    cli: Cli, root: Root, terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{_a_command(tmp_path)}{os.pathsep}{os.environ['PATH']}")
    with StandIn(_HELLO, _HELLO, _HELLO) as model:
        assert cli.run(root.copilot_home, model, "-p", "Hi", "--allow-all-tools").returncode == 0
        with root.log().open("ab") as log:
            log.write(bytes(Log("earlier").turn("fusion-1")))
        _fusionscope(root, "statusline", "--install", "--yes")
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(cli.home), "COPILOT_HOME": str(root.copilot_home), "LANG": "C.UTF-8",
            "TERM": "screen-256color", "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false", "COPILOT_ALLOW_ALL": "true",
            "COPILOT_PROVIDER_BASE_URL": model.url, "COPILOT_MODEL": "stand-in", "FUSIONSCOPE_DB": str(root.database),
        }  # fmt: skip
        words = [str(cli._program), f"--resume={root.log().parent.name}"]
        terminal.start(words, environment, cli.home / "work", columns=110)

        def ask(expected: str) -> None:
            terminal.type("And now?")
            time.sleep(1)  # what comes in one go is pasted text
            terminal.type("Enter")
            terminal.shows(expected)

        terminal.shows(_WHOLE)
        assert terminal.lines().index(_WHOLE) >= len([line for line in terminal.lines() if line]) - 2

        later = Log("later", begins=datetime.now(UTC).replace(tzinfo=None).isoformat())  # a resume gives up what was open
        later.user()
        later.resolved("fusion-2")
        later.leg("fusion-2", 0, "primary", "m-small", CREDIT // 2)
        with root.log().open("ab") as log:
            log.write(bytes(later))
        ask("cascade  open  m-small 0.50 > ...  =  0.50 cr $0.01 so far  session 13.00 cr")

        terminal.resize(50)
        ask("cascade  open  0.50 > ...  =  0.50 cr so far")
