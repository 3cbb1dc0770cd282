"""Where the tool calls of a turn belong: to which leg, below which other call. By what the log says, never by guesswork."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import NamedTuple

from fusionscope.model import Leg, ToolCall, Turn

__all__ = ["PlacedCall", "ToolKey", "key_of", "placed"]

#: an ended call within its turn: ``(tool_call_id, ended_at)``, because an id may come twice
ToolKey = tuple[str, int]


class PlacedCall(NamedTuple):
    """A tool call and its place in its turn.

    ``number`` counts the calls with one id from 0 in the order of their starts. ``caller`` is the place (in the turn's calls)
    of the call that made this one, ``None`` if no call did. ``leg`` is the one that the log ties it, or else its caller, to.
    """

    call: ToolCall
    number: int
    caller: int | None
    leg: Leg | None


def placed(turn: Turn) -> tuple[PlacedCall, ...]:
    """Return the calls of ``turn``, in the order of their starts, each with its place."""
    attempts: dict[str, list[Leg]] = defaultdict(list)
    for leg in turn.legs:
        attempts[leg.phase_id].append(leg)
    newest: dict[str, int] = {}
    seen: Counter[str] = Counter()
    found: list[PlacedCall] = []
    for place, call in enumerate(turn.tool_calls):
        # a caller began before: one that only comes later could make a circle
        caller = None if call.parent_tool_call_id is None else newest.get(call.parent_tool_call_id)
        if call.phase_id is not None:
            made_in = _attempt(attempts.get(call.phase_id, ()), call.started_at)
        else:
            made_in = None if caller is None else found[caller].leg
        found.append(PlacedCall(call, seen[call.tool_call_id], caller, made_in))
        seen[call.tool_call_id] += 1
        newest[call.tool_call_id] = place
    return tuple(found)


def key_of(call: ToolCall) -> ToolKey | None:
    """Return what tells an ended call from the others of its turn; one without an end has no key."""
    return None if call.ended_at is None else (call.tool_call_id, call.ended_at)


def _attempt(attempts: list[Leg] | tuple[()], at: int) -> Leg | None:
    """The attempt at a phase whose time holds ``at``; work that goes on after the last one belongs to that."""
    if not attempts:
        return None
    return next((leg for leg in attempts if at <= leg.ended_at), attempts[-1])
