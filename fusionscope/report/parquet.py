"""Turns as a Parquet file: the fields of ``turns --json``, with types. Needs pyarrow, which is an extra of its own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from fusionscope.model import Turn
from fusionscope.report import files

__all__ = ["write_turns"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOMENTS = ("started_at", "ended_at")

_TEXT, _COUNT, _SPAN, _FLAG = pyarrow.string(), pyarrow.int64(), pyarrow.float64(), pyarrow.bool_()
_MOMENT = pyarrow.timestamp("ms", tz="UTC")

_LEG = pyarrow.struct({
    "phase_id": _TEXT, "index": _COUNT, "kind": _TEXT, "role": _TEXT, "scope": _TEXT, "model": _TEXT,
    "reasoning_effort": _TEXT, "status": _TEXT, "verdict": _TEXT, "reason": _TEXT, "started_at": _MOMENT,
    "ended_at": _MOMENT, "duration_ms": _SPAN, "requests": _COUNT, "input_tokens": _COUNT, "output_tokens": _COUNT,
    "cached_tokens": _COUNT, "cache_write_tokens": _COUNT, "nano_aiu": _COUNT, "is_answer": _FLAG,
})  # fmt: skip
_SCHEMA = pyarrow.schema({
    "fusion_id": _TEXT, "session_id": _TEXT, "pattern": _TEXT, "state": _TEXT, "outcome": _TEXT, "started_at": _MOMENT,
    "ended_at": _MOMENT, "duration_ms": _SPAN, "routing_latency_ms": _SPAN, "route_source": _TEXT, "policy": _TEXT,
    "degraded_reason": _TEXT, "models": pyarrow.list_(_TEXT), "compound": _FLAG, "nano_aiu": _COUNT, "credits": _SPAN,
    "usd": _SPAN, "review_nano_aiu": _COUNT, "rewound": _FLAG, "answer_phase_id": _TEXT, "legs": pyarrow.list_(_LEG),
})  # fmt: skip


def write_turns(turns: Sequence[Turn], path: Path) -> None:
    """Write one row a turn, oldest first, its legs in a list. Raises ``OSError`` when the file cannot be written."""
    rows = [_row(turn) for turn in sorted(turns, key=lambda turn: (turn.started_at, turn.fusion_id))]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema=_SCHEMA), path)


def _row(turn: Turn) -> dict[str, Any]:
    row = files.turn_object(turn) | _moments(turn.started_at, turn.ended_at)
    for told, leg in zip(row["legs"], turn.legs, strict=True):
        told |= _moments(leg.started_at, leg.ended_at)
    return row


def _moments(started_at: int, ended_at: int | None) -> dict[str, datetime | None]:
    return dict(zip(_MOMENTS, (_moment(started_at), _moment(ended_at)), strict=True))


def _moment(ms: int | None) -> datetime | None:
    """A moment; ``None`` where the calendar has no such day, as in the JSON."""
    if ms is None:
        return None
    try:
        return _EPOCH + timedelta(milliseconds=ms)
    except OverflowError:
        return None
