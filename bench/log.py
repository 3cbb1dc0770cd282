"""One synthetic session log, written line by line as Copilot CLI writes them."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any

import msgspec

from bench.truth import Truth

__all__ = ["TEXT", "Json", "Log", "iso", "random_id"]

#: the fields of one event
Json = dict[str, Any]

#: stands in an event's fields where its text goes
TEXT = "\0"

_encode = msgspec.json.Encoder().encode
_QUOTED_TEXT = _encode(TEXT)
_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - without a zone, its ISO form is the log's but for the Z
_MS = dt.timedelta(milliseconds=1)


def iso(at: int) -> str:
    """Milliseconds since 1970 as the CLI prints a time."""
    return (_EPOCH + at * _MS).isoformat(timespec="milliseconds") + "Z"


def random_id(rng: Random) -> str:
    """A version-4 UUID."""
    digits = f"{rng.getrandbits(128):032x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


class Log:
    """A log under construction, as a context manager; counts its bytes and lines in ``truth``.

    ``now`` is the session's clock (milliseconds since 1970); ``size`` (bytes) and ``lines`` say how much was written so far.
    The file's time of change is that of its last event, as on the machine where a log grew: a file that was just changed is
    looked at again by a careful reader.
    """

    def __init__(self, path: Path, now: int, rng: Random, truth: Truth) -> None:
        self.session_id = path.parent.name
        self.now = now
        self.size = self.lines = 0
        self.newest_fusion_line = b""
        self._path = path
        self._file = path.open("wb", buffering=1 << 20)
        self._rng = rng
        self._truth = truth
        self._last_id: str | None = None

    def __enter__(self) -> Log:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()
        os.utime(self._path, (self.now / 1_000, self.now / 1_000))

    def wait(self, ms: int) -> None:
        """Let ``ms`` milliseconds pass."""
        self.now += ms

    def put(self, event_type: str, data: Json, text: bytes = b"") -> None:
        """Add one event that happens now; ``text``, escaped for JSON, takes every place of ``TEXT`` in ``data``."""
        event_id = random_id(self._rng)
        # the order of the keys is part of the format: readers test the first bytes of a line for its type
        record = {"type": event_type, "data": data, "id": event_id, "timestamp": iso(self.now), "parentId": self._last_id}
        line = _encode(record).replace(_QUOTED_TEXT, b'"%b"' % text) + b"\n"
        self._file.write(line)
        self._last_id = event_id
        self.size += len(line)
        self.lines += 1
        if ".fusion_" in event_type:
            self.newest_fusion_line = line
        self._truth.lines += 1
        self._truth.bytes += len(line)
        self._truth.longest_line = max(self._truth.longest_line, len(line))
