"""What is said of the tool calls of a turn, by leg: each of them, or folded by tool where there are many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fusionscope.model import Leg, ToolCall, Turn
from fusionscope.report.text import duration, plural, shown
from fusionscope.tools import placed

__all__ = ["MOST_CALLS", "CallRow", "call_remark", "calls_by_leg", "counted", "folded", "total"]

#: of one leg; more are folded by tool
MOST_CALLS = 8


class CallRow(NamedTuple):
    """A tool call and how deep it stands below the calls that made it, 0 for one that no call of the same leg made."""

    call: ToolCall
    depth: int


def calls_by_leg(turn: Turn) -> tuple[list[list[CallRow]], list[CallRow]]:
    """Return the calls of each leg of ``turn``, in the order of its legs, and those of no leg.

    A call stands right below the one that made it, otherwise they stand in the order of their starts.
    """
    calls = placed(turn)
    below: dict[int | None, list[int]] = {}
    for place, one in enumerate(calls):
        caller = one.caller if one.caller is not None and calls[one.caller].leg is one.leg else None
        below.setdefault(caller, []).append(place)

    def rows(leg: Leg | None) -> Iterator[CallRow]:
        waiting = [(place, 0) for place in reversed(below.get(None, ())) if calls[place].leg is leg]
        while waiting:
            place, depth = waiting.pop()
            yield CallRow(calls[place].call, depth)
            waiting += [(inner, depth + 1) for inner in reversed(below.get(place, ()))]

    return [list(rows(leg)) for leg in turn.legs], list(rows(None))


def call_remark(turn: Turn, call: ToolCall) -> str:
    """Return how a call ended: ``ok, exit 0``, ``failed, exit 1``, ``failed: timeout``; or that the log has no end of it."""
    if call.ended_at is None:
        return "no end yet" if turn.is_open else "no end in the log"
    words = {True: "ok", False: "failed", None: "ended"}[call.success]
    if call.error:
        words += f": {shown(call.error, 20)}"
    return words if call.exit_code is None else f"{words}, exit {call.exit_code}"


def folded(rows: Sequence[CallRow]) -> list[str]:
    """Return a line for each tool, in the order of their first calls: ``bash x14 (1 failed), 12 s``. Times are added up."""
    by_name: dict[str, list[ToolCall]] = {}
    for row in rows:
        by_name.setdefault(row.call.name, []).append(row.call)
    return [f"{shown(name, 60)} x{len(calls)}{_odd(calls)}, {duration(_time(calls))}" for name, calls in by_name.items()]


def total(turn: Turn) -> str:
    """Return ``14 tool calls (1 failed)``, or nothing of a turn without any."""
    return counted(turn.tool_calls) if turn.tool_calls else ""


def counted(calls: Sequence[ToolCall]) -> str:
    """Return ``14 tool calls (1 failed)``."""
    return f"{plural(len(calls), 'tool call')}{_odd(calls)}"


def _odd(calls: Sequence[ToolCall]) -> str:
    failed, endless = sum(call.failed for call in calls), sum(call.ended_at is None for call in calls)
    said = [f"{failed} failed"] if failed else []
    if endless:
        said.append(f"{endless} without an end")
    return f" ({', '.join(said)})" if said else ""


def _time(calls: Sequence[ToolCall]) -> int:
    return sum(call.duration_ms or 0 for call in calls)
