"""The page's way into the store: read-only, one moment a request."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from fusionscope.store.database import snapshot

__all__ = ["Source"]

_BUSY_TIMEOUT_S = 2.0


class Source:
    """The database at a path, opened for each reading anew: it may be set aside and made again meanwhile."""

    def __init__(self, database: Path) -> None:
        # rw, as a reader of a write-ahead log needs its index; never created here
        self._uri = f"{database.absolute().as_uri()}?mode=rw"

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """A connection that cannot write and sees one moment, for use in this thread.

        Raises:
            sqlite3.Error: there is no database, or it cannot be read now.
        """
        with closing(sqlite3.connect(self._uri, uri=True, timeout=_BUSY_TIMEOUT_S, isolation_level=None)) as connection:
            connection.execute("PRAGMA query_only = ON")
            with snapshot(connection):
                yield connection
