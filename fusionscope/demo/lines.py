"""Lines of a session log: envelope, chain of parents, ids and times as Copilot CLI writes them."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import uuid
from typing import Any

__all__ = ["Json", "Log", "iso", "moment", "stable_hex", "stable_uuid"]

#: the fields of one event
Json = dict[str, Any]

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MILLISECOND = dt.timedelta(milliseconds=1)


def stable_hex(text: str) -> str:
    """Return 64 hexadecimal digits that depend only on ``text``."""
    return hashlib.sha256(f"fusionscope demo/{text}".encode()).hexdigest()


def stable_uuid(text: str) -> str:
    """Return a version-4 shaped UUID that depends only on ``text``."""
    return str(uuid.UUID(hex=stable_hex(text)[:32], version=4))


def moment(text: str) -> int:
    """Return an RFC 3339 time in UTC as milliseconds since 1970."""
    return (dt.datetime.fromisoformat(text) - _EPOCH) // _MILLISECOND


def iso(at: int) -> str:
    """Return milliseconds since 1970 as the CLI prints a time: UTC, three decimals, ``Z``."""
    return (_EPOCH + at * _MILLISECOND).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


class Log:
    """One session log under construction; every line names the line before it as its parent."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.lines: list[bytes] = []
        self._last_id: str | None = None

    @property
    def size(self) -> int:
        """Bytes so far."""
        return sum(map(len, self.lines))

    def append(self, event_type: str, at: int, data: Json, event_id: str | None = None) -> None:
        """Add one event that was created at ``at``; its id is derived from its place in the log unless given."""
        event_id = event_id or stable_uuid(f"{self.session_id}/{len(self.lines)}")
        # The order of the keys is part of the format: readers test the first bytes of a line for its type.
        record = {"type": event_type, "data": data, "id": event_id, "timestamp": iso(at), "parentId": self._last_id}
        self.lines.append(json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n")
        self._last_id = event_id
