"""Sending as long as the program runs, in a thread of its own: traces, and metrics in the form that was asked for."""

from __future__ import annotations

import socket
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from typing import TypeVar

from fusionscope.export import identity
from fusionscope.export.backoff import wait_s
from fusionscope.export.channel import Channel, Samples, Traces
from fusionscope.export.clock import Clock
from fusionscope.export.counting import Counters
from fusionscope.export.courier import Bounds, Courier, Work
from fusionscope.export.endpoint import Endpoint, Signal
from fusionscope.export.otlp import Client
from fusionscope.export.page import Pages
from fusionscope.store import delivery
from fusionscope.store.database import StoreError, transaction

__all__ = ["METRICS", "Sender"]

T = TypeVar("T")

#: the forms that metrics can have
METRICS = ("samples", "counters", "off")

#: seconds; the longest that anybody waits for the end of the thread, so that a whole program is down within 5
_STOP_S = 4.0
#: failures in a row after which a store that cannot be used is tried no more rarely (every minute)
_RAREST = 7


class Sender:
    """Sends what waits in the store until it is stopped. All it knows is in the store: it may be killed at any time.

    ``connect`` opens the store; it is called in the sender's thread, the only one that uses what it returns. ``root`` is the
    session root, for the identity of this installation. ``say`` gets sentences for a person, one for each change and none for
    a retry, in the sender's thread. ``metrics`` is one of ``METRICS``. Turns that ended before ``since`` (ms) are not sent;
    cumulative counters count them all the same.
    """

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        endpoint: Endpoint,
        root: str,
        say: Callable[[str], None],
        *,
        metrics: str = "samples",
        since: int | None = None,
        clock: Clock | None = None,
        bounds: Bounds = Bounds(),  # noqa: B008
    ) -> None:
        if metrics not in METRICS:
            raise ValueError(metrics)
        self._connect = connect
        self._endpoint = endpoint
        self._root = root
        self._told = say
        self._metrics = metrics
        self._since = since
        self._clock = clock or Clock()
        self._bounds = bounds
        self._woken = threading.Event()
        self._end = threading.Event()
        self._troubles = 0
        # a daemon: a receiver that never answers must not keep the process alive
        self._thread = threading.Thread(target=self.run, name="fusionscope-sender", daemon=True)

    def start(self) -> None:
        """Send, in a thread of its own."""
        self._thread.start()

    def wake(self) -> None:
        """Say that something may be new in the store: from any thread, as often as one likes."""
        self._woken.set()

    def stop(self, within_s: float = _STOP_S) -> bool:
        """Send no more; returns whether the thread has ended.

        A request that is under way is waited for, at most ``within_s`` seconds. What was not taken stays in the store.
        """
        self._end.set()
        self._woken.set()
        if self._thread.ident is not None:
            self._thread.join(within_s)
        return not self._thread.is_alive()

    def run(self) -> None:
        """Send, in this thread, until somebody says ``stop``."""
        with Client(self._endpoint) as client:
            couriers = self._couriers(client)
            while not self._end.is_set():
                try:
                    with closing(self._connect()) as connection:
                        with transaction(connection):
                            delivery.only(connection, [courier.signal for courier in couriers])
                        self._serve(connection, couriers)
                except Exception as error:  # whatever it is: a sender that is gone sends nothing, and nobody would notice
                    self._bear(error)

    def _serve(self, connection: sqlite3.Connection, couriers: Sequence[Courier]) -> None:
        while not self._end.is_set():
            self._woken.clear()
            wait = min((courier.turn(connection) for courier in couriers if not self._end.is_set()), default=0.0)
            if self._troubles:
                self._troubles = 0
                self._say("Sending goes on.")
            if wait > 0 and not self._end.is_set():
                self._clock.wait(self._woken, wait)

    def _couriers(self, client: Client) -> list[Courier]:
        host = socket.gethostname()
        metric_resource = identity.metric_resource(self._root, host)
        traces = self._pages(Traces(client, identity.resource(self._root, host)))
        found = [self._courier(traces, Signal.TRACES)]
        if self._metrics == "samples":
            found.append(self._courier(self._pages(Samples(client, metric_resource)), Signal.METRICS))
        elif self._metrics == "counters":
            found.append(self._courier(Counters(client, metric_resource, self._clock), Signal.METRICS))
        return found

    def _pages(self, channel: Channel[T]) -> Pages[T]:
        return Pages(channel, self._clock.now, self._end.is_set, self._bear, since=self._since)

    def _courier(self, work: Work, signal: Signal) -> Courier:
        return Courier(
            work,
            self._endpoint.fingerprint(signal),
            self._endpoint.shown,
            say=self._say,
            clock=self._clock,
            stopping=self._end.is_set,
            bounds=self._bounds,
        )

    def _bear(self, error: Exception) -> bool:
        """Tell once, wait, and return whether to try again."""
        self._troubles += 1
        if self._troubles == 1:
            self._say(f"Sending waits: {_why(error)}.")
        self._clock.wait(self._end, wait_s(min(self._troubles, _RAREST)))
        return not self._end.is_set()

    def _say(self, sentence: str) -> None:
        # where nobody can be told (a closed terminal), sending goes on all the same
        with suppress(OSError, ValueError):
            self._told(sentence)


def _why(error: Exception) -> str:
    if isinstance(error, StoreError):
        return str(error).rstrip(".")
    if isinstance(error, sqlite3.Error):
        return f"the database cannot be used ({error})"
    return f"an error of Fusionscope's own ({type(error).__name__})"
