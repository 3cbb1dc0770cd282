"""One follower a database: a lock that the operating system takes back when its process ends, however it ends."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import IO

from fusionscope.store.database import StoreError
from fusionscope.store.filelock import lock

__all__ = ["FollowerLock"]

#: another process may look for a moment whether the lock is free
_PATIENCE_S = 0.5


class FollowerLock:
    """The lock of the database at ``path``, on a file beside it. Not taken until ``take`` says so."""

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(path.name + ".lock")
        self._file: IO[bytes] | None = None

    def take(self) -> bool:
        """Take the lock for as long as this process lives; returns whether nobody else has it.

        Raises:
            StoreError: the file beside the database cannot be made.
        """
        deadline = time.monotonic() + _PATIENCE_S
        while not self._try():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def is_taken(self) -> bool:
        """Whether some process follows the logs for this database. Those who look do not get into each other's way."""
        if self._file is not None:
            return True
        try:
            with self._path.open("rb") as file:
                lock(file, shared=True)
        except FileNotFoundError:
            return False
        except OSError as error:
            return isinstance(error, BlockingIOError) or (os.name == "nt" and isinstance(error, PermissionError))
        return False

    def release(self) -> None:
        """Give the lock back."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _try(self) -> bool:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = os.fdopen(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
        except OSError as error:
            raise StoreError(
                f"Cannot make {self._path}: {(error.strerror or str(error)).lower()}. Name another --db."
            ) from error
        try:
            lock(file)
        except OSError:
            file.close()
            return False
        self._file = file
        return True
