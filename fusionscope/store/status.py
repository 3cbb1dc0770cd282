"""What is in the store, in numbers: for `fusionscope status`."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from typing import NamedTuple

from fusionscope.store.permission import may

__all__ = ["RootStatus", "StoreStatus", "database_bytes", "progress", "store_status", "unreadable_logs"]


class RootStatus(NamedTuple):
    """One session root: its logs, those no longer on disk, and the bytes that were not read yet (on disk now)."""

    path: str
    exists: bool
    logs: int
    gone: int
    unread_bytes: int


class StoreStatus(NamedTuple):
    """The whole store. Moments are ms UTC; ``last_turn_at`` is the newest event of any turn; sizes are bytes."""

    roots: list[RootStatus]
    sessions: int
    turns: int
    open_turns: int
    last_turn_at: int | None
    skipped_records: int
    unknown_events: int
    forgotten_sessions: int
    database_bytes: int


def store_status(connection: sqlite3.Connection) -> StoreStatus:
    """Count; looks at the size of every log on disk, and opens none."""
    unread: Counter[str] = Counter()
    for path, root, offset in connection.execute("SELECT path, root, offset FROM log WHERE NOT gone"):
        unread[root] += max(0, _size(path) - offset)
    roots = [
        RootStatus(root, os.path.isdir(root), logs, gone, unread[root])  # noqa: PTH112 - as it was stored
        for root, logs, gone in connection.execute("SELECT root, count(*), sum(gone) FROM log GROUP BY root ORDER BY root")
    ]

    def one(query: str) -> int:
        (value,) = connection.execute(query).fetchone()
        return int(value or 0)

    return StoreStatus(
        roots=roots,
        sessions=one("SELECT count(DISTINCT session_id) FROM log"),
        turns=one("SELECT count(*) FROM turn"),
        # the first condition is that of an index
        open_turns=one("SELECT count(*) FROM turn WHERE state IN ('open', 'abandoned') AND state = 'open'"),
        last_turn_at=one("SELECT max(last_event_at) FROM turn") or None,
        skipped_records=one("SELECT count(*) FROM skipped"),
        unknown_events=one("SELECT sum(events) FROM unknown_type"),
        forgotten_sessions=one("SELECT count(*) FROM forgotten"),
        database_bytes=database_bytes(connection),
    )


def database_bytes(connection: sqlite3.Connection) -> int:
    """How large the database is."""
    (pages,), (size,) = (connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    return int(pages) * int(size)


def progress(connection: sqlite3.Connection) -> tuple[int, ...]:
    """Numbers of which one is different when any log was read further or again, found, lost or forgotten."""
    query = "SELECT count(*), max(id), total(offset), total(generation), total(gone) FROM log"
    return tuple(int(number or 0) for number in connection.execute(query).fetchone())


def unreadable_logs(connection: sqlite3.Connection) -> list[bytes]:
    """The logs on disk that whoever runs this may not read; opens none."""
    paths = [path for (path,) in connection.execute("SELECT path FROM log WHERE NOT gone ORDER BY path")]
    return [path for path in paths if _is_unreadable(path)]


def _is_unreadable(path: bytes) -> bool:
    try:
        os.stat(path)  # noqa: PTH116 - bytes
    except PermissionError:
        return True  # its directory is locked
    except OSError:
        return False
    return not may(path, os.R_OK)


def _size(path: bytes) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - bytes
    except OSError:
        return 0
