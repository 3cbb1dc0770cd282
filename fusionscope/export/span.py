"""How one span, one event and one context are made: with cleaned attributes, our scope, and ids that were given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from fusionscope import ids
from fusionscope.export import identity, names
from fusionscope.export.values import attributes, nanoseconds
from fusionscope.model import Turn

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource

__all__ = ["context_of", "make_event", "make_span"]


def context_of(turn: Turn, span_id: int) -> SpanContext:
    """Return the context of a span of ``turn``, for itself or for its children."""
    flags = TraceFlags(TraceFlags.SAMPLED)
    return SpanContext(ids.trace_id(turn.fusion_id), span_id, is_remote=False, trace_flags=flags)


def make_event(name: str, at: int, facts: Mapping[str, object]) -> Event:
    """Return an event at the moment ``at`` (ms)."""
    return Event(name, attributes(facts), nanoseconds(at))


def make_span(
    name: str,
    context: SpanContext,
    parent: SpanContext | None,
    resource: Resource,
    *,
    facts: Mapping[str, object],
    error: str | None,
    times: tuple[int, int],
    events: Iterable[Event] = (),
) -> ReadableSpan:
    """Return a span of the ``times`` start and end (ms).

    ``error`` is the ``error.type``; a description is given only where it is one of the known reasons, never free text.
    """
    description = error if error in names.REASONS else None
    start, end = times
    return ReadableSpan(
        name,
        context,
        parent,
        resource,
        attributes(facts),
        sorted(events, key=lambda event: event.timestamp),
        kind=SpanKind.INTERNAL,
        status=Status(StatusCode.UNSET) if error is None else Status(StatusCode.ERROR, description),
        start_time=nanoseconds(start),
        end_time=nanoseconds(end),
        instrumentation_scope=identity.SPAN_SCOPE,
    )
