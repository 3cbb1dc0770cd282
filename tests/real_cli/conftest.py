"""The real Copilot CLI, offline, with a stand-in for its model."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fusionscope.store.database import connect
from tests.conftest import Stage
from tests.real_cli.standin import StandIn

VERSIONS = ("1.0.84-4", "1.0.102")

_PACKAGES = Path(__file__).parents[2] / ".copilot-cli"
_PATIENCE_S = 120


class Cli:
    """One version of the CLI. ``home`` is its home directory, where it unpacks itself; ``COPILOT_HOME`` is a test's own."""

    def __init__(self, version: str, program: Path, home: Path) -> None:
        self.version = version
        self.home = home
        self._program = program

    def run(
        self, copilot_home: Path, model: StandIn, *words: str, name: str = "stand-in", **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Run it to its end with the model ``name``; ``more`` is added to its environment."""
        process = self.start(copilot_home, model, *words, name=name, **more)
        try:
            output, complaints = process.communicate(timeout=_PATIENCE_S)
        except subprocess.TimeoutExpired:
            kill(process)
            raise
        return subprocess.CompletedProcess(process.args, process.returncode, output, complaints)

    def start(
        self, copilot_home: Path, model: StandIn, *words: str, name: str = "stand-in", **more: str
    ) -> subprocess.Popen[str]:
        """Start it as the leader of a process group."""
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "COPILOT_HOME": str(copilot_home),
            "CI": "true",  # no update of itself
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": model.url,
            "COPILOT_MODEL": name,
            **more,
        }
        work = self.home / "work"
        work.mkdir(exist_ok=True)
        return subprocess.Popen(
            [self._program, *words], env=environment, cwd=work, text=True, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def event_schema(self) -> Path:
        """The schema of its events, which it unpacks when it first runs."""
        subprocess.run(
            [self._program, "--version"], env={"HOME": str(self.home), "CI": "true"}, check=True, capture_output=True
        )
        (schema,) = self.home.glob("**/schemas/session-events.schema.json")
        return schema


def program_of(version: str) -> Path:
    """Where the program of a version is, if it was fetched."""
    return _PACKAGES / version / "node_modules" / "@github" / "copilot-linux-x64" / "copilot"


def kill(process: subprocess.Popen[str]) -> None:
    """Kill the CLI and what it started, as a crash of the machine would."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


@pytest.fixture(scope="session", params=VERSIONS)
def cli(request: pytest.FixtureRequest) -> Iterator[Cli]:
    """The CLI, unpacked into a home directory that goes when the tests are done."""
    program = program_of(request.param)
    if not program.is_file():
        pytest.skip(
            f"@github/copilot-linux-x64 {request.param} is not in {_PACKAGES.name}/ (`make copilot-cli` fetches it from npm)"
        )
    with tempfile.TemporaryDirectory() as home:
        yield Cli(request.param, program, Path(home))


class Root(Stage):
    """A Copilot home with the sessions that the CLI writes, and a database far from it."""

    def __init__(self, directory: Path) -> None:
        self.copilot_home = directory / "copilot"
        self.root = self.copilot_home / "session-state"
        self.root.mkdir(parents=True)
        self.database = directory / "state" / "fusionscope.db"
        self.connection = connect(self.database)

    def listing(self) -> dict[str, tuple[int, int, int]]:
        """Everything below the root with its times and size."""
        found = {str(path): path.lstat() for path in self.root.rglob("*")}
        return {name: (status.st_mtime_ns, status.st_ctime_ns, status.st_size) for name, status in found.items()}

    def log(self) -> Path:
        """The only log there is."""
        (log,) = self.root.glob("*/events.jsonl")
        return log


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Root]:
    """An empty Copilot home."""
    root = Root(tmp_path)
    yield root
    root.connection.close()
