"""From one decoded event to the fact it states."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from operator import attrgetter
from typing import Any

import msgspec

from fusionscope.decode import events
from fusionscope.decode.events import LONGEST_WORD
from fusionscope.store import facts
from fusionscope.store.facts import Fact, SessionMark

__all__ = ["fact_of", "moment"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
_PLAIN = {int, str, bool, type(None)}  # classes whose values the store takes as they are
_FRACTIONS = {"duration_ms", "routing_latency_ms"}

_FACTS: dict[str, type[Fact]] = {
    "session.fusion_resolved": facts.Route,
    "session.fusion_route_failed": facts.Route,
    "assistant.fusion_phase_started": facts.LegStart,
    "assistant.fusion_phase_completed": facts.LegEnd,
    "assistant.fusion_phase_failed": facts.LegEnd,
    "session.fusion_handoff": facts.HandoffMade,
    "session.fusion_commit_started": facts.Commit,
    "session.fusion_completed": facts.Completion,
    "user.message": facts.Prompt,
    "session.usage_record": facts.ModelCall,
    "session.compaction_complete": facts.Compaction,
}
#: the fact that an event with an attribution states, and one without
_EITHER: dict[str, tuple[type[Fact], type[Fact] | None]] = {
    "assistant.message": (facts.Message, facts.Reply),
    "tool.execution_start": (facts.ToolStart, None),
    "tool.execution_complete": (facts.ToolEnd, facts.ToolUse),
}
#: the parts of an event's data that hold the last columns of a fact, in their order
_PARTS: dict[type[Fact], dict[str, msgspec.Struct]] = {
    facts.LegEnd: {"usage": events.Usage()},
    facts.Message: {"fusion": events.Attribution()},
    facts.ToolStart: {"fusion": events.Attribution()},
    facts.ToolEnd: {"shell": events.Shell(), "error": events.Failure(), "fusion": events.Attribution()},
    facts.ModelCall: {
        "usage.fusion": events.Attribution(), "usage": events.RecordedUsage(), "usage.accounting": events.Accounting(),
        "usage.amount": events.Amount(),
    },
    facts.Compaction: {"usage": events.CallUsage(), "usage.amount": events.Amount()},
}  # fmt: skip
_MARKS = {"session.start": "start", "session.resume": "resume", "session.shutdown": "shutdown"}
_MARKING_INFOS = {"rewind", "fork"}


def fact_of(kind: str, record: events.Record[Any], event_id: str, session_id: str) -> Fact | None:
    """Turn the decoded event of type ``kind`` in the log of ``session_id`` into its fact; ``None``: it states none.

    Raises ``msgspec.ValidationError`` for a timestamp outside the years 1971 to 9998, or no id of the turn.
    """
    at, data = moment(record.timestamp), record.data
    fact: type[Fact] | None = _FACTS.get(kind)
    owner: str | None = session_id
    if kind in _EITHER:
        fusion_id = data.fusion.fusion_id if data.fusion else None
        fact = _EITHER[kind][fusion_id is None]
        owner = fusion_id or session_id
        if fact in (facts.ToolStart, facts.ToolEnd) and data.tool_call_id is None:
            return None
    elif fact is None:
        return _mark(_MARKS.get(kind, data.info), data, event_id, at, session_id)
    elif kind in events.FUSION_TYPES:
        owner = data.fusion_id or getattr(data, "attempt_id", None)
        if owner is None:
            raise msgspec.ValidationError("neither fusionId nor attemptId")
    if fact is None:
        return None  # a tool call that no turn is tied to begins: its end says what there is to say
    names, values = _COLUMNS[fact]
    columns = values(data)
    if not _PLAIN.issuperset(map(type, columns)):  # most are: this runs for every event
        columns = tuple(
            value if type(value) in _PLAIN else _column(name, value) for name, value in zip(names, columns, strict=True)
        )
    made: Fact = fact(owner, event_id, at, record.agent_id, *columns)  # type: ignore[arg-type]
    return made


def _columns(fact: type[Fact]) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """The columns that are a fact's own, and what reads them from an event's data."""
    names: tuple[str, ...] = fact._fields[4:]
    parts = {path: [name for name in names if name in part.__struct_fields__] for path, part in _PARTS.get(fact, {}).items()}
    readers = [
        (path.split("."), _PARTS[fact][path], _getter(inside)) for path, inside in parts.items()
    ]  # fmt: skip
    own = [name for name in names if not any(name in inside for inside in parts.values())]
    read_own = _getter(own)

    def read(data: Any) -> tuple[Any, ...]:
        values = read_own(data)
        for path, empty, read_part in readers:
            part = data
            for step in path:
                part = getattr(part, step, None)
            values += read_part(part or empty)
        return values

    return names, read


def _getter(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    get = attrgetter(*names) if names else lambda data: ()
    return get if len(names) != 1 else lambda data: (get(data),)


_COLUMNS = {fact: _columns(fact) for fact in facts.TABLE_OF if fact not in (SessionMark, facts.UnknownWord)}


def _mark(mark: str | None, data: events.SessionMarked, event_id: str, at: int, session_id: str) -> SessionMark | None:
    if mark is None or (mark not in _MARKS.values() and mark not in _MARKING_INFOS):
        return None  # a remark for the person
    context = data.context or events.Context()
    words = (_column("", word) for word in (data.cli_version, data.selected_model, context.repository, context.branch))
    cli_version, selected_model, repository, branch = words
    totals = _totals(data) if mark == "shutdown" else None
    return SessionMark(session_id, event_id, at, mark, cli_version, selected_model, repository, branch, totals)


def _totals(data: events.SessionMarked) -> str:
    models = {}
    for model, total in (data.models or {}).items():
        counts = msgspec.structs.asdict(total.usage or events.ModelTokens())
        counts |= {"requests": total.requests and total.requests.requests, "nano_aiu": total.nano_aiu}
        models[_column("", model)] = {name: _column(name, value) for name, value in counts.items()}
    totals = {
        "nano_aiu": _column("nano_aiu", data.nano_aiu),
        "credits_status": data.snapshot and _column("", data.snapshot.credits_status),
        "session_started_at": None if isinstance(data.session_started_at, str) else data.session_started_at,
        "models": models,
        "covers": sorted(data.covers or {}),
    }
    return msgspec.json.encode(totals).decode()


def _column(name: str, value: Any) -> Any:
    """The value of the column ``name`` as the store wants it."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST_WORD else value[: LONGEST_WORD - 1] + "…"
    if isinstance(value, float) and name not in _FRACTIONS:
        # once, here: everything after this is whole numbers
        return int(Decimal(value).quantize(Decimal(1), ROUND_HALF_UP))
    if isinstance(value, list):
        return msgspec.json.encode([msgspec.structs.asdict(item) for item in value]).decode()
    return msgspec.json.encode(msgspec.structs.asdict(value)).decode() if isinstance(value, msgspec.Struct) else value


def moment(timestamp: datetime) -> int:
    """Milliseconds since the epoch; a time without a zone is UTC. Raises ``msgspec.ValidationError`` outside 1971 to 9998."""
    if not 1970 < timestamp.year < 9999:
        raise msgspec.ValidationError("timestamp out of range")
    aware = timestamp if timestamp.tzinfo else timestamp.replace(tzinfo=UTC)
    return (aware - _EPOCH) // _MS
