"""When to send one signal, and when not: back-off, giving up, and what to tell about it.

A courier is asked again and again to do something, does at most one page of work, and says when it wants to be asked next.
It keeps what it knows in the store as well, for the next process and for `fusionscope status`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import NamedTuple, Protocol

from fusionscope.export.answer import Later, Refused, Unreachable
from fusionscope.export.backoff import wait_s
from fusionscope.export.batch import LONGEST_BATCH
from fusionscope.export.clock import Clock
from fusionscope.export.page import PageEnd
from fusionscope.store import delivery, outbox
from fusionscope.store.database import transaction

__all__ = ["IDLE_S", "Bounds", "Courier", "Work"]

#: seconds between two looks at a queue that was empty: another process may have filled it
IDLE_S = 10.0
_BUSY_S = 1.0
_BOUND_S = 60.0
#: broken connections in a row after which the size of the requests is suspected
_SUSPICIOUS = 2
_DAY_MS = 86_400_000


class Bounds(NamedTuple):
    """How much may wait while an endpoint fails: milliseconds since it began to fail or was queued, and turns."""

    age_ms: int = 30 * _DAY_MS
    turns: int = 1_000_000


class Work(Protocol):
    """What a courier carries: ``unit`` is what it is counted in. Where it is not ``bounded``, nothing is ever dropped."""

    signal: str
    unit: str
    bounded: bool

    def begin(self, connection: sqlite3.Connection) -> None:
        """Prepare; called once, in the transaction that notes the endpoint, where there was none before."""

    def send(self, connection: sqlite3.Connection, longest: int) -> PageEnd:
        """Do one page."""


class Courier:
    """Sends one signal to one endpoint.

    ``endpoint`` is a hash of it, ``shown`` its address for people. ``say`` gets sentences, one for each change. What happens
    while ``stopping`` is no failure.
    """

    def __init__(
        self,
        work: Work,
        endpoint: str,
        shown: str,
        *,
        say: Callable[[str], None],
        clock: Clock,
        stopping: Callable[[], bool] = lambda: False,
        bounds: Bounds = Bounds(),  # noqa: B008
    ) -> None:
        self.signal = work.signal
        self._work = work
        self._endpoint = endpoint
        self._shown = shown
        self._say = say
        self._clock = clock
        self._stopping = stopping
        self._bounds = bounds
        self._name = work.signal.capitalize()
        self._begun = False
        self._stopped = False
        self._failing = False
        self._losing = False
        self._dropping = False
        self._failures = 0
        self._broken = 0
        self._due = 0.0
        self._bound_due = 0.0
        self._longest = LONGEST_BATCH

    def turn(self, connection: sqlite3.Connection) -> float:
        """Do what there is to do now, at most one page; returns the seconds until it wants to be called again."""
        if not self._begun:
            self._begin(connection)
        if self._stopped:
            self._keep_bounds(connection)
            # another process may have got through meanwhile
            self._stopped = delivery.is_stopped(connection, self.signal)
            return IDLE_S if self._stopped else 0.0
        left = self._due - self._clock.steady()
        if left > 0:
            return left
        end = self._work.send(connection, self._longest)
        if end.busy:
            return _BUSY_S
        self._tell(end)
        if end.heard:
            self._failures = 0
        if end.stopped is None or self._stopping():
            if end.heard:
                self._went_well()
            return IDLE_S if end.nothing else 0.0
        if isinstance(end.stopped, Refused) and end.stopped.for_good:
            self._stop(connection, end.stopped)
            return IDLE_S
        return self._fail(connection, end.stopped)

    def _begin(self, connection: sqlite3.Connection) -> None:
        with transaction(connection):
            start = delivery.begin(connection, self.signal, self._endpoint)
            if start.fresh:
                self._work.begin(connection)
        self._begun = True
        self._failures = start.failures
        if start.not_before is not None:
            # bounded as the wait was that it asked for, whatever the clock did meanwhile
            self._due = self._clock.steady() + wait_s(1, (start.not_before - self._clock.now()) / 1_000)
        if start.released:
            self._say(f"{self._name}: {start.released:,} turns that were set aside are tried again.")

    def _tell(self, end: PageEnd) -> None:
        if end.parked:
            self._say(f"{self._name}: {end.parked:,} turns are not taken and set aside: {end.why_parked}.")
        if end.lost and not self._losing:
            self._say(f"{self._name}: {self._shown} threw {end.lost:,} {self._work.unit} away{_because(end.why_lost)}.")
        self._losing = end.lost > 0

    def _went_well(self) -> None:
        self._broken = 0
        self._longest = min(LONGEST_BATCH, 2 * self._longest)
        if self._failing:
            self._failing = self._dropping = False
            self._say(f"{self._name}: {self._shown} takes them again.")

    def _stop(self, connection: sqlite3.Connection, answer: Refused) -> None:
        with transaction(connection):
            delivery.note_stopped(connection, self.signal, self._clock.now(), answer.why)
        self._stopped = self._failing = True
        self._say(
            f"{self._name} are no longer sent: {answer.why}. They are kept, and tried when the endpoint or its headers change,"
            " or at the next start."
        )

    def _fail(self, connection: sqlite3.Connection, answer: Later | Refused | Unreachable) -> float:
        asked = answer.after_s if isinstance(answer, Later) else None
        self._suspect(answer)
        self._failures += 1
        left = wait_s(self._failures, asked)
        now = self._clock.now()
        with transaction(connection):
            delivery.note_failure(
                connection, self.signal, now, answer.why, self._failures, now + round(left * 1_000), asked=asked is not None
            )
        self._due = self._clock.steady() + left
        if not self._failing:
            self._failing = True
            self._say(f"{self._name} wait to be sent: {answer.why}.")
        self._keep_bounds(connection)
        return left

    def _suspect(self, answer: Later | Refused | Unreachable) -> None:
        """A receiver that breaks off again and again may take smaller requests."""
        if isinstance(answer, Later) and answer.broken:
            self._broken += 1
            if self._broken >= _SUSPICIOUS:
                self._longest = max(1, self._longest // 2)

    def _keep_bounds(self, connection: sqlite3.Connection) -> None:
        """Drop what waited too long or is too much, while sending fails."""
        if self._clock.steady() < self._bound_due:
            return
        self._bound_due = self._clock.steady() + _BOUND_S
        now = self._clock.now()
        with transaction(connection):
            since = delivery.note_still_failing(connection, self.signal, now)
            dropped = self._drop(connection, since, now) if self._work.bounded else 0
        if dropped and not self._dropping:
            self._dropping = True
            self._say(
                f"{self._name}: turns that wait too long, or are too many, are dropped; `fusionscope status` counts them."
            )

    def _drop(self, connection: sqlite3.Connection, failing_since: int, now: int) -> int:
        dropped = outbox.drop_excess(connection, self.signal, self._bounds.turns)
        if failing_since <= now - self._bounds.age_ms:
            dropped += outbox.drop_old(connection, self.signal, now - self._bounds.age_ms)
        if dropped:
            delivery.note_dropped(connection, self.signal, dropped)
        return dropped


def _because(why: str) -> str:
    return f": {why}" if why else ""
