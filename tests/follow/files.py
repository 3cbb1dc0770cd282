"""What tests do to the file of a log, and what they ask of the store afterwards."""

from __future__ import annotations

import os
from pathlib import Path

from tests.conftest import Stage

__all__ = ["age", "append", "replace", "rewound"]

_HOUR_NS = 3_600 * 10**9


def append(path: Path, content: bytes) -> None:
    """Write on."""
    with path.open("ab") as file:
        file.write(content)


def replace(path: Path, content: bytes) -> None:
    """Put another file in the place of a log, as the CLI does for a rewind and for a recovery."""
    temporary = path.with_name("events.jsonl.tmp.1b4e28ba")
    temporary.write_bytes(content)
    temporary.replace(path)


def age(path: Path) -> None:
    """Let an hour pass since a file was written."""
    then = path.stat().st_mtime_ns - _HOUR_NS
    os.utime(path, ns=(then, then))


def rewound(stage: Stage) -> set[str]:
    """The turns that no log holds any more."""
    return {turn.fusion_id for turn in stage.turns() if turn.rewound}
