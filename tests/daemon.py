"""`fusionscope up` as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType

from fusionscope.follow.process import follower_process
from tests.conftest import Stage
from tests.follow.live import until

__all__ = ["Daemon", "run"]


class Daemon:
    """The process, as long as the block lasts; then it is asked to stop and must do so with exit code 0.

    It serves no page unless ``words`` say so: the port is one for all tests that run at once.
    """

    def __init__(self, stage: Stage, *words: str, under: tuple[str, ...] = ()) -> None:
        descriptor, name = tempfile.mkstemp(suffix=".log")
        self._log = Path(name)
        self._database = stage.database
        #: after the block: all that it said
        self.said: list[str] = []
        places = ("--root", str(stage.root), "--db", str(stage.database))
        self.process = subprocess.Popen(
            [*under, sys.executable, "-m", "fusionscope", "up", *places, "--page", "off", *words],
            stdout=subprocess.DEVNULL,
            stderr=descriptor,
            env={**os.environ, "TZ": "UTC"},
        )
        os.close(descriptor)

    def __enter__(self) -> Daemon:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        # asked before it listens, it would end as any program does
        until(lambda: self.process.poll() is not None or follower_process(self._database) is not None)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        self.said = self.lines()
        self._log.unlink()
        if kind is None:
            assert code == 0, self.said

    def lines(self) -> list[str]:
        """What it has said so far."""
        return self._log.read_text(encoding="utf-8").splitlines()

    def kill(self) -> None:
        """Kill it as a crash would."""
        self.process.kill()
        self.process.wait()
        self._log.unlink()


def run(stage: Stage, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run another command on the same logs and database."""
    done = subprocess.run(
        [sys.executable, "-m", "fusionscope", *words, "--root", str(stage.root), "--db", str(stage.database)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done
