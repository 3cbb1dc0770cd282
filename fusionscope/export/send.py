"""Sending what waits in the store, once: for ``fusionscope export``."""

from __future__ import annotations

import socket
import sqlite3
import threading
from typing import TYPE_CHECKING, NamedTuple

from fusionscope.export import identity
from fusionscope.export.batch import LONGEST_BATCH
from fusionscope.export.channel import Samples, Traces
from fusionscope.export.clock import Clock
from fusionscope.export.endpoint import Endpoint, Signal
from fusionscope.export.otlp import Client
from fusionscope.export.page import PageEnd, Pages
from fusionscope.store import delivery, outbox
from fusionscope.store.database import transaction

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

    from fusionscope.export.points import Sample

__all__ = ["Sent", "send_waiting"]

#: seconds to wait for another process that sends now
_PATIENCE_S = 30.0
_LOOK_S = 0.1


class Sent(NamedTuple):
    """What went out: whole turns, and spans or points; ``dropped`` are those that the receiver does not take, now or later.

    ``parked`` turns are refused and set aside, ``why_parked`` says why. ``failure`` is why it ended before everything was
    sent: a sentence for a person.
    """

    turns: int
    parts: int
    dropped: int
    failure: str | None
    parked: int = 0
    why_parked: str = ""


def send_waiting(
    connection: sqlite3.Connection,
    endpoint: Endpoint,
    root: str,
    signal: str = outbox.TRACES,
    *,
    parked_too: bool = False,
    clock: Clock | None = None,
) -> Sent:
    """Send every turn that waits in the store, oldest first, until all are taken or one answer is no.

    ``signal`` is "traces", or "metrics" for event samples. A turn is marked as sent in the store as soon as its last part is
    taken, so whatever happens next it is not sent again. ``root`` is the session root, for the identity of this installation.
    ``parked_too``: try those again that were refused before.
    """
    clock = clock or Clock()
    with Client(endpoint) as client:
        pages = _pages(client, root, signal, clock)
        with transaction(connection):
            delivery.begin(connection, signal, endpoint.fingerprint(_PATHS[signal]))
            if parked_too:
                outbox.release(connection, signal)
        sent = Sent(0, 0, 0, None)
        deadline = clock.steady() + _PATIENCE_S
        while True:
            end = pages.send(connection, LONGEST_BATCH)
            sent = _added(sent, end)
            if end.stopped:
                with transaction(connection):
                    delivery.note_trouble(connection, signal, clock.now(), end.stopped.why)
                return sent._replace(failure=end.stopped.why)
            if end.nothing:
                return sent
            if end.busy and clock.steady() > deadline:
                return sent._replace(failure="Another process is sending from this database")
            if end.busy:
                clock.wait(threading.Event(), _LOOK_S)


_PATHS = {outbox.TRACES: Signal.TRACES, outbox.METRICS: Signal.METRICS}


def _pages(client: Client, root: str, signal: str, clock: Clock) -> Pages[ReadableSpan] | Pages[Sample]:
    host = socket.gethostname()
    if signal == outbox.METRICS:
        return Pages(Samples(client, identity.metric_resource(root, host)), clock.now)
    return Pages(Traces(client, identity.resource(root, host)), clock.now)


def _added(sent: Sent, end: PageEnd) -> Sent:
    return Sent(
        sent.turns + end.turns,
        sent.parts + end.parts,
        sent.dropped + end.lost,
        None,
        sent.parked + end.parked,
        sent.why_parked or end.why_parked,
    )
