"""The spans ``execute_tool <name>`` of a turn: below the call that made them, else their leg, else the root."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from fusionscope import ids
from fusionscope.export import names
from fusionscope.export.span import context_of, make_span
from fusionscope.export.times import tool_times
from fusionscope.export.values import LONGEST_NAME, clean
from fusionscope.model import Turn
from fusionscope.tools import PlacedCall, ToolKey, key_of, placed

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan

__all__ = ["tool_spans"]


def tool_spans(turn: Turn, resource: Resource, sent: Collection[ToolKey]) -> list[ReadableSpan]:
    """Return a span for each call of ``turn`` that has ended and is not among ``sent``. One that ends later goes alone."""
    calls = placed(turn)
    return [
        _span(turn, one, _parent(turn, one, calls), resource)
        for one in calls
        if one.call.ended_at is not None and key_of(one.call) not in sent
    ]


def _id(turn: Turn, one: PlacedCall) -> int:
    return ids.tool_span_id(turn.session_id, one.call.tool_call_id, one.number)


def _parent(turn: Turn, one: PlacedCall, calls: Sequence[PlacedCall]) -> int:
    """The id of the span above. A caller without an end has no span, and may never have one."""
    if one.caller is not None and calls[one.caller].call.ended_at is not None:
        return _id(turn, calls[one.caller])
    if one.leg is not None:
        return ids.leg_span_id(turn.fusion_id, (one.leg.phase_id, one.leg.attempt))
    return ids.root_span_id(turn.fusion_id)


def _span(turn: Turn, one: PlacedCall, parent: int, resource: Resource) -> ReadableSpan:
    call = one.call
    error = (call.error or names.TOOL_ERROR) if call.failed else None
    facts: dict[str, object] = {
        names.OPERATION: names.EXECUTE_TOOL,
        names.TOOL_NAME: call.name,
        names.TOOL_CALL_ID: call.tool_call_id,
        names.TOOL_TYPE: names.FUNCTION,
        names.CONVERSATION_ID: turn.session_id,
        names.EXIT_CODE: call.exit_code,
        names.CLI_TURN_ID: call.turn_id,
        names.INTERACTION_ID: call.interaction_id,
        names.FUSION_ID: turn.fusion_id,
        names.PHASE_ID: call.phase_id,
        names.ERROR_TYPE: error,
    }
    return make_span(
        f"{names.EXECUTE_TOOL} {clean(call.name, LONGEST_NAME) or names.UNKNOWN}",
        context_of(turn, _id(turn, one)),
        context_of(turn, parent),
        resource,
        facts=facts,
        error=error,
        times=tool_times(call),
    )
