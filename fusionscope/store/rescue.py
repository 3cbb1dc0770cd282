"""A damaged database: telling that it is one, and setting it aside so that a new one can be made from the logs."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from fusionscope.store.schema import APPLICATION_ID

__all__ = ["SetAside", "is_damage", "is_ours", "is_sound", "set_aside"]

#: where SQLite keeps the application id in the first page (https://sqlite.org/fileformat.html)
_APPLICATION_ID_AT = slice(68, 72)
_MAGIC = b"SQLite format 3\0"


class SetAside(NamedTuple):
    """Where the damaged database is now, and how many sessions only it knew.

    ``lost_sessions``: their logs are no longer on disk, so a new database will not have them; ``None``: it cannot be told.
    """

    path: Path
    lost_sessions: int | None

    @property
    def sentence(self) -> str:
        """What happened, for a person."""
        lost = {
            None: "what it knew of sessions whose logs are gone is only there",
            0: "nothing is lost",
        }.get(self.lost_sessions, f"{self.lost_sessions} sessions whose logs are gone are only there")
        return f"The database was damaged and is now {self.path}; a new one is made from the logs, {lost}."


def is_damage(error: BaseException) -> bool:
    """Whether an error says that the file itself is broken."""
    if isinstance(error, UnicodeDecodeError):
        return True  # bytes that SQLite gives for text, in a message of its own
    if not isinstance(error, sqlite3.DatabaseError):
        return False
    # Python's complaint about such bytes in a column has no code
    code = getattr(error, "sqlite_errorcode", 0) or 0
    return code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or "Could not decode to UTF-8" in str(error)


def is_ours(path: Path) -> bool:
    """Whether the file begins like a database of ours: only then may it be moved."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except OSError:
        return False
    return head.startswith(_MAGIC) and head[_APPLICATION_ID_AT] == APPLICATION_ID.to_bytes(4)


def is_sound(connection: sqlite3.Connection) -> bool:
    """Look through the whole file for damage (reads all of it)."""
    try:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        if is_damage(error):
            return False
        raise
    return str(found) == "ok"


def set_aside(path: Path, now: datetime | None = None) -> SetAside:
    """Rename the database with the date, and what belongs to it. Nobody may have it open.

    Raises:
        OSError: it cannot be renamed.
    """
    lost = _lost_sessions(path)
    stamp = (now or datetime.now(UTC)).strftime("%Y%m%dT%H%M%SZ")
    aside = path.with_name(f"{path.name}.corrupt-{stamp}")
    for number in range(1, 100):
        if not aside.exists():
            break
        aside = path.with_name(f"{path.name}.corrupt-{stamp}-{number}")
    path.rename(aside)
    for suffix in ("-wal", "-shm"):
        beside = path.with_name(path.name + suffix)
        if beside.exists():
            beside.rename(aside.with_name(aside.name + suffix))
    return SetAside(aside, lost)


def _lost_sessions(path: Path) -> int | None:
    try:
        with closing(sqlite3.connect(f"file:{path.as_posix()}?mode=ro", uri=True)) as damaged:
            paths = [row[0] for row in damaged.execute("SELECT path FROM log")]
    except (sqlite3.Error, OSError, UnicodeDecodeError):
        return None
    return sum(not os.path.exists(log) for log in paths)  # noqa: PTH110 - bytes
