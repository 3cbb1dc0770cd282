"""One process at a time sends from a database: two that take the same turns from the queue would send them twice.

The lock is on a file beside the database, for the time of one page; the operating system takes it back when its process
ends, however it ends.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

from fusionscope.store.filelock import lock

__all__ = ["sending"]


@contextmanager
def sending(connection: sqlite3.Connection) -> Iterator[bool]:
    """Take the lock, if nobody else has it, and give it back; yields whether it was free.

    A file system that knows no locks, or where no file can be made, is no reason not to send.
    """
    file = _open(connection)
    if file is None:
        yield True
        return
    with file:
        yield _is_free(file)


def _is_free(file: IO[bytes]) -> bool:
    try:
        lock(file)
    except OSError as error:
        # Windows has no word of its own for it
        return not isinstance(error, BlockingIOError | PermissionError)
    return True


def _open(connection: sqlite3.Connection) -> IO[bytes] | None:
    (_, _, path), *_ = connection.execute("PRAGMA database_list").fetchall()
    if not path:
        return None  # in memory: nobody else can have it
    with suppress(OSError):
        return os.fdopen(os.open(f"{path}.sending", os.O_RDWR | os.O_CREAT, 0o600), "r+b")
    return None
