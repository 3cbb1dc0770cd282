"""A glance at what is new in a log: whether it can matter to a turn. Far cheaper than reading it, which needs a decoder."""

from __future__ import annotations

import os

__all__ = ["may_matter"]

_MOST_BYTES = 8 << 20  # new bytes to look through; where there are more, reading them is the faster way to know
_MARKS = (b".fusion_", b"session.start", b"session.resume", b"session.shutdown")


def may_matter(path: bytes, offset: int) -> bool:
    """Whether the log may hold, from the byte ``offset`` (the start of a line) on, what changes a turn or how it stands.

    Says yes when in doubt: also for text that looks so, and for a file that is no longer the one that was read.

    Raises:
        OSError: the log cannot be read.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb", buffering=0) as file:
        if os.fstat(descriptor).st_size < offset:
            return True
        file.seek(max(0, offset - 1))
        new = file.read(_MOST_BYTES + 1) or b""
    replaced = offset > 0 and new[:1] != b"\n"
    return replaced or len(new) > _MOST_BYTES or any(mark in new for mark in _MARKS)
