"""The demo, written once for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from fusionscope.demo import write_demo
from tests.demo.reading import DemoTurn, Event, read_sessions, turns_of


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The session-state directory of the demo."""
    return write_demo(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def sessions(root: Path) -> list[list[Event]]:
    """The events of every session, oldest session first."""
    return read_sessions(root)


@pytest.fixture(scope="session")
def turns(sessions: list[list[Event]]) -> list[DemoTurn]:
    """All turns, oldest first."""
    return [turn for events in sessions for turn in turns_of(events)]
