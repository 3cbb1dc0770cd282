"""The cumulative counters at work: turns that end are added to the totals in the store, and those are sent."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from fusionscope.export.answer import Later, Refused, Taken, Unreachable
from fusionscope.export.batch import Parcel, deliver
from fusionscope.export.channel import KnownNames
from fusionscope.export.clock import Clock
from fusionscope.export.counters import Totals
from fusionscope.export.lock import sending
from fusionscope.export.otlp import Client
from fusionscope.export.page import PageEnd
from fusionscope.export.points import metrics_data
from fusionscope.store import delivery, metrics, outbox
from fusionscope.store.database import transaction

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource

__all__ = ["Counters"]

#: turns that are added in one transaction
_PAGE = 500
#: seconds between two reports
_PERIOD_S = 60.0


class Counters:
    """The counters: sent once at the start, and then every 60 s when something has changed."""

    signal = outbox.COUNTERS
    unit = "metrics"
    #: turns wait to be added up, not for the endpoint: one that is dropped would be missing for ever
    bounded = False

    def __init__(self, client: Client, resource: Resource, clock: Clock) -> None:
        self._client = client
        self._resource = resource
        self._clock = clock
        self._names = KnownNames()
        self._changed = True
        self._due = 0.0

    def begin(self, connection: sqlite3.Connection) -> None:
        """Queue every turn that was not counted yet: from now on they are queued when they end."""
        outbox.queue(connection, self._clock.now(), signals=(self.signal,))

    def send(self, connection: sqlite3.Connection, longest: int) -> PageEnd:
        """Add a page of turns, or send the totals when that is due."""
        added = self._add(connection)
        if added is None:
            return PageEnd(busy=True)
        if added:
            self._changed = True
            return PageEnd(turns=added)
        if not self._changed or self._clock.steady() < self._due:
            return PageEnd()
        return self._report(connection)

    def _add(self, connection: sqlite3.Connection) -> int | None:
        """How many turns were added; ``None`` where another process is at it."""
        if not outbox.anything_waits(connection, self.signal):
            return 0
        with sending(connection) as free:
            if not free:
                return None
            page = outbox.waiting(connection, self.signal, _PAGE)
            with transaction(connection):
                labels = self._names.labels(connection)
                totals = Totals.read(metrics.totals(connection))
                for item in page:
                    totals.count(
                        item.turn, labels, root_sent=item.root_sent, sent_legs=item.sent_legs, sent_tools=item.sent_tools
                    )
                metrics.write_totals(connection, totals.written())
                outbox.mark_sent(connection, self.signal, page)
        return len(page)

    def _report(self, connection: sqlite3.Connection) -> PageEnd:
        totals = Totals.read(metrics.totals(connection))
        data = list(totals.data(metrics.created_at(connection), self._clock.now()))
        end = PageEnd()
        # one metric is one part: a receiver that takes no large requests gets several
        for step in deliver([Parcel("", data)], lambda some: self._client.metrics(metrics_data(some, self._resource))):
            if isinstance(step.answer, Later | Refused | Unreachable):
                return end._replace(stopped=step.answer)
            lost = step.answer.rejected if isinstance(step.answer, Taken) else 1
            why = step.answer.message if isinstance(step.answer, Taken) else step.answer.why
            end = end._replace(parts=end.parts + 1, lost=end.lost + lost, why_lost=end.why_lost or why)
        self._changed = False
        self._due = self._clock.steady() + _PERIOD_S
        if data:
            with transaction(connection):
                delivery.note_taken(connection, self.signal, self._clock.now())
                delivery.note_lost(connection, self.signal, end.lost)
        return end
