"""A sender without a thread and without real waits: a test runs it until it is idle, and sees what it waited for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fusionscope.export.clock import Clock
from fusionscope.export.courier import IDLE_S
from fusionscope.export.endpoint import Endpoint
from fusionscope.export.sender import Sender
from fusionscope.store.database import connect
from fusionscope.store.outbox import Delivery, deliveries
from tests.conftest import Stage
from tests.export.receiver import Receiver, values
from tests.logs import Log, place
from tests.turns import TEN

__all__ = ["FUSION_ID", "FakeClock", "Killed", "delivery", "place_turns", "roots", "run", "sender"]

FUSION_ID = "github.copilot.fusion.id"


class Killed(BaseException):
    """``kill -9``: nothing in the program may catch it."""


class FakeClock(Clock):
    """Time moves by what is waited, from the moment ``now`` on. ``waits`` are the waits for another try (s).

    A run ends with the idle look number ``idle``, or when ``until`` says so after a wait.
    """

    def __init__(self, idle: int = 1, until: Callable[[FakeClock], object] = lambda clock: False, now: int = TEN) -> None:
        self.waits: list[float] = []
        self.passed = 0.0
        self.end: Callable[[], object] = lambda: None
        self._idle = idle
        self._until = until
        self._began = now

    def now(self) -> int:
        return self._began + round(1_000 * self.passed)

    def steady(self) -> float:
        return self.passed

    def wait(self, event: threading.Event, seconds: float) -> None:
        self.passed += seconds
        if seconds == IDLE_S:
            self._idle -= 1
        else:
            self.waits.append(seconds)
        if self._until(self) or self._idle == 0:
            self.end()


def sender(database: Path, url: str, clock: Clock, said: list[str] | None = None, **more: Any) -> Sender:
    """A sender from ``database`` to ``url``; ``headers`` are the endpoint's, ``opened`` gives another connection."""
    endpoint = Endpoint(url, more.pop("headers", {}))
    opened = more.pop("opened", lambda: connect(database))
    say = more.pop("say", (lambda sentence: None) if said is None else said.append)
    return Sender(opened, endpoint, "/root", say, clock=clock, **more)


def run(stage: Stage, url: str, clock: FakeClock | None = None, **more: Any) -> list[str]:
    """Send until there is nothing to do, and return what was said."""
    clock = clock or FakeClock()
    said: list[str] = []
    made = sender(stage.database, url, clock, said, **more)
    clock.end = made.stop
    made.run()
    return said


def delivery(stage: Stage, signal: str = "traces") -> Delivery:
    """How sending goes, as `fusionscope status` has it."""
    (found,) = [one for one in deliveries(stage.connection) if one.signal == signal]
    return found


def place_turns(stage: Stage, count: int, name: str = "s1") -> None:
    """Index a session ``name`` with so many cascade turns, f0, f1 and so on."""
    log = Log(name)
    log.start()
    for number in range(count):
        log.turn(f"{name}-f{number}")
    place(stage.root, log)
    stage.index()


def roots(receiver: Receiver) -> list[str]:
    """The fusion ids of all root spans that were accepted, as they came."""
    return [values(span.attributes)[FUSION_ID] for span in receiver.spans if not span.parent_span_id]
