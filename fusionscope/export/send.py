"""Sending what waits in the store, once: for ``fusionscope export``."""

from __future__ import annotations

import socket
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from fusionscope.export import identity
from fusionscope.export.answer import Answer, Later, Refused, Taken, TooLarge, Unfit, Unreachable
from fusionscope.export.batch import Parcel, Step, deliver
from fusionscope.export.endpoint import Endpoint
from fusionscope.export.otlp import Client
from fusionscope.export.spans import turn_spans
from fusionscope.store import outbox
from fusionscope.store.database import transaction
from fusionscope.store.outbox import Waiting

__all__ = ["Sent", "send_waiting"]

_SIGNAL = "traces"
#: turns that are taken from the store at once
_PAGE = 200


class Sent(NamedTuple):
    """What went out: whole turns and spans; ``dropped`` are spans that the receiver does not take, now or later.

    ``failure`` is why it ended before everything was sent: a sentence for a person.
    """

    turns: int
    spans: int
    dropped: int
    failure: str | None


def send_waiting(connection: sqlite3.Connection, endpoint: Endpoint, root: str) -> Sent:
    """Send the spans of every turn that waits in the store, oldest first, until all are taken or one answer is no.

    A turn is marked as sent in the store as soon as its last span is taken, so whatever happens next it is not sent again.
    ``root`` is the session root, for the identity of this installation.
    """
    resource = identity.resource(root, socket.gethostname())
    turns = spans = dropped = 0
    with Client(endpoint) as client:
        while page := outbox.waiting(connection, _SIGNAL, _PAGE):
            by_id = {item.turn.fusion_id: item for item in page}
            parcels = [
                Parcel(key, turn_spans(item.turn, resource, root_sent=item.root_sent, sent_legs=item.sent_legs))
                for key, item in by_id.items()
            ]
            for step in deliver(parcels, client.traces):
                if failure := _failure(step.answer):
                    return Sent(turns, spans, dropped, failure)
                finished = _finished(step, by_id)
                with transaction(connection):
                    outbox.mark_sent(connection, _SIGNAL, finished)
                lost = _lost(step)
                turns, spans, dropped = turns + len(finished), spans + _size(step) - lost, dropped + lost
    return Sent(turns, spans, dropped, None)


def _finished(step: Step[str], by_id: dict[str, Waiting]) -> Sequence[Waiting]:
    """The turns whose last span is in this step."""
    return [by_id[part.key] for part in step.slices if part.stop == part.of]


def _size(step: Step[str]) -> int:
    return sum(part.stop - part.start for part in step.slices)


def _lost(step: Step[str]) -> int:
    match step.answer:
        case Taken(rejected, _):
            return rejected
        case TooLarge() | Unfit():
            return _size(step)
    return 0


def _failure(answer: Answer) -> str | None:
    match answer:
        case Later(_, why) | Unreachable(why) | Refused(_, why):
            return why
    return None
