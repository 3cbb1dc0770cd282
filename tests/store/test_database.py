"""The database file: made private, refused when it is not ours, one truth for two processes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fusionscope.ingest.log import read_log
from fusionscope.store import outbox, schema, totals
from fusionscope.store.database import StoreError, connect, transaction
from fusionscope.store.facts import TABLE_OF
from fusionscope.store.read import Selection
from fusionscope.store.rescue import is_sound
from fusionscope.store.write import Batch, StaleLogError, log_states
from tests.conftest import Stage
from tests.logs import Log, a_turn, place


def test_the_database_is_readable_by_nobody_else(stage: Stage) -> None:
    assert stage.database.stat().st_mode & 0o077 == 0
    assert stage.database.parent.stat().st_mode & 0o077 == 0


def test_the_fields_of_a_fact_are_the_columns_of_its_table(stage: Stage) -> None:
    for fact, table in TABLE_OF.items():
        columns = [row[1] for row in stage.connection.execute(f"PRAGMA table_info({table})")]
        assert [column for column in columns if column not in ("arrival", "place")] == list(fact._fields)


def test_no_table_is_laid_out_so_that_some_sqlite_finds_damage_in_it(stage: Stage) -> None:
    """3.40.0 to 3.41.0 mix columns up in a table without rowid whose key does not stand first, and find null in them."""
    tables = stage.connection.execute("SELECT name FROM pragma_table_list WHERE wr AND schema = 'main'").fetchall()
    assert len(tables) > 10
    for (table,) in tables:
        columns = stage.connection.execute(f"SELECT pk, \"notnull\" FROM pragma_table_info('{table}')").fetchall()
        keys = [pk for pk, _ in columns if pk]
        first = [pk for pk, _ in columns[: len(keys)]] == sorted(keys)
        assert first or all(not_null for _, not_null in columns), table


def test_a_database_that_holds_unknown_words_is_sound(stage: Stage) -> None:
    log = a_turn()
    log.resolved("f2", hue=1)
    place(stage.root, log)
    stage.index()
    assert stage.turns()[1].unknown_words == ("session.fusion_resolved hue",)
    assert is_sound(stage.connection)


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE t (x)")
    other.close()
    with pytest.raises(StoreError, match="another program"):
        connect(tmp_path / "other.db")


def test_a_database_of_the_first_schema_is_brought_up_to_date_without_reading_again(stage: Stage) -> None:
    log = Log().turn("f1")
    log.route_failed("a1", "router_timeout", "m-big")
    place(stage.root, log)
    stage.index()
    path = Path(stage.connection.execute("PRAGMA database_list").fetchone()[2])
    with transaction(stage.connection):
        stage.connection.execute("UPDATE turn_sum SET pattern = nullif(pattern, 'not fused')")
        stage.connection.execute("PRAGMA user_version = 1")
    for _ in range(2):
        with closing(connect(path)) as again:
            assert again.execute("PRAGMA user_version").fetchone() == (schema.SCHEMA_VERSION,)
            found = {name: each.turns for name, each in totals.by_pattern(again, Selection()).items()}
            assert found == {"cascade": 1, "not fused": 1}
    assert stage.index().new_bytes == 0


def test_a_migration_that_fails_changes_nothing(stage: Stage) -> None:
    path = Path(stage.connection.execute("PRAGMA database_list").fetchone()[2])
    stage.connection.execute("DROP TABLE turn_sum")
    stage.connection.execute("PRAGMA user_version = 1")
    with pytest.raises(StoreError, match="Cannot use the database"):
        connect(path)
    assert stage.connection.execute("PRAGMA user_version").fetchone() == (1,)


def test_a_newer_schema_is_refused(stage: Stage) -> None:
    stage.connection.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION + 1}")
    with pytest.raises(StoreError, match="newer Fusionscope"):
        connect(stage.database)


def test_a_file_that_is_no_database_is_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"not a database " * 1_000)
    with pytest.raises(StoreError, match="file is not a database"):
        connect(path)


def test_a_directory_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="Cannot open the database"):
        connect(tmp_path)


def test_reading_again_changes_no_byte_of_what_is_known(stage: Stage) -> None:
    place(stage.root, a_turn())
    first = stage.index()
    before = list(stage.connection.iterdump())
    second = stage.index()
    assert (first.new_bytes, second.new_bytes, second.turns) == (len(bytes(a_turn())), 0, [])
    stage.connection.execute("UPDATE log SET signature = NULL")
    third = stage.index()
    assert third.new_bytes == 0
    assert [line for line in stage.connection.iterdump() if '"log"' not in line] == [
        line for line in before if '"log"' not in line
    ]


def test_only_new_bytes_are_read(stage: Stage) -> None:
    log = a_turn()
    path = place(stage.root, log)
    stage.index()
    length = len(bytes(log))
    log.turn("f2")
    path.write_bytes(bytes(log))
    assert stage.index().new_bytes == len(bytes(log)) - length


def test_of_two_processes_that_read_one_log_the_second_starts_over_and_nothing_is_doubled(stage: Stage) -> None:
    place(stage.root, bytes(a_turn()) + b"bad\n")
    stage.index()
    stage.connection.execute("UPDATE log SET offset = 0, guard = x'', signature = NULL")
    (state,) = log_states(stage.connection).values()
    slow = Batch()
    read_log(state, slow)
    stage.index()
    with pytest.raises(StaleLogError), transaction(stage.connection):
        slow.write(stage.connection)
    assert (len(stage.turns()), stage.skipped()) == (1, 1)


def test_a_transaction_that_fails_leaves_nothing(stage: Stage) -> None:
    place(stage.root, a_turn())

    def fail_half_way() -> None:
        with transaction(stage.connection):
            stage.connection.execute("INSERT INTO outbox VALUES ('traces', 'x', 0, 0, NULL)")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert outbox.waiting_count(stage.connection, "traces") == 0
