"""Reads the demo's lines with plain JSON: the tests must not trust the reader that the demo is made for."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any, NamedTuple

Event = dict[str, Any]


class DemoTurn(NamedTuple):
    """The three kinds of events of one turn that hold its figures."""

    resolved: Event
    legs: tuple[Event, ...]
    completed: Event

    @property
    def pattern(self) -> str:
        """The pattern of the route."""
        return str(self.resolved["data"]["pattern"])

    @property
    def nano_aiu(self) -> int:
        """The roll-up's amount."""
        return int(self.completed["data"]["totalNanoAiu"])

    @property
    def seconds(self) -> float:
        """Wall time of the turn."""
        return float(self.completed["data"]["durationMs"]) / 1000

    @property
    def answer_phase_id(self) -> str:
        """The leg that gave the answer."""
        return str(self.completed["data"]["finalSourcePhaseId"])

    @property
    def models(self) -> set[str]:
        """The distinct models that ran."""
        return {leg["data"]["model"] for leg in self.legs}


def events_of(log: Path) -> list[Event]:
    """Every event of one log, in file order."""
    return [json.loads(line) for line in log.read_bytes().splitlines()]


def read_sessions(root: Path) -> list[list[Event]]:
    """The events of every session below a session-state directory, oldest session first."""
    return sorted(map(events_of, root.glob("*/events.jsonl")), key=lambda events: str(events[0]["timestamp"]))


def turns_of(events: list[Event]) -> list[DemoTurn]:
    """The turns of one session, oldest first."""

    def of(event_type: str, fusion_id: str) -> list[Event]:
        return [event for event in events if event["type"] == event_type and event["data"]["fusionId"] == fusion_id]

    turns = []
    for resolved in events:
        if resolved["type"] == "session.fusion_resolved":
            fusion_id = resolved["data"]["fusionId"]
            (completed,) = of("session.fusion_completed", fusion_id)
            turns.append(DemoTurn(resolved, tuple(of("assistant.fusion_phase_completed", fusion_id)), completed))
    return turns


def at(event: Event) -> float:
    """The moment of an event in milliseconds since 1970."""
    return dt.datetime.fromisoformat(event["timestamp"]).timestamp() * 1000


def credits(nano_aiu: int) -> float:
    """Nano-AIU as credits."""
    return nano_aiu / 1_000_000_000


def printed(nano_aiu: int) -> str:
    """An amount as the field report prints it."""
    return f"{credits(nano_aiu):.2f}"
