"""The tool calls of a turn as metrics count them: how many of each leg, tool and success."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from fusionscope.export.labels import Labels, LabelValues
from fusionscope.export.times import turn_end
from fusionscope.export.values import moment
from fusionscope.ids import LegKey
from fusionscope.model import Turn
from fusionscope.tools import ToolKey, key_of, placed

__all__ = ["ToolCount", "tool_counts"]


class ToolCount(NamedTuple):
    """``calls`` of one leg (``None``: of no leg) with the same labels, counted at its end ``at`` (ms).

    ``before`` of them were counted earlier, when the turn went out without the rest.
    """

    leg: LegKey | None
    values: LabelValues
    at: int
    calls: int
    before: int


def tool_counts(turn: Turn, labels: Labels, sent: Collection[ToolKey]) -> list[ToolCount]:
    """Return what is to be counted of ``turn``: the calls that have ended and are not among ``sent``."""
    found: dict[tuple[object, ...], ToolCount] = {}
    for one in placed(turn):
        key = key_of(one.call)
        if key is None:
            continue
        leg = None if one.leg is None else (one.leg.phase_id, one.leg.attempt)
        values = labels.of_tool(one.leg, one.call)
        group = (leg, *values.values())
        at = turn_end(turn) if one.leg is None else moment(one.leg.ended_at)
        count = found.get(group, ToolCount(leg, values, at, 0, 0))
        gone = key in sent
        found[group] = count._replace(calls=count.calls + (not gone), before=count.before + gone)
    return [count for count in found.values() if count.calls]
