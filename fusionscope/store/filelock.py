"""A lock on a file that the operating system takes back when its process ends, however it ends."""

from __future__ import annotations

import sys
from typing import IO

__all__ = ["lock"]

if sys.platform == "win32":
    import msvcrt

    def lock(file: IO[bytes], shared: bool = False) -> None:
        """Lock an open file until it is closed. Raises ``OSError`` when another process has it (never shared here)."""
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def lock(file: IO[bytes], shared: bool = False) -> None:
        """Lock an open file until it is closed. Raises ``OSError`` when another process has it (``shared``: alone)."""
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
