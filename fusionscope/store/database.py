"""Opening the database: one file, one schema version, readable by nobody else."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fusionscope.store import schema
from fusionscope.store.rescue import is_damage, is_ours

__all__ = ["DamagedError", "StoreError", "connect", "open_to_read", "snapshot", "transaction"]

_BUSY_TIMEOUT_S = 10.0
_OLDEST_SQLITE = (3, 37)  # strict tables


class StoreError(Exception):
    """The database cannot be used; the message is one sentence for a person."""


class DamagedError(StoreError):
    """The database is one of ours and its file is broken."""


def connect(path: Path) -> sqlite3.Connection:
    """Open the database at ``path``, creating it (mode 0600) and its directory when needed.

    WAL with ``synchronous=NORMAL``: after a power loss the newest commits may be missing, but never a part of one, and what
    is missing is read from the logs again because the offsets are in the same commits.

    Raises:
        DamagedError: the file is broken.
        StoreError: not a database of ours, one of a newer version, or not accessible.
    """
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old: use a Python that comes with 3.37 or newer.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"Cannot open the database {path}: {_why(error)}. Name another with --db.") from error
    try:
        _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def open_to_read(path: Path, patience_s: float) -> sqlite3.Connection:
    """Open the database at ``path`` as it is: nothing is created, laid out or written.

    Raises:
        StoreError: there is none of this version.
        sqlite3.Error: the file cannot be used; a query may raise it too.
    """
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=patience_s, isolation_level=None)
    try:
        (application_id,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if (application_id, version) != (schema.APPLICATION_ID, schema.SCHEMA_VERSION):
            raise StoreError(f"{path} is no database of this version of Fusionscope.")
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA temp_store = MEMORY")
        # a first read of a long history is one burst of writing: room to sort it in, and few stops to move it
        connection.execute("PRAGMA cache_size = -16000")
        connection.execute("PRAGMA wal_autocheckpoint = 8000")
        if _is_empty(connection):
            try:
                schema.create(connection)
            except sqlite3.OperationalError:
                # another process may have laid it out between the look and the attempt
                connection.rollback()
                if _is_empty(connection):
                    raise
        (application_id,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if application_id == schema.APPLICATION_ID and version < schema.SCHEMA_VERSION:
            schema.migrate(connection)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if is_damage(error) and is_ours(path):
            raise DamagedError(f"The database {path} is damaged.") from error
        raise StoreError(f"Cannot use the database {path}: {_why(error)}. Move it away or name another with --db.") from error
    if application_id != schema.APPLICATION_ID:
        raise StoreError(f"{path} is a database of another program. Name another file with --db.")
    if version > schema.SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written by a newer Fusionscope (schema {version}, this one knows {schema.SCHEMA_VERSION})."
            " Update Fusionscope, or name another file with --db."
        )


def _is_empty(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_schema").fetchone() is None


def _why(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error)


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """A read transaction: every query in it sees the same moment; within another transaction, that one's."""
    if connection.in_transaction:
        yield connection
        return
    connection.execute("BEGIN")
    try:
        yield connection
    finally:
        connection.rollback()


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """A write transaction: all of it or nothing. Waits up to 10 s for another writer."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.commit()
    except BaseException:
        connection.rollback()
        raise
