"""A session root and a real database for each test, and one word to bring the second up to date with the first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fusionscope.follow.index import Pass, index
from fusionscope.ingest.find import Root
from fusionscope.model import Turn
from fusionscope.report import files
from fusionscope.store import read
from fusionscope.store.database import connect


class Stage:
    """Session logs below ``root``, and the store that is made from them."""

    def __init__(self, directory: Path) -> None:
        self.root = directory / "session-state"
        self.root.mkdir()
        self.database = directory / "state" / "fusionscope.db"
        self.connection = connect(self.database)

    def index(self, *roots: Path) -> Pass:
        """Read what is new, in ``root`` unless others are given."""
        return index(self.connection, [Root(root, "a test") for root in roots or (self.root,)])

    def turns(self) -> list[Turn]:
        """All turns, oldest first."""
        return read.turns(self.connection)

    def turn(self) -> Turn:
        """The only turn there is."""
        (turn,) = self.turns()
        return turn

    def skipped(self) -> int:
        """How many records could not be used."""
        return read.skipped_count(self.connection)

    def reasons(self) -> list[str]:
        """Why records could not be used."""
        return [record.reason for record in read.skipped_records(self.connection)]

    def nano_aiu(self) -> int:
        """What all turns cost."""
        return sum(turn.nano_aiu or 0 for turn in self.turns())

    def shown(self) -> Any:
        """Everything `turns --json` shows."""
        return json.loads(files.turns_json(self.turns()))


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path)
    yield stage
    stage.connection.close()


@pytest.fixture
def samples() -> Path:
    """Logs written by the real CLI."""
    return Path(__file__).parent / "samples"


@pytest.fixture(autouse=True)
def _no_real_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads the sessions of whoever runs it, nor writes their database."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    for name in ("COPILOT_HOME", "FUSIONSCOPE_DB", "XDG_STATE_HOME", "OTEL_EXPORTER_OTLP_ENDPOINT", "NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
