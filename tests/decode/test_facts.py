"""From events to facts: what is read of tool calls, model calls, compactions and totals, and what is tied to a turn."""

from __future__ import annotations

import json
from typing import Any

from fusionscope.decode import events, facts
from fusionscope.model import ToolCall
from tests.conftest import Stage
from tests.logs import Log, a_turn, place
from tests.turns import TEN

ATTRIBUTION = {"fusionId": "f1", "syntheticModel": "hydrafusion", "policy": "max", "pattern": "cascade", "phaseId": "f1:p0"}


def rows(stage: Stage, query: str) -> list[tuple[Any, ...]]:
    return stage.connection.execute(query).fetchall()


def test_every_column_of_a_fact_is_read_from_where_it_stands() -> None:
    for fact, parts in facts._PARTS.items():
        inner = [name for part in parts.values() for name in part.__struct_fields__]
        own = [name for name in fact._fields[4:] if name not in inner]
        assert list(fact._fields[4:]) == own + [name for name in inner if name in fact._fields[4:]], fact


def test_every_type_that_is_read_states_a_fact() -> None:
    marks = {"session.start", "session.resume", "session.shutdown", "session.info"}
    assert set(events.DECODERS) == set(facts._FACTS) | set(facts._EITHER) | marks


def test_a_tool_call_with_an_attribution_is_its_turns_and_one_without_is_not(stage: Stage) -> None:
    log = a_turn()
    log.event("tool.execution_start", toolCallId="c1", toolName="bash", turnId="0", parentToolCallId="c0",
              arguments={"command": "rm"}, fusion=ATTRIBUTION)  # fmt: skip
    log.event("tool.execution_complete", seconds=1.5, toolCallId="c1", interactionId="i1", success=False, fusion=ATTRIBUTION,
              shellExecution={"exitCode": 2}, error={"message": "secret", "code": "timeout"})  # fmt: skip
    log.event("tool.execution_start", toolCallId="c2", toolName="grep")
    log.event("tool.execution_complete", toolCallId="c2", interactionId="i1", success=True)
    place(stage.root, log)
    stage.index()
    assert stage.turn().tool_calls == (
        ToolCall("c1", "f1:p0", "c0", "0", "i1", "bash", TEN + 10_000, TEN + 11_500, False, 2, "timeout"),
    )
    assert rows(stage, "SELECT interaction_id, success FROM tool_use") == [("i1", 1)]


def test_a_tool_of_an_mcp_server_is_called_as_the_server_calls_it(stage: Stage) -> None:
    log = a_turn()
    log.event("tool.execution_start", toolCallId="c1", toolName="acme-internal-search", mcpServerName="acme-internal",
              mcpToolName="search", fusion=ATTRIBUTION)  # fmt: skip
    place(stage.root, log)
    stage.index()
    (call,) = stage.turn().tool_calls
    assert (call.name, call.ended_at, call.success) == ("search", None, None)
    assert not any("acme" in str(row) for row in rows(stage, "SELECT * FROM tool_start"))


def test_two_calls_under_one_id_are_two_and_an_end_alone_is_one_too(stage: Stage) -> None:
    log = a_turn()
    for success in (True, False):
        log.event("tool.execution_start", toolCallId="c1", toolName="bash", fusion=ATTRIBUTION)
        log.event("tool.execution_complete", toolCallId="c1", success=success, fusion=ATTRIBUTION)
    log.event("tool.execution_complete", toolCallId="c9", success=True, fusion=ATTRIBUTION)
    place(stage.root, log)
    stage.index()
    calls = [(call.tool_call_id, call.name, call.success) for call in stage.turn().tool_calls]
    assert calls == [("c1", "bash", True), ("c1", "bash", False), ("c9", "unknown", True)]


def test_a_message_of_a_turn_tells_its_interaction_and_that_the_person_spoke_meanwhile(stage: Stage) -> None:
    log = a_turn("f1").turn("f2")
    log.event(
        "assistant.message", model="m", content="secret", interactionId="i1", fusion=ATTRIBUTION | {"hasUserSteering": True}
    )
    place(stage.root, log)
    stage.index()
    assert [(turn.interaction_id, turn.steered) for turn in stage.turns()] == [("i1", True), (None, None)]


def test_a_call_costs_what_its_usage_record_says(stage: Stage) -> None:
    log = Log()
    usage = {"model": "m-a", "inputTokens": 10, "outputTokens": 2, "cacheReadTokens": 4, "cacheWriteTokens": 1, "duration": 7.5,
             "isByok": False, "apiCallId": "call-1", "accounting": {"sourceSessionId": "s0", "sequence": 3, "usageId": "u1"},
             "aiCreditsStatus": "complete", "copilotUsage": {"totalNanoAiu": 1_000_000.5}}  # fmt: skip
    log.event("session.usage_record", usage=usage)
    log.event("session.usage_record", usage={"model": "m-b", "isByok": True, "aiCreditsStatus": "unavailable"})
    place(stage.root, log)
    stage.index()
    columns = "model, input_tokens, cached_tokens, cache_write_tokens, call_id, usage_id, source_session_id, nano_aiu, byok"
    assert rows(stage, f"SELECT {columns} FROM model_call ORDER BY at") == [
        ("m-a", 10, 4, 1, "call-1", "u1", "s0", 1_000_001, 0),
        ("m-b", 0, 0, 0, None, None, None, None, 1),
    ]


def test_a_shutdown_keeps_the_sessions_totals_by_model_and_what_they_cover(stage: Stage) -> None:
    log = Log()
    tokens = {"inputTokens": 9, "outputTokens": 1, "cacheReadTokens": 0, "cacheWriteTokens": 0}
    metrics = {"m-a": {"requests": {"count": 2, "cost": 0}, "totalNanoAiu": 5.0, "usage": tokens}}
    status, covers = {"aiCreditsStatus": "partial"}, {"parent": 3, "me": 1}
    log.shutdown(totalNanoAiu=5.4, sessionStartTime=1_000, modelMetrics=metrics, accountingSnapshot=status,
                 usageAccountingWatermarks=covers)  # fmt: skip
    place(stage.root, log)
    stage.index()
    ((totals,),) = rows(stage, "SELECT totals FROM session_mark")
    counts = {"input_tokens": 9, "output_tokens": 1, "cached_tokens": 0, "cache_write_tokens": 0, "requests": 2, "nano_aiu": 5}
    assert json.loads(totals) == {
        "nano_aiu": 5, "credits_status": "partial", "session_started_at": 1_000, "models": {"m-a": counts},
        "covers": ["me", "parent"],
    }  # fmt: skip


def test_a_compaction_is_read_without_its_summary(stage: Stage) -> None:
    used = {"model": "m-a", "inputTokens": 100, "outputTokens": 5, "cacheReadTokens": 0, "cacheWriteTokens": 0, "duration": 900,
            "requestCount": 1, "aiCreditsStatus": "complete", "copilotUsage": {"totalNanoAiu": 77}}  # fmt: skip
    log = Log()
    log.event("session.compaction_complete", success=True, trigger="manual", summaryContent="secret", compactionTokensUsed=used)
    log.event("session.compaction_complete", success=False, trigger="threshold")
    place(stage.root, log)
    stage.index()
    assert rows(stage, "SELECT trigger, success, model, input_tokens, requests, nano_aiu FROM compaction ORDER BY at") == [
        ("manual", 1, "m-a", 100, 1, 77),
        ("threshold", 0, None, 0, None, None),
    ]


def test_rewinds_and_forks_are_marks_of_the_session_and_other_remarks_are_not(stage: Stage) -> None:
    log = Log()
    log.start()
    for kind in ("rewind", "notification", "fork"):
        log.event("session.info", infoType=kind, message="secret")
    place(stage.root, log)
    stage.index()
    assert rows(stage, "SELECT mark FROM session_mark ORDER BY at") == [("start",), ("rewind",), ("fork",)]


def test_text_of_the_service_is_kept_only_where_somebody_asks_for_it(stage: Stage) -> None:
    log = Log()
    log.resolved("f1", hint="go deep", ruleName="hard things", ruleIndex=3)
    place(stage.root, log)
    stage.index()
    assert (stage.turn().hint, stage.turn().rule_name, stage.turn().rule_index) == (None, None, 3)


def test_a_start_of_a_leg_gives_it_its_true_start_and_is_no_leg(stage: Stage) -> None:
    log = Log()
    log.resolved("f1", "single")
    log.event("assistant.fusion_phase_started", fusionId="f1", phaseId="f1:p0", phaseKind="primary", pattern="single",
              role="solver", conversationScope="root", model="m-a")  # fmt: skip
    log.leg("f1", 0, "primary", "m-a", 5)
    place(stage.root, log)
    stage.index()
    (leg,) = stage.turn().legs
    # the leg ends at 3 s and says it took 2 s; its start stands at 2 s
    assert (leg.started_at, leg.ended_at, stage.turn().unknown_words) == (TEN + 2_000, TEN + 3_000, ())
