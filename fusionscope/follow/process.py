"""Which process follows the logs for a database."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from fusionscope.follow.lock import FollowerLock
from fusionscope.store.database import StoreError, connect

__all__ = ["follower_process", "note_follower"]


def note_follower(connection: sqlite3.Connection) -> None:
    """Note that this process follows. Must run in a transaction, and with the lock taken."""
    connection.execute("INSERT OR REPLACE INTO follower VALUES (1, ?, ?)", (os.getpid(), time.time_ns() // 10**6))


def follower_process(database: Path) -> int | None:
    """The process that follows the logs for this database now, if one does (0: it cannot be told which)."""
    if not FollowerLock(database).is_taken():
        return None
    try:
        with closing(connect(database)) as connection:
            row = connection.execute("SELECT process FROM follower").fetchone()
    except (StoreError, sqlite3.Error):
        return 0
    return int(row[0]) if row else 0
