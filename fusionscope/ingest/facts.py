"""From one decoded event to the fact it states."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from operator import attrgetter
from typing import Any

import msgspec

from fusionscope.ingest.events import Context, Record, Usage
from fusionscope.store.facts import Commit, Completion, HandoffMade, LegEnd, Route, SessionMark, TurnFact

__all__ = ["fact_of"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
_LONGEST_WORD = 512  # no word of the CLI's vocabulary is as long; what is longer is cut
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
_COLUMNS = {fact: fact._fields[4:] for fact in set(_FACTS.values())}  # those that are the fact's own
_USED = Usage.__struct_fields__
_VALUES = {
    fact: attrgetter(*(name for name in names if name not in _USED or fact is not LegEnd)) for fact, names in _COLUMNS.items()
}
_NO_USAGE, _NO_CONTEXT = Usage(), Context()


def fact_of(kind: str, record: Record[Any], event_id: str, session_id: str) -> TurnFact | SessionMark:
    """Turn the decoded event of type ``kind`` in the log of ``session_id`` into its fact.

    Raises ``msgspec.ValidationError`` for a timestamp outside the years 1971 to 9998, or no id of the turn.
    """
    at, data = _moment(record.timestamp), record.data
    if kind in _MARKS:
        context = data.context or _NO_CONTEXT
        words = (data.cli_version, data.selected_model, context.repository, context.branch)
        return SessionMark(session_id, event_id, at, _MARKS[kind], *(_column("", word) for word in words))
    fact = _FACTS[kind]
    values = _VALUES[fact](data)
    if fact is LegEnd:
        values += msgspec.structs.astuple(data.usage or _NO_USAGE)
    # most values are as they should be: this runs for every event
    columns: list[Any] = [
        value
        if value is None or value.__class__ is int or (value.__class__ is str and len(value) < _LONGEST_WORD)
        else _column(name, value)
        for name, value in zip(_COLUMNS[fact], values, strict=True)
    ]
    fusion_id = data.fusion_id or data.attempt_id
    if fusion_id is None:
        raise msgspec.ValidationError("neither fusionId nor attemptId")
    made: TurnFact = fact(fusion_id, event_id, at, record.agent_id, *columns)
    return made


def _column(name: str, value: Any) -> Any:
    """The value of the column ``name`` as the store wants it."""
    if isinstance(value, str) and len(value) > _LONGEST_WORD:
        return value[: _LONGEST_WORD - 1] + "…"
    if isinstance(value, float) and name not in _FRACTIONS:
        # once, here: everything after this is whole numbers
        return int(Decimal(value).quantize(Decimal(1), ROUND_HALF_UP))
    if isinstance(value, (list, msgspec.Struct)):
        return msgspec.json.encode(value if isinstance(value, list) else msgspec.structs.asdict(value)).decode()
    return value


def _moment(timestamp: datetime) -> int:
    """Milliseconds since the epoch; a time without a zone is UTC."""
    if not 1970 < timestamp.year < 9999:
        raise msgspec.ValidationError("timestamp out of range")
    aware = timestamp if timestamp.tzinfo else timestamp.replace(tzinfo=UTC)
    return (aware - _EPOCH) // _MS
