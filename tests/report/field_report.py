"""The 24 turns of the demo, read through a real store once for all tests that compare with the field report."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from fusionscope.demo import write_demo
from fusionscope.follow.index import index
from fusionscope.ingest.find import Root
from fusionscope.model import Turn
from fusionscope.store.database import connect
from fusionscope.store.lean import lean_turns

__all__ = ["field_report"]


@cache
def field_report() -> tuple[Turn, ...]:
    """The turns, oldest first, as the commands that answer with figures read them."""
    with TemporaryDirectory() as directory:
        connection = connect(Path(directory) / "state" / "f.db")
        index(connection, [Root(write_demo(Path(directory)), "a test")])
        turns = tuple(lean_turns(connection))
        connection.close()
    return turns
