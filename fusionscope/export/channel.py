"""The signals that turns are sent as: what becomes of a turn, and where it goes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from fusionscope.export.answer import Answer, Unfit
from fusionscope.export.batch import Parcel
from fusionscope.export.labels import Labels, first_seen
from fusionscope.export.otlp import Client
from fusionscope.export.points import Sample, sample_data, turn_points
from fusionscope.export.spans import turn_spans
from fusionscope.export.stamps import Stamps
from fusionscope.store import metrics, outbox
from fusionscope.store.database import transaction
from fusionscope.store.outbox import Waiting

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan

__all__ = ["Channel", "KnownNames", "Samples", "Traces"]

T = TypeVar("T")


class Channel(Protocol[T]):
    """One signal. ``signal`` is its name in the outbox; ``unit`` is what a person calls its parts."""

    signal: str
    unit: str

    def parcels(self, connection: sqlite3.Connection, page: Sequence[Waiting]) -> list[Parcel[str, T]]:
        """Return what is to be sent of these turns, by fusion id."""

    def post(self, parts: Sequence[T]) -> Answer:
        """Send some parts; none at all is a request that every receiver must take."""


class Traces:
    """Turns as spans."""

    signal = outbox.TRACES
    unit = "spans"

    def __init__(self, client: Client, resource: Resource) -> None:
        self._client = client
        self._resource = resource

    def parcels(self, connection: sqlite3.Connection, page: Sequence[Waiting]) -> list[Parcel[str, ReadableSpan]]:
        """Return the spans that were not sent yet."""
        return [
            Parcel(
                item.turn.fusion_id,
                turn_spans(
                    item.turn,
                    self._resource,
                    root_sent=item.root_sent,
                    sent_legs=item.sent_legs,
                    sent_tools=item.sent_tools,
                ),
            )
            for item in page
        ]

    def post(self, parts: Sequence[ReadableSpan]) -> Answer:
        """Send spans."""
        return self._client.traces(parts)


class KnownNames:
    """The models of all legs and the tools of all calls in the order they were first seen, without looking at all each time."""

    def __init__(self) -> None:
        self._models = _Births(metrics.models_after)
        self._tools = _Births(metrics.tools_after)

    def labels(self, connection: sqlite3.Connection) -> Labels:
        """Return the labels as they are now."""
        return Labels(self._models.names(connection), self._tools.names(connection))


class _Births:
    """Names with the moment each was first seen; ``after`` tells those that arrived since the last look."""

    def __init__(self, after: Callable[[sqlite3.Connection, int], tuple[dict[str, int], int]]) -> None:
        self._after = after
        self._arrival = 0
        self._born: dict[str, int] = {}

    def names(self, connection: sqlite3.Connection) -> list[str]:
        fresh, self._arrival = self._after(connection, self._arrival)
        for name, at in fresh.items():
            self._born[name] = min(at, self._born.get(name, at))
        return first_seen(self._born)


class Samples:
    """Turns as event samples."""

    signal = outbox.METRICS
    unit = "points"

    def __init__(self, client: Client, resource: Resource) -> None:
        self._client = client
        self._resource = resource
        self._names = KnownNames()
        #: nanoseconds; the receiver takes nothing that is as old as this or older
        self._too_old = -1
        self._why_too_old = Unfit("", age=True)

    def parcels(self, connection: sqlite3.Connection, page: Sequence[Waiting]) -> list[Parcel[str, Sample]]:
        """Return the samples that were not sent yet. Their stamps are in the store before any of them is on its way."""
        with transaction(connection):
            labels = self._names.labels(connection)
            stamps = Stamps(partial(metrics.claims_from, connection))
            for item in page:
                stamps.of(item.turn, labels, item.sent_tools)
            metrics.keep_claims(connection, stamps.fresh)
        # the rest takes longer, and nobody needs to wait for the store meanwhile
        return [
            Parcel(
                item.turn.fusion_id,
                turn_points(
                    item.turn,
                    labels,
                    stamps,
                    root_sent=item.root_sent,
                    sent_legs=item.sent_legs,
                    sent_tools=item.sent_tools,
                ),
            )
            for item in page
        ]

    def post(self, parts: Sequence[Sample]) -> Answer:
        """Send samples, but none of which it is known that they are too old.

        A receiver that finds one of many too old takes none of them, and to halve a year of history down to single samples
        would be two requests for each. So the newest is asked about: if that is too old, all are.
        """
        newest = max(parts, key=_time, default=None)
        if newest is None:
            return self._send(parts)
        if _time(min(parts, key=_time)) <= self._too_old:
            return self._why_too_old
        answer = self._send(parts)
        if isinstance(answer, Unfit) and answer.age:
            alone = answer if len(parts) == 1 else self._send([newest])
            if isinstance(alone, Unfit) and alone.age:
                self._too_old, self._why_too_old = max(self._too_old, _time(newest)), alone
        return answer

    def _send(self, parts: Sequence[Sample]) -> Answer:
        return self._client.metrics(sample_data(parts, self._resource))


def _time(sample: Sample) -> int:
    return sample.point.time_unix_nano
