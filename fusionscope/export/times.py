"""When things were and how long they took, for spans and for metric points alike.

Moments are whole milliseconds since the epoch, inside what OTLP can say; lengths are seconds. Nothing has a negative
length, whatever a clock did: a leg's length is what the log says, never a difference of two time stamps.
"""

from __future__ import annotations

from fusionscope.export.values import moment, number
from fusionscope.model import Leg, ToolCall, Turn

__all__ = [
    "leg_seconds",
    "leg_times",
    "not_fused",
    "route_end",
    "route_seconds",
    "tool_times",
    "turn_end",
    "turn_seconds",
    "turn_times",
]


def not_fused(turn: Turn) -> bool:
    """Whether the route failed and an ordinary answer took the place of the turn."""
    return turn.route_failure is not None and turn.outcome is None and not turn.legs


def leg_times(leg: Leg) -> tuple[int, int]:
    """Return start and end of a leg. Hardly a log holds a start: without one it is the end minus the duration."""
    end = moment(leg.ended_at)
    if leg.began_at is not None:
        return min(moment(leg.began_at), end), end
    return moment(end - round(number(leg.duration_ms) or 0)), end


def tool_times(call: ToolCall) -> tuple[int, int]:
    """Return start and end of a tool call that has ended."""
    start = moment(call.started_at)
    return start, max(start, moment(call.ended_at or 0))


def leg_seconds(leg: Leg) -> float:
    """Return how long a leg took."""
    return leg.duration_ms / 1_000


def turn_end(turn: Turn) -> int:
    """Return the turn's own end; of a turn that was given up the last that was heard of it."""
    return moment(turn.last_event_at if turn.ended_at is None else turn.ended_at)


def turn_times(turn: Turn) -> tuple[int, int]:
    """Return start and end of the root span. It covers all legs, also one that the log puts outside its turn."""
    times = [leg_times(leg) for leg in turn.legs]
    start = min([moment(turn.started_at), *(start for start, _ in times)])
    return start, max([start, turn_end(turn), *(end for _, end in times)])


def turn_seconds(turn: Turn) -> float | None:
    """Return how long a turn took, routing included: as the log says, else up to its end.

    A failed route has none: it is measured as a routing attempt, and what followed it was no Fusion turn.
    """
    if not_fused(turn):
        return None
    if turn.duration_ms is not None:
        return turn.duration_ms / 1_000
    return max(0, turn_end(turn) - turn.started_at) / 1_000


def route_end(turn: Turn) -> int:
    """Return when the routing attempt ended. The turn's start includes routing; a failed route is all there is of its turn."""
    latency = number(turn.routing_latency_ms)
    if not_fused(turn) or latency is None:
        return turn_end(turn)
    return moment(moment(turn.started_at) + round(latency))


def route_seconds(turn: Turn) -> float | None:
    """Return how long the routing attempt took."""
    return None if turn.routing_latency_ms is None else turn.routing_latency_ms / 1_000
