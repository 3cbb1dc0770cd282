"""The committed session logs, written by the real CLI, and which version of it wrote each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["SAMPLES", "records", "version_of"]

_DIRECTORY = Path(__file__).parent.parent / "tests" / "samples"
#: the one with a Fusion turn has no ``session.start``; its publisher says which CLI wrote it
_FUSION = {"cascade-14.72.jsonl": "1.0.84-2"}

#: text in them is replaced by filler
SAMPLES = sorted(_DIRECTORY.glob("*.jsonl"))


def records(sample: Path) -> list[dict[str, Any]]:
    """Return the events of a log; what is no record is passed over."""
    found = []
    for line in sample.read_bytes().splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:  # the torn line of a sample
            continue
    return found


def version_of(sample: Path) -> str:
    """Return the version of the CLI that started the session."""
    if sample.name in _FUSION:
        return _FUSION[sample.name]
    return str(next(record["data"]["copilotVersion"] for record in records(sample) if record["type"] == "session.start"))
