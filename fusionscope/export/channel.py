"""The signals that turns are sent as: what becomes of a turn, and where it goes."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
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

__all__ = ["Channel", "KnownModels", "Samples", "Traces"]

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
                item.turn.fusion_id, turn_spans(item.turn, self._resource, root_sent=item.root_sent, sent_legs=item.sent_legs)
            )
            for item in page
        ]

    def post(self, parts: Sequence[ReadableSpan]) -> Answer:
        """Send spans."""
        return self._client.traces(parts)


class KnownModels:
    """The models of all legs in the order they were first seen, without looking at every leg each time."""

    def __init__(self) -> None:
        self._arrival = 0
        self._born: dict[str, int] = {}

    def labels(self, connection: sqlite3.Connection) -> Labels:
        """Return the labels as they are now."""
        fresh, self._arrival = metrics.models_after(connection, self._arrival)
        for model, at in fresh.items():
            self._born[model] = min(at, self._born.get(model, at))
        return Labels(first_seen(self._born))


class Samples:
    """Turns as event samples."""

    signal = outbox.METRICS
    unit = "points"

    def __init__(self, client: Client, resource: Resource) -> None:
        self._client = client
        self._resource = resource
        self._models = KnownModels()
        #: nanoseconds; the receiver takes nothing that is as old as this or older
        self._too_old = -1
        self._why_too_old = Unfit("", age=True)

    def parcels(self, connection: sqlite3.Connection, page: Sequence[Waiting]) -> list[Parcel[str, Sample]]:
        """Return the samples that were not sent yet. Their stamps are in the store before any of them is on its way."""
        with transaction(connection):
            labels = self._models.labels(connection)
            stamps = Stamps(partial(metrics.claims_from, connection))
            for item in page:
                stamps.of(item.turn, labels)
            metrics.keep_claims(connection, stamps.fresh)
        # the rest takes longer, and nobody needs to wait for the store meanwhile
        return [
            Parcel(
                item.turn.fusion_id,
                turn_points(item.turn, labels, stamps, root_sent=item.root_sent, sent_legs=item.sent_legs),
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
