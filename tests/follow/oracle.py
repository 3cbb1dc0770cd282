"""What must be known after everything that was ever visible: by arithmetic of its own, and by a cold read."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from fusionscope.follow.index import index
from fusionscope.ingest.find import Root
from fusionscope.store import schema

__all__ = ["Key", "Oracle"]

Key = tuple[int, str]  # number of the root, session id

#: what the reader passes over by its first bytes, also when the rest of it is damaged
_ORDINARY = re.compile(rb'\{"type":"(assistant\.turn_end|assistant\.turn_start|hook\.end)"')
_FUSION_IN_IT = re.compile(rb'.\{"type":"[a-z.]+\.fusion_')
_UNKNOWN = "session.fusion_debated"


class _Contents(NamedTuple):
    """What the bytes of a log say: its Fusion events, those of an unknown type, and the records that cannot be used."""

    events: list[dict[str, Any]]
    unknown: int
    bad: frozenset[bytes]

    @property
    def turns(self) -> set[str]:
        return {_turn_of(event) for event in self.events}


class Oracle:
    """Remembers the contents of all logs at every poll."""

    def __init__(self) -> None:
        self._seen: dict[Key, list[bytes]] = defaultdict(list)

    def look(self, visible: Mapping[Key, bytes]) -> None:
        """Take in what a poll can see."""
        for key, content in visible.items():
            before = self._seen[key]
            if before and content.startswith(before[-1]):
                before.pop()  # the same lines and more
            before.append(content)

    def logs(self) -> list[Key]:
        """All logs that were ever seen."""
        return sorted(self._seen)

    def cold_read(self, directory: Path) -> sqlite3.Connection:
        """An empty store that reads every content as a log of its own, all in one go."""
        roots = []
        for (root, session_id), contents in self._seen.items():
            for n, content in enumerate(contents):
                path = directory / f"{root}-{n}" / session_id / "events.jsonl"
                path.parent.mkdir(parents=True)
                path.write_bytes(content)
                roots.append(Root(path.parents[1], "a snapshot"))
        connection = sqlite3.connect(":memory:", isolation_level=None)
        schema.create(connection)
        done = index(connection, list(dict.fromkeys(roots)))
        assert done.problems == []
        return connection

    def amounts(self) -> dict[str, int | None]:
        """What every turn cost that was ever seen: its newest total, else its legs, each once."""
        return {fusion_id: _amount(events.values()) for fusion_id, events in self._turns().items()}

    def split(self) -> set[str]:
        """The turns of which some log held only a part."""
        everything = self._turns()
        split = set[str]()
        for contents in self._all():
            held = {(_turn_of(event), event["id"]) for event in contents.events}
            parts = Counter(fusion_id for fusion_id, _ in held)
            split |= {fusion_id for fusion_id, number in parts.items() if number < len(everything[fusion_id])}
        return split

    def legs(self, order: Mapping[str, int]) -> dict[str, list[tuple[str, str]]]:
        """The legs of every turn (phase id, status) in the ``order`` in which they came about."""
        found = {}
        for fusion_id, events in self._turns().items():
            legs = [event for event in events.values() if "fusion_phase" in event["type"]]
            legs.sort(key=lambda event: order[event["id"]])
            found[fusion_id] = [(event["data"]["phaseId"], event["data"]["status"]) for event in legs]
        return found

    def _turns(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Every event of every turn, each once."""
        turns: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
        for contents in self._all():
            for event in contents.events:
                turns[_turn_of(event)][event["id"]] = event
        return turns

    def rewound(self) -> set[str]:
        """The turns that no log held when it was last seen: a log that is gone keeps what it held."""
        kept = set[str]()
        for contents in self._seen.values():
            kept |= _read(contents[-1]).turns
        return set(self._turns()) - kept

    def bad_records(self) -> dict[str, set[bytes]]:
        """The records of every session that could not be used: each once, however often its log was read."""
        found: dict[str, set[bytes]] = defaultdict(set)
        for (root, session_id), contents in self._seen.items():
            for content in contents:
                found[session_id] |= {b"%d:%b" % (root, bad) for bad in _read(content).bad}
        return found

    def unknown_events(self) -> int:
        """How many events of an unknown type each log held when it last held any."""
        numbers = [[_read(content).unknown for content in contents] for contents in self._seen.values()]
        return sum(next(filter(None, reversed(number)), 0) for number in numbers)

    def _all(self) -> Iterable[_Contents]:
        return (_read(content) for contents in self._seen.values() for content in contents)


def _amount(events: Iterable[dict[str, Any]]) -> int | None:
    events = list(events)
    totals = [event for event in events if event["type"] == "session.fusion_completed"]
    if totals:
        return int(max(totals, key=lambda event: (event["timestamp"], event["id"]))["data"]["totalNanoAiu"])
    legs = [int(event["data"]["usage"]["totalNanoAiu"]) for event in events if "fusion_phase" in event["type"]]
    return sum(legs) if legs else None


def _turn_of(event: dict[str, Any]) -> str:
    data = event["data"]
    return str(data["fusion"]["fusionId"] if _is_tied(event) else data.get("fusionId") or data["attemptId"])


@lru_cache(maxsize=2_000)
def _read(content: bytes) -> _Contents:
    *lines, tail = content.split(b"\n")
    events, bad = [], set()
    for line in lines:
        record = line.lstrip(b"\0")
        if line != record:
            bad.add(line[: len(line) - len(record)])
        event, is_bad = _line(record)
        if event:
            events.append(event)
        if is_bad:
            bad.add(record)
    if tail.startswith(b"\0"):  # and not a line that is being written
        bad.add(tail[: len(tail) - len(tail.lstrip(b"\0"))])
    known = [event for event in events if event["type"] != _UNKNOWN]
    return _Contents(known, len(events) - len(known), frozenset(bad))


@lru_cache(maxsize=20_000)
def _line(line: bytes) -> tuple[dict[str, Any] | None, bool]:
    """The event of a turn on a line, if any, and whether something is wrong with the line that a reader notices."""
    record = _record(line)
    if record or not line:
        return (record if _is_fusion(record) or _is_tied(record) else None), False
    passed_over = _ORDINARY.match(line) or (line.startswith(b'{"type":"tool.execution_start"') and b'"fusion":' not in line)
    start = line.rfind(b'{"type":"')
    rescued = _record(line[start:]) if start > 0 else {}
    if _is_fusion(rescued) or (_is_tied(rescued) and not passed_over):
        return (rescued if rescued["type"] != _UNKNOWN else None), True
    return None, not passed_over or _FUSION_IN_IT.search(line) is not None


def _record(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def _is_tied(record: dict[str, Any]) -> bool:
    """Whether an ordinary event names the turn that it belongs to."""
    return isinstance(record.get("data"), dict) and "fusion" in record["data"]


def _is_fusion(record: dict[str, Any]) -> bool:
    return ".fusion_" in record.get("type", "")
