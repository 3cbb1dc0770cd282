"""From one decoded event to the fact it states."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import msgspec

from fusionscope.ingest.events import Record
from fusionscope.store.facts import Commit, Completion, HandoffMade, LegEnd, Route, SessionMark, TurnFact

__all__ = ["fact_of"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
#: no word of the CLI's vocabulary is as long; what is longer is cut
_LONGEST_WORD = 512
_FRACTIONS = {"duration_ms", "routing_latency_ms"}

_MARKS = {"session.start": "start", "session.resume": "resume", "session.shutdown": "shutdown"}
_FACTS: dict[str, type[TurnFact]] = {
    "session.fusion_resolved": Route,
    "session.fusion_route_failed": Route,
    "assistant.fusion_phase_completed": LegEnd,
    "assistant.fusion_phase_failed": LegEnd,
    "session.fusion_handoff": HandoffMade,
    "session.fusion_commit_started": Commit,
    "session.fusion_completed": Completion,
}
#: columns that are never empty, with what stands for an absent value
_ABSENT: dict[type[TurnFact], dict[str, Any]] = {
    LegEnd: {
        "kind": "unknown", "background_work": False, "duration_ms": 0.0, "requests": 0, "input_tokens": 0, "output_tokens": 0,
        "cached_tokens": 0, "cache_write_tokens": 0,
    },
    Commit: {"kind": "unknown"},
    Completion: {"outcome": "unknown", "awaiting_background_work": False},
}  # fmt: skip


def fact_of(kind: str, record: Record[Any], event_id: str, session_id: str, position: int) -> TurnFact | SessionMark:
    """Turn the decoded event of type ``kind`` at byte ``position`` of the log of ``session_id`` into its fact.

    Raises:
        msgspec.ValidationError: a timestamp outside the years 1971 to 9998, or no id of the turn.
    """
    at, data = _moment(record.timestamp), record.data
    if kind in _MARKS:
        words = _columns(("cli_version", "selected_model"), data) + _columns(("repository", "branch"), data.context)
        return SessionMark(session_id, event_id, position, at, _MARKS[kind], *words)
    fact = _FACTS[kind]
    absent = _ABSENT.get(fact, {})
    names = fact._fields[5:]
    values = _columns(names, data, absent)
    if fact is LegEnd:
        values = values[:-6] + _columns(names[-6:], data.usage, absent)
        status = names.index("status")
        values[status] = values[status] or kind.rpartition("_")[2].replace("completed", "succeeded")
    fusion_id = data.fusion_id or data.attempt_id
    if fusion_id is None:
        raise msgspec.ValidationError("neither fusionId nor attemptId")
    made: TurnFact = fact(fusion_id, event_id, position, at, record.agent_id, *values)
    return made


def _columns(names: tuple[str, ...], data: Any, absent: dict[str, Any] | None = None) -> list[Any]:
    """The values of ``data`` called ``names``, as columns of the store."""
    values = []
    for name in names:
        value = getattr(data, name, None)
        if value is None:
            value = absent.get(name) if absent else None
        elif type(value) is str:
            value = value if len(value) <= _LONGEST_WORD else value[: _LONGEST_WORD - 1] + "…"
        elif type(value) is float and name not in _FRACTIONS:
            # once, here: everything after this is whole numbers
            value = int(Decimal(value).quantize(Decimal(1), ROUND_HALF_UP))
        elif isinstance(value, (list, msgspec.Struct)):
            value = msgspec.json.encode(value if isinstance(value, list) else msgspec.structs.asdict(value)).decode()
        values.append(value)
    return values


def _moment(timestamp: datetime) -> int:
    """Milliseconds since the epoch; a time without a zone is UTC."""
    if not 1970 < timestamp.year < 9999:
        raise msgspec.ValidationError("timestamp out of range")
    aware = timestamp if timestamp.tzinfo else timestamp.replace(tzinfo=UTC)
    return (aware - _EPOCH) // _MS
