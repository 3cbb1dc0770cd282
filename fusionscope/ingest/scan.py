"""Finding the few lines of a block that matter.

Nearly every byte of a log is message text. A line is looked at through its first bytes only: what begins like an ordinary event
is passed over without being decoded. Line end is the byte 0x0A and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

import stringzilla

from fusionscope.decode.line import RECORD_START
from fusionscope.vocabulary import ORDINARY_TYPES

__all__ = ["LONGEST_HEAD", "find_lines", "glued_record", "is_ordinary", "is_text"]

_ORDINARY = frozenset(RECORD_START + name.encode() for name in ORDINARY_TYPES)
_TEXT = frozenset(
    RECORD_START + name for name in (b"assistant.message", b"user.message", b"tool.execution_start", b"tool.execution_complete")
)
_TOOL_START = RECORD_START + b"tool.execution_start"
_PASSED_OVER = _ORDINARY | {_TOOL_START}
_ATTRIBUTION = b'"fusion":'  # without one, the end of a tool call says all there is to say
_HEAD = len(RECORD_START)
LONGEST_HEAD = 80  # bytes of a record in which its type stands
_FUSION = b".fusion_"


def find_lines(block: bytes, end: int) -> Iterator[tuple[int, int]]:
    """Where the lines stand in ``block[:end]`` (whole lines) that need a closer look: (first byte, line end)."""
    find, ordinary, start = block.find, _ORDINARY, 0  # every line of every log comes by here
    while start < end:
        stop = find(b"\n", start)
        quote = find(b'"', start + _HEAD, start + LONGEST_HEAD)
        head = block[start:quote] if quote >= 0 else b""
        if head not in ordinary and (head != _TOOL_START or find(_ATTRIBUTION, quote, stop) >= 0):
            yield start, stop
        start = stop + 1
    yield from _glued_lines(block, end)


def is_ordinary(block: bytes, start: int) -> bool:
    """Whether the line that starts at ``start`` begins like an ordinary event."""
    return _begins(block, start, _ORDINARY)


def is_text(block: bytes, start: int) -> bool:
    """Whether the line that starts at ``start`` begins like an event that is nearly all text."""
    return _begins(block, start, _TEXT)


def _begins(block: bytes, start: int, heads: frozenset[bytes]) -> bool:
    quote = block.find(b'"', start + _HEAD, start + LONGEST_HEAD)
    return quote >= 0 and block[start:quote] in heads


def glued_record(block: bytes, end: int) -> int:
    """Where the last Fusion record in ``block[:end]`` may start, or -1."""
    at = block.rfind(_FUSION, 0, end)
    return block.rfind(RECORD_START, max(0, at - LONGEST_HEAD), at) if at >= 0 else -1


def _glued_lines(block: bytes, end: int) -> Iterator[tuple[int, int]]:
    """Lines that begin like one that is passed over and hold the start of a Fusion record, not in a string: glued or nested."""
    at = stringzilla.find(block, _FUSION, 0, end)
    while at >= 0:
        head = block.rfind(RECORD_START, max(0, at - LONGEST_HEAD), at)
        if head > 0 and block[head - 1] != 0x0A:
            start = block.rfind(b"\n", 0, head) + 1
            if _begins(block, start, _PASSED_OVER):
                at = block.find(b"\n", at)
                yield start, at
        at = stringzilla.find(block, _FUSION, at + 1, end)
