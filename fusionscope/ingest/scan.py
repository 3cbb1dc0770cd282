"""Finding the few lines of a block that matter.

Nearly every byte of a log is message text. A line is looked at through its first bytes only: what begins like an ordinary event
is passed over without being decoded. Line end is the byte 0x0A and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

import stringzilla

from fusionscope.ingest.decode import RECORD_START
from fusionscope.ingest.events import ORDINARY_TYPES

__all__ = ["find_lines", "is_ordinary"]

_ORDINARY = frozenset(name.encode() for name in ORDINARY_TYPES)
_LONGEST_TYPE = 80
_FUSION = b".fusion_"


def find_lines(block: bytes, end: int) -> Iterator[tuple[int, int]]:
    """Where the lines stand in ``block[:end]`` (whole lines) that need a closer look: (first byte, line end)."""
    # this loop sees every line of every log
    find, starts, head, start = block.find, block.startswith, len(RECORD_START), 0
    while start < end:
        stop = find(b"\n", start)
        name = start + head
        quote = find(b'"', name, name + _LONGEST_TYPE)
        if quote < 0 or block[name:quote] not in _ORDINARY or not starts(RECORD_START, start):
            yield start, stop
        start = stop + 1
    yield from _glued_lines(block, end)


def is_ordinary(block: bytes, start: int) -> bool:
    """Whether the line that starts at ``start`` begins like an ordinary event."""
    name = start + len(RECORD_START)
    quote = block.find(b'"', name, name + _LONGEST_TYPE)
    return quote >= 0 and block[name:quote] in _ORDINARY and block.startswith(RECORD_START, start)


def _glued_lines(block: bytes, end: int) -> Iterator[tuple[int, int]]:
    """Lines that begin like an ordinary event and hold the beginning of a Fusion record all the same.

    Inside a string its quotes would be escaped, so this is an incomplete record with another one glued to it, or a nested
    object: decoding the whole line tells.
    """
    at = stringzilla.find(block, _FUSION, 0, end)
    while at >= 0:
        head = block.rfind(RECORD_START, max(0, at - _LONGEST_TYPE), at)
        if head > 0 and block[head - 1] != 0x0A:
            start = block.rfind(b"\n", 0, head) + 1
            if is_ordinary(block, start):
                at = block.find(b"\n", at)
                yield start, at
        at = stringzilla.find(block, _FUSION, at + 1, end)
