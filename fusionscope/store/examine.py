"""Looking at a database without changing it: in what condition it is, and a copy in memory to work with.

``connect`` makes what is missing and refuses what is broken; whoever wants to tell a person what is wrong needs neither.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from fusionscope.store import schema
from fusionscope.store.permission import may
from fusionscope.store.rescue import is_damage, is_ours, is_sound

__all__ = ["Condition", "Examined", "copy_in_memory", "examine", "new_in_memory", "open_to_read"]

#: seconds; only a file that is being laid out or recovered makes a reader wait
_PATIENCE_S = 2.0


class Condition(Enum):
    """In what condition a database is."""

    SOUND = "sound"
    MISSING = "missing"
    DAMAGED = "damaged"
    FOREIGN = "of another program"
    NEWER = "newer"
    UNUSABLE = "unusable"


class Examined(NamedTuple):
    """What was found; ``size`` in bytes, ``schema`` its version, ``why`` in the system's words where it is unusable."""

    path: Path
    condition: Condition
    size: int = 0
    schema: int | None = None
    why: str = ""


def examine(path: Path) -> Examined:
    """Look at the database at ``path``, all of it, and write nothing."""
    try:
        size = path.stat().st_size if path.is_file() else None
        if size is None and path.exists():
            return Examined(path, Condition.UNUSABLE, why="it is no file")
    except OSError as error:
        return Examined(path, Condition.UNUSABLE, why=_why(error))
    if not size:
        return _missing(path)
    found, quiet = Examined(path, Condition.SOUND, size), not _is_in_use(path)
    try:
        with closing(open_to_read(path)) as connection:
            (application_id,) = connection.execute("PRAGMA application_id").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            sound = application_id == schema.APPLICATION_ID and is_sound(connection)
        if quiet and _is_in_use(path):
            return examine(path)  # somebody began to write meanwhile
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if not is_damage(error):
            return found._replace(condition=Condition.UNUSABLE, why=str(error))
        return found._replace(condition=Condition.DAMAGED if is_ours(path) else Condition.FOREIGN)
    found = found._replace(schema=version)
    if application_id != schema.APPLICATION_ID:
        return found._replace(condition=Condition.FOREIGN)
    if version > schema.SCHEMA_VERSION:
        return found._replace(condition=Condition.NEWER)
    if not sound:
        return found._replace(condition=Condition.DAMAGED)
    if not may(path, os.W_OK) or not may(path.parent, os.W_OK):
        return found._replace(condition=Condition.UNUSABLE, why="it or its directory may not be written")
    return found


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open an existing database; nothing can be written with the connection. Raises ``sqlite3.Error``.

    Where no write-ahead log lies beside it, nobody writes, and none is made: a reader could not take it away again.
    """
    how = "mode=ro" if _is_in_use(path) else "mode=ro&immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=_PATIENCE_S, isolation_level=None)


def _is_in_use(path: Path) -> bool:
    return path.with_name(f"{path.name}-wal").exists()


def copy_in_memory(path: Path) -> sqlite3.Connection:
    """A copy of the database that can be written and is gone when it is closed. Raises ``sqlite3.Error``."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    try:
        with closing(open_to_read(path)) as source:
            source.backup(copy)
    except BaseException:
        copy.close()
        raise
    return copy


def new_in_memory() -> sqlite3.Connection:
    """An empty database of our schema that is gone when it is closed."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    schema.create(connection)
    return connection


def _missing(path: Path) -> Examined:
    """Nothing there yet, which is in order where it can be made."""
    directory = next((parent for parent in path.parents if os.path.lexists(parent)), path.parent)
    if directory.is_dir() and may(directory, os.W_OK):
        return Examined(path, Condition.MISSING)
    return Examined(path, Condition.UNUSABLE, why=f"nothing can be made in {directory}")


def _why(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
