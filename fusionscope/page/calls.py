"""The tool calls of a turn below their legs: each of them, or by tool where one leg has very many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fusionscope.model import Turn
from fusionscope.report.calls import CallRow, call_remark, calls_by_leg, counted, folded
from fusionscope.report.text import duration, plural, shown

__all__ = ["CallLine", "Calls", "calls_of"]

#: of one leg; more are told by tool
_MOST = 200

#: how far in a call stands at most; one that stands deeper says how deep
_DEEPEST = 4


class CallLine(NamedTuple):
    """One call in words: its tool, how long it ran, how it ended; ``level`` is 0, or by how many calls it was made."""

    name: str
    time: str
    remark: str
    failed: bool
    level: int
    indent: int


class Calls(NamedTuple):
    """The calls of one leg: ``heading`` counts them. Where they are too many, ``by_tool`` has a line for each tool."""

    heading: str
    lines: list[CallLine]
    by_tool: list[str]
    note: str


def calls_of(turn: Turn) -> tuple[list[Calls | None], Calls | None]:
    """Return the calls of each leg of ``turn``, in the order of its legs, and those of no leg; ``None`` where none is."""
    by_leg, loose = calls_by_leg(turn)
    return [_calls(turn, rows) for rows in by_leg], _calls(turn, loose)


def _calls(turn: Turn, rows: Sequence[CallRow]) -> Calls | None:
    if not rows:
        return None
    heading = counted([row.call for row in rows])
    if len(rows) <= _MOST:
        return Calls(heading, [_line(turn, row) for row in rows], [], "")
    tools = folded(rows)
    more = f", and {plural(len(tools) - _MOST, 'tool')} more" if len(tools) > _MOST else ""
    return Calls(heading, [], tools[:_MOST], f"more than {_MOST} calls, by tool{more}; the JSON has each")


def _line(turn: Turn, row: CallRow) -> CallLine:
    call = row.call
    time = "" if call.duration_ms is None else duration(call.duration_ms)
    remark = call_remark(turn, call)
    return CallLine(shown(call.name, 60), time, remark, call.failed, row.depth, min(row.depth, _DEEPEST))
