"""A real Prometheus that holds the demo, loaded as a user loads it: the logs, `fusionscope export`, remote write."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from fusionscope.demo import write_demo
from tests.demo.reading import read_sessions, turns_of
from tests.export.receiver import Receiver
from tests.stack.demo_facts import Facts, facts_of
from tests.stack.programs import program
from tests.stack.remote_write import body
from tests.stack.server import Prometheus

__all__ = ["Demo", "writes_of"]


class Demo(NamedTuple):
    """The facts of the demo's lines, and the write requests that its samples make."""

    facts: Facts
    writes: list[bytes]


def writes_of(root: Path, database: Path) -> list[bytes]:
    """Return the write requests that the metrics of the logs below ``root`` make."""
    with Receiver() as receiver:
        words = ["export", "--otlp", receiver.url, "--signal", "metrics", "--root", str(root), "--db", str(database)]
        subprocess.run([sys.executable, "-m", "fusionscope", *words], check=True, timeout=120, stdout=subprocess.DEVNULL)
    return [body(request.resource_metrics) for request in receiver.accepted]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    directory = tmp_path_factory.mktemp("demo")
    root = write_demo(directory)
    turns = [turn for events in read_sessions(root) for turn in turns_of(events)]
    return Demo(facts_of(turns), writes_of(root, directory / "fusionscope.db"))


@pytest.fixture(scope="session")
def prometheus(demo: Demo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """A Prometheus with the demo in it. Tests only read from it."""
    with Prometheus(program("prometheus"), tmp_path_factory.mktemp("prometheus")) as server:
        for write in demo.writes:
            server.write(write)
        yield server
