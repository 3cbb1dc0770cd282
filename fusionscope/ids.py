"""Ids of a turn's trace and spans: hashes of the log's own ids, the same on every run and on every machine.

They never change between releases: sending a span again is harmless only while they are the same.
"""

from __future__ import annotations

from hashlib import sha1

__all__ = ["LegKey", "leg_span_id", "root_span_id", "tool_span_id", "trace_id"]

#: a leg within its turn: ``(phase_id, attempt)``
LegKey = tuple[str, int]


def trace_id(fusion_id: str) -> int:
    """Return the trace id of a turn: 128 bits. A failed route has its attempt id as its fusion id."""
    return _cut(f"trace:{fusion_id}", 32)


def root_span_id(fusion_id: str) -> int:
    """Return the span id of a turn: 64 bits."""
    return _cut(f"span:{fusion_id}:root", 16)


def leg_span_id(fusion_id: str, leg: LegKey) -> int:
    """Return the span id of a leg: 64 bits. A phase id alone need not be unique, not even in its turn."""
    phase_id, attempt = leg
    return _cut(f"span:{fusion_id}|{phase_id}|{attempt}", 16)


def tool_span_id(session_id: str, tool_call_id: str, number: int = 0) -> int:
    """Return the span id of a tool call: 64 bits. ``number`` counts the calls of a turn with one id from 0."""
    return _cut(f"span:{session_id}|{tool_call_id}" + (f"|{number}" if number else ""), 16)


def _cut(text: str, digits: int) -> int:
    """The first ``digits`` hex digits of the SHA-1 of ``text``. All zeros would be no id, so such a text is lengthened."""
    while not (value := int(_sha1(text)[:digits], 16)):
        text += "|"
    return value


def _sha1(text: str) -> str:
    return sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
