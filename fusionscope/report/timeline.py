"""The geometry of a waterfall: where each leg of a turn begins and ends on one time axis. No drawing.

The terminal maps it to columns; a page can map it to any other unit.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from fusionscope.model import Leg, Turn

__all__ = ["Span", "Timeline", "columns", "gaps", "timeline"]

# Events are stamped when they are written and durations are measured apart from that: differences below this are
# no news. In milliseconds.
_TOLERANCE_MS = 1_000


class Span(NamedTuple):
    """When a leg ran, in milliseconds from the turn's start (negative: before it); ``end_ms`` is never below ``start_ms``."""

    start_ms: float
    end_ms: float


class Timeline(NamedTuple):
    """A turn's time axis from ``begin_ms`` to ``end_ms`` and the spans of its legs, in the order of its legs.

    All in milliseconds from the turn's start. ``begin_ms`` is 0 unless a leg ran longer than the time since the turn's
    start: then it is negative, so that the axis covers every leg. ``clock_moved`` says that the stamps of the log
    contradict each other; the spans then keep their true durations but stand one after the other, in log order.
    """

    spans: tuple[Span, ...]
    begin_ms: float
    end_ms: float
    clock_moved: bool

    @property
    def length_ms(self) -> float:
        """How long the axis is, in milliseconds."""
        return self.end_ms - self.begin_ms


def timeline(turn: Turn) -> Timeline:
    """Return where each leg of ``turn`` stands.

    A leg's start is its end minus its duration, unless the log holds one, so legs that ran in parallel overlap. An open
    turn's axis ends at the newest moment the log has of it.
    """
    if _clock_moved(turn):
        return _one_after_the_other(turn)
    spans = tuple(_span(leg, turn.started_at) for leg in turn.legs)
    last_moment = turn.last_event_at if turn.ended_at is None else turn.ended_at
    begin = min((span.start_ms for span in spans), default=0.0)
    end = max((span.end_ms for span in spans), default=0.0)
    return Timeline(
        spans=spans,
        begin_ms=min(0.0, begin),
        end_ms=max(end, float(last_moment - turn.started_at), turn.duration_ms or 0.0, 0.0),
        clock_moved=False,
    )


def columns(line: Timeline, span: Span, width: int) -> range:
    """Return the columns that ``span`` covers when the whole axis is ``width`` columns wide (at least 1).

    Spans that touch in time touch in columns and do not share one, unless they are too short for one of their own:
    every span gets at least one column.
    """
    length = line.length_ms
    if length <= 0:
        return range(width)
    first = min(round((span.start_ms - line.begin_ms) / length * width), width - 1)
    stop = min(round((span.end_ms - line.begin_ms) / length * width), width)
    return range(first, max(stop, first + 1))


def gaps(turn: Turn, line: Timeline) -> list[Span]:
    """Return the stretches of the axis in which no leg ran and nothing was being routed, in order.

    Nothing is said of an open turn after its last leg: a leg may be running. Where the clock moved there are no gaps to see.
    """
    if line.clock_moved or not line.spans:
        return []
    covered = sorted([Span(0.0, max(0.0, turn.routing_latency_ms or 0.0)), *line.spans])
    if not turn.is_open:
        covered.append(Span(line.end_ms, line.end_ms))
    found = []
    reached = line.begin_ms
    for span in covered:
        if span.start_ms > reached:
            found.append(Span(reached, span.start_ms))
        reached = max(reached, span.end_ms)
    return found


def _span(leg: Leg, origin: int) -> Span:
    end = float(leg.ended_at - origin)
    if leg.began_at is not None:
        return Span(min(end, float(leg.began_at - origin)), end)
    return Span(end - max(0.0, leg.duration_ms), end)


def _clock_moved(turn: Turn) -> bool:
    """Whether the stamps contradict each other: an end before the start, a leg outside the turn, or ends that go backwards.

    A leg that ended within the turn but ran for longer than that is no contradiction: it began before the route was
    logged. Nor is a leg after the end of a turn that was waiting for background work.
    """
    ends = [leg.ended_at for leg in turn.legs]
    if any(end < turn.started_at - _TOLERANCE_MS for end in ends):
        return True
    if any(later < earlier - _TOLERANCE_MS for earlier, later in pairwise(ends)):
        return True
    if turn.ended_at is None:
        return False
    if turn.ended_at < turn.started_at:
        return True
    if turn.awaiting_background_work:
        return False
    return any(
        leg.ended_at > turn.ended_at + _TOLERANCE_MS and not leg.background_work and leg.kind != "follow_up"
        for leg in turn.legs
    )


def _one_after_the_other(turn: Turn) -> Timeline:
    """Return the legs laid end to end: durations come from a clock of their own and are still true."""
    spans = []
    moment = max(0.0, turn.routing_latency_ms or 0.0)
    for leg in turn.legs:
        end = moment + max(0.0, leg.duration_ms)
        spans.append(Span(moment, end))
        moment = end
    return Timeline(spans=tuple(spans), begin_ms=0.0, end_ms=max(moment, turn.duration_ms or 0.0), clock_moved=True)
