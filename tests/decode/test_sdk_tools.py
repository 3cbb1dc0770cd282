"""Tool calls and messages that the SDK's own attribution ties to a turn, and those that nothing ties to one."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fusionscope.model import ToolCall
from tests.decode.sdk import Sdk
from tests.decode.strategies import instances, some, words
from tests.decode.told import Writer, indexed

_START = {"mcp_server_name", "mcp_tool_name", "parent_tool_call_id", "turn_id"}
_END = {"error", "interaction_id", "parent_tool_call_id", "shell_execution"}


@given(data=st.data(), call_ids=st.lists(words, max_size=4, unique=True))
@some
def test_the_tool_calls_of_a_turn_are_read_back_as_the_sdk_has_them(
    fusion_sdk: Sdk, data: st.DataObject, call_ids: list[str]
) -> None:
    writer = Writer(fusion_sdk, data)
    attribution = instances(fusion_sdk, fusion_sdk.type("FusionAttribution"), fusion_id=st.just("f"))
    calls, said = [], []

    def draw(kind: str, among: set[str], **given: Any) -> Any:
        made = data.draw(instances(fusion_sdk, fusion_sdk.data(kind), among, fusion=attribution, **given))
        said.append((getattr(made, "interaction_id", None), getattr(made.fusion, "has_user_steering", None)))
        return made, writer.write(kind, made)

    _, first_at = draw("assistant.message", {"interaction_id"})
    for call_id in call_ids:
        start, started_at = draw("tool.execution_start", _START, tool_call_id=st.just(call_id))
        end, ended_at = None, None
        if data.draw(st.booleans()):
            end, ended_at = draw("tool.execution_complete", _END, tool_call_id=st.just(call_id))
        shell = getattr(end, "shell_execution", None)
        error = getattr(end, "error", None)
        calls.append(
            ToolCall(
                tool_call_id=call_id,
                phase_id=start.fusion.phase_id or (end and end.fusion.phase_id),
                parent_tool_call_id=start.parent_tool_call_id,
                turn_id=start.turn_id,
                interaction_id=end and end.interaction_id,
                name=start.mcp_tool_name or start.tool_name,
                started_at=started_at,
                ended_at=ended_at,
                success=end and end.success,
                exit_code=shell and shell.exit_code,
                error=error and error.code,
            )
        )
    with indexed(writer.log) as stage:
        turn = stage.turn()
    assert list(turn.tool_calls) == calls
    assert (turn.fusion_id, turn.state, turn.started_at, turn.unknown_words) == ("f", "open", first_at, ())
    assert turn.interaction_id == next((interaction_id for interaction_id, _ in said if interaction_id), None)
    assert turn.steered == max((steered for _, steered in said if steered is not None), default=None)


@given(data=st.data())
@some
def test_what_no_attribution_ties_to_a_turn_makes_none(fusion_sdk: Sdk, data: st.DataObject) -> None:
    writer = Writer(fusion_sdk, data)
    for kind in ("assistant.message", "tool.execution_start", "tool.execution_complete"):
        writer.write(
            kind, data.draw(instances(fusion_sdk, fusion_sdk.data(kind), {"interaction_id", "error"}, tool_call_id=words))
        )
    with indexed(writer.log) as stage:
        assert stage.turns() == []
        (used,) = stage.connection.execute("SELECT count(*) FROM tool_use").fetchone()
    assert used == 1
