"""Finding the session logs below a root. Reads directories only."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["LOG_NAME", "Found", "Root", "find_logs", "signature"]

LOG_NAME = b"events.jsonl"  # its temporary and backup copies beside it are no logs


class Root(NamedTuple):
    """A directory of session directories, and why it is looked at (for a person)."""

    path: Path
    why: str


class Found(NamedTuple):
    """One log on disk. The session id is the name of its directory, with undecodable bytes escaped."""

    path: bytes
    session_id: str
    signature: str
    size: int


def find_logs(root: Root) -> Iterator[Found]:
    """Every log below ``root``, one a session directory, by name.

    Regular files only. Of several names of one file (links), the first that is no symbolic link counts. Raises ``OSError`` when
    the root itself cannot be listed.
    """
    with os.scandir(os.fsencode(root.path)) as entries:
        directories = sorted(entries, key=lambda entry: (entry.is_symlink(), entry.name))
    seen: set[tuple[int, int]] = set()
    for directory in directories:
        path = os.path.join(directory.path, LOG_NAME)  # noqa: PTH118 - bytes: names need not be text
        try:
            status = os.stat(path)  # noqa: PTH116
        except PermissionError:
            yield Found(path, directory.name.decode(errors="backslashreplace"), "", 0)  # whoever opens it will say so
            continue
        except OSError:
            continue
        file_id = (status.st_dev, status.st_ino)
        if stat.S_ISREG(status.st_mode) and (file_id not in seen or not status.st_ino):
            seen.add(file_id)
            yield Found(path, directory.name.decode(errors="backslashreplace"), signature(status), status.st_size)


def signature(status: os.stat_result) -> str:
    """What changes when a file is written or replaced."""
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_dev}:{status.st_ino}"
