"""Looking at a database changes nothing, whatever state it is in. Faults of kind I."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from fusionscope.store import schema
from fusionscope.store.examine import Condition, copy_in_memory, examine, new_in_memory
from fusionscope.store.read import turns
from tests.conftest import Stage
from tests.logs import Log, place


@pytest.fixture
def filled(stage: Stage) -> Path:
    """A database of 60 turns that nobody has open."""
    log = Log()
    for n in range(60):
        log.turn(f"f{n}")
    place(stage.root, log)
    stage.index()
    stage.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    stage.connection.close()
    return stage.database


def _halve(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def _overwrite(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2 // 4096 * 4096)
        file.write(b"\xff" * 4096)


def _make_newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION + 1}")


def _make_foreign(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (x)")


CASES: dict[str, tuple[Callable[[Path], object], Condition]] = {
    "sound": (lambda path: None, Condition.SOUND),
    "halved": (_halve, Condition.DAMAGED),
    "overwritten": (_overwrite, Condition.DAMAGED),
    "newer": (_make_newer, Condition.NEWER),
    "of another program": (_make_foreign, Condition.FOREIGN),
    "a text": (lambda path: path.write_bytes(b"not a database " * 1_000), Condition.FOREIGN),
    "empty": (lambda path: path.write_bytes(b""), Condition.MISSING),
    "gone": (lambda path: path.unlink(), Condition.MISSING),
}


@pytest.mark.parametrize("case", CASES)
def test_a_condition_is_told_and_the_file_stays_as_it_is(filled: Path, case: str) -> None:
    change, expected = CASES[case]
    change(filled)
    before = filled.read_bytes() if filled.exists() else None
    beside = sorted(filled.parent.iterdir())
    assert examine(filled).condition is expected
    assert (filled.read_bytes() if filled.exists() else None) == before
    assert sorted(filled.parent.iterdir()) == beside


def test_a_sound_database_has_a_size_and_a_schema(filled: Path) -> None:
    found = examine(filled)
    assert (found.size, found.schema) == (filled.stat().st_size, schema.SCHEMA_VERSION)


@pytest.mark.parametrize("name", ["a-file/f.db", "."])
def test_where_no_database_can_be_is_unusable(tmp_path: Path, name: str) -> None:
    (tmp_path / "a-file").write_text("")
    assert examine(tmp_path / name).condition is Condition.UNUSABLE


def test_a_database_in_a_directory_that_is_still_to_be_made_is_only_missing(tmp_path: Path) -> None:
    assert examine(tmp_path / "a" / "b" / "f.db").condition is Condition.MISSING
    assert list(tmp_path.iterdir()) == [tmp_path / "home"]


def test_what_is_written_to_a_copy_is_not_in_the_database(filled: Path) -> None:
    before = filled.read_bytes()
    with closing(copy_in_memory(filled)) as copy:
        assert len(turns(copy)) == 60
        copy.execute("DELETE FROM turn")
    assert filled.read_bytes() == before


def test_a_copy_has_what_another_process_wrote_a_moment_ago(stage: Stage) -> None:
    place(stage.root, Log().turn("f1"))
    stage.index()  # in the write-ahead log, the connection still open
    with closing(copy_in_memory(stage.database)) as copy:
        assert [turn.fusion_id for turn in turns(copy)] == ["f1"]


def test_a_new_one_in_memory_is_empty_and_of_our_schema() -> None:
    with closing(new_in_memory()) as connection:
        assert turns(connection) == []
        assert connection.execute("PRAGMA user_version").fetchone() == (schema.SCHEMA_VERSION,)
