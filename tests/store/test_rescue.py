"""A damaged database is set aside and made anew; what is none of ours is left alone."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fusionscope.follow.index import index
from fusionscope.ingest.find import Root
from fusionscope.store import read
from fusionscope.store.database import DamagedError, connect
from fusionscope.store.rescue import is_damage, is_ours, is_sound, set_aside
from tests.conftest import Stage
from tests.logs import Log, place

NOW = datetime(2026, 11, 30, 19, 30, tzinfo=UTC)


@pytest.fixture
def closed(stage: Stage) -> Path:
    """A database of 60 turns in two sessions, nothing left in its write-ahead log, opened by nobody."""
    for name in ("s1", "s2"):
        log = Log(name)
        for n in range(30):
            log.turn(f"{name}-f{n}")
        place(stage.root, log)
    stage.index()
    stage.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    stage.connection.close()
    return stage.database


def _is_damaged(path: Path) -> bool:
    try:
        with closing(connect(path)) as connection:
            return not is_sound(connection)
    except DamagedError:
        return True


def test_a_sound_database_is_sound(closed: Path) -> None:
    assert is_ours(closed)
    assert not _is_damaged(closed)


def test_a_database_cut_in_half_is_known_as_damaged(closed: Path) -> None:
    with closed.open("r+b") as file:
        file.truncate(closed.stat().st_size // 2)
    assert _is_damaged(closed)


def _turns(path: Path) -> int | None:
    """How many turns the database gives, or ``None`` when it is known as damaged."""
    try:
        with closing(connect(path)) as connection:
            return len(read.turns(connection)) if is_sound(connection) else None
    except DamagedError:
        return None
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        if is_damage(error):
            return None
        raise


@pytest.mark.parametrize("seed", range(20))
def test_hundred_random_bytes_are_found_or_cost_no_more_than_what_they_hit(closed: Path, stage: Stage, seed: int) -> None:
    whole, rng = closed.read_bytes(), random.Random(seed)
    at = rng.randrange(4_096, len(whole) - 100)
    closed.write_bytes(whole[:at] + rng.randbytes(100) + whole[at + 100 :])
    turns = _turns(closed)
    if turns is None:
        set_aside(closed)
        with closing(connect(closed)) as connection:
            index(connection, [Root(stage.root, "a test")])
        assert _turns(closed) == 60
    else:
        assert turns >= 58


def test_the_damaged_file_gets_a_dated_name_and_the_logs_make_a_new_one(closed: Path, stage: Stage) -> None:
    with closed.open("r+b") as file:
        file.truncate(closed.stat().st_size // 2)
    aside = set_aside(closed, NOW)
    assert aside.path.name == "fusionscope.db.corrupt-20261130T193000Z"
    assert not closed.exists()
    with closing(connect(closed)) as connection:
        index(connection, [Root(stage.root, "a test")])
        assert len(read.turns(connection)) == 60


def test_what_cannot_be_made_again_is_said(closed: Path, stage: Stage) -> None:
    next(stage.root.glob("*/events.jsonl")).unlink()
    aside = set_aside(closed, NOW)
    assert aside.lost_sessions == 1
    assert "1 sessions whose logs are gone are only there" in aside.sentence
    assert set_aside(_broken(closed), NOW).path.name == "fusionscope.db.corrupt-20261130T193000Z-1"


def _broken(path: Path) -> Path:
    path.write_bytes(b"SQLite format 3\0" + bytes(200))
    return path


def test_when_it_cannot_be_told_what_is_lost_that_is_said(tmp_path: Path) -> None:
    aside = set_aside(_broken(tmp_path / "f.db"), NOW)
    assert aside.lost_sessions is None
    assert "what it knew of sessions whose logs are gone is only there" in aside.sentence


def test_a_file_of_another_program_is_not_ours(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("buy milk")
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE t (x)")
    assert not is_ours(text)
    assert not is_ours(other)
    assert not is_ours(tmp_path / "nothing")


def test_a_missing_write_ahead_log_costs_only_what_is_read_again(stage: Stage) -> None:
    place(stage.root, Log("s").turn("f1"))
    stage.index()
    copy = stage.database.with_name("copy.db")
    copy.write_bytes(stage.database.read_bytes())  # without its -wal
    with closing(connect(copy)) as connection:
        index(connection, [Root(stage.root, "a test")])
        assert [turn.fusion_id for turn in read.turns(connection)] == ["f1"]
