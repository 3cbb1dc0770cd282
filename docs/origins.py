"""Where each telemetry name of ours comes from: which spans have it, and what in the log it is made of.

A name of ``export/names.py`` without an origin fails the test of ``docs/UPSTREAM.md``, and so does an origin without a name.
"""

from __future__ import annotations

from typing import NamedTuple

from fusionscope.export import names

__all__ = ["ORIGINS", "Asked", "Origin"]


class Asked(str):
    """What github/copilot-cli#4825 says of a name."""


#: the request names this attribute
NAMED = Asked("by this name")
#: the request wants the thing, and gives no name below its namespace
WANTED = Asked("yes, without a name")
#: a fact of the router: the request wants those, and gives no names below its namespace
ROUTER = Asked("router field, without a name")
#: the request says nothing of it
NOT = Asked("no")


class Origin(NamedTuple):
    """The spans that have an attribute (turn, leg, tool), its source in the log, and what the request says of it."""

    spans: tuple[str, ...]
    source: str
    asked: Asked = NOT


TURN, LEG, TOOL = ("turn",), ("leg",), ("tool",)
BOTH, ALL = TURN + LEG, TURN + LEG + TOOL
_RESOLVED = "`session.fusion_resolved` "
_COMPLETED = "`session.fusion_completed` "
_PHASE = "`assistant.fusion_phase_completed` "

ORIGINS: dict[str, Origin] = {
    names.OPERATION: Origin(ALL, "by the kind of span"),
    names.PROVIDER_NAME: Origin(BOTH, "always the same, as in the CLI's own spans"),
    names.REQUEST_MODEL: Origin(BOTH, _RESOLVED + "`syntheticModel`", NAMED),
    names.RESPONSE_MODEL: Origin(BOTH, _COMPLETED + "`finalSourceModel`; of a leg, its `model`", NAMED),
    names.AGENT_NAME: Origin(TURN, _RESOLVED + "`syntheticModel`"),
    names.CONVERSATION_ID: Origin(ALL, "the session's id"),
    names.REASONING_LEVEL: Origin(LEG, _PHASE + "`reasoningEffort`"),
    names.INPUT_TOKENS: Origin(BOTH, _PHASE + "`usage.inputTokens`; of a turn, the sum", WANTED),
    names.OUTPUT_TOKENS: Origin(BOTH, _PHASE + "`usage.outputTokens`; of a turn, the sum", WANTED),
    names.CACHE_READ_TOKENS: Origin(LEG, _PHASE + "`usage.cachedTokens`"),
    names.CACHE_WRITE_TOKENS: Origin(LEG, _PHASE + "`usage.cacheWriteTokens`"),
    names.ERROR_TYPE: Origin(ALL, "`reason` or `degradedReason` of what failed; of a tool, `error.code`"),
    names.NANO_AIU: Origin(BOTH, _COMPLETED + "`totalNanoAiu`; of a leg, `usage.totalNanoAiu`", WANTED),
    names.CLI_VERSION: Origin(TURN, "`session.start` `copilotVersion`"),
    names.FUSION_ID: Origin(ALL, "`fusionId`", ROUTER),
    names.CREDITS: Origin(BOTH, "the nano-AIU, divided", WANTED),
    names.REQUEST_COUNT: Origin(BOTH, _COMPLETED + "`requestCount`; of a leg, `usage.requestCount`"),
    names.PATTERN: Origin(BOTH, _RESOLVED + "`pattern`", ROUTER),
    names.TURN_ID: Origin(TURN, _RESOLVED + "`turnId`"),
    names.COMMIT_ID: Origin(TURN, "`session.fusion_commit_started` `commitId`"),
    names.POLICY: Origin(TURN, _RESOLVED + "`policy`", ROUTER),
    names.ROUTE_SOURCE: Origin(TURN, _RESOLVED + "`routeSource`", ROUTER),
    names.PLAN_VERSION: Origin(TURN, _RESOLVED + "`planVersion`", ROUTER),
    names.POLICY_VERSION: Origin(TURN, _RESOLVED + "`policyVersion`", ROUTER),
    names.MODEL_UNIVERSE_VERSION: Origin(TURN, _RESOLVED + "`modelUniverseVersion`", ROUTER),
    names.CONTRACT_VERSION: Origin(TURN, _RESOLVED + "`contractVersion`", ROUTER),
    names.RULE_ID: Origin(TURN, _RESOLVED + "`ruleId`", ROUTER),
    names.SELECTED_RULE_ID: Origin(TURN, _RESOLVED + "`selectedRuleId`", ROUTER),
    names.PRIMARY_MODEL: Origin(TURN, _RESOLVED + "`primaryModel`", ROUTER),
    names.SECONDARY_MODEL: Origin(TURN, _RESOLVED + "`secondaryModel`", ROUTER),
    names.JUDGE_MODEL: Origin(TURN, _RESOLVED + "`judgeModel`", ROUTER),
    names.REPAIR_MODEL: Origin(TURN, _RESOLVED + "`repairModel`", ROUTER),
    names.FALLBACK_MODEL: Origin(TURN, _RESOLVED + "`fallbackModel`", ROUTER),
    names.FOLLOW_UP_MODEL: Origin(TURN, _RESOLVED + "`followUpModel`", ROUTER),
    names.CRITIC_MODELS: Origin(TURN, _RESOLVED + "`critics[].model`", ROUTER),
    names.ROUTING_LATENCY: Origin(TURN, _RESOLVED + "`routingLatencyMs`", ROUTER),
    **{
        name: Origin(TURN, f"{_RESOLVED}`scores.{field}`", ROUTER)
        for name, field in zip(names.SCORES.values(), ("reasoning", "codeGen", "debugging", "toolUse"), strict=True)
    },
    names.OUTCOME: Origin(TURN, _COMPLETED + "`outcome`"),
    names.DEGRADED_REASON: Origin(TURN, _COMPLETED + "`degradedReason`"),
    names.PHASE_COUNT: Origin(TURN, _COMPLETED + "`phaseCount`"),
    names.MODELS: Origin(TURN, "the models of the legs", WANTED),
    names.COMPOUND: Origin(TURN, "whether more than one model ran"),
    names.UNCOMMITTED_CREDITS: Origin(TURN, "credits of the legs that are not the answer leg"),
    names.AWAITING_BACKGROUND_WORK: Origin(TURN, _COMPLETED + "`awaitingBackgroundWork`"),
    names.INCOMPLETE: Origin(TURN, "the turn was given up: its end is not in the log"),
    names.HAS_USER_STEERING: Origin(TURN, "`fusion.hasUserSteering` of an ordinary event"),
    names.UNKNOWN_WORDS: Origin(TURN, "what of the turn's events this release does not know, by name"),
    names.PHASE_ID: Origin(LEG + TOOL, _PHASE + "`phaseId`; of a tool call, `fusion.phaseId`"),
    names.PHASE_KIND: Origin(LEG, _PHASE + "`phaseKind`", WANTED),
    names.PHASE_ROLE: Origin(LEG, _PHASE + "`role`"),
    names.PHASE_SCOPE: Origin(LEG, _PHASE + "`conversationScope`"),
    names.PHASE_STATUS: Origin(LEG, _PHASE + "`status`"),
    names.PHASE_VERDICT: Origin(LEG, _PHASE + "`verdict`", WANTED),
    names.PHASE_INDEX: Origin(LEG, "the order in the log"),
    names.PHASE_COMMITTED: Origin(LEG, _COMPLETED + "`finalSourcePhaseId` is this leg"),
    names.PHASE_DEGRADED_TO: Origin(LEG, "`assistant.fusion_phase_failed` `degradedToPhaseId`"),
    names.PHASE_BACKGROUND_WORK: Origin(LEG, _PHASE + "`endedWithBackgroundWork`"),
    names.TOOL_NAME: Origin(TOOL, "`tool.execution_start` `mcpToolName`, else `toolName`"),
    names.TOOL_CALL_ID: Origin(TOOL, "`tool.execution_start` `toolCallId`"),
    names.TOOL_TYPE: Origin(TOOL, "always the same"),
    names.EXIT_CODE: Origin(TOOL, "`tool.execution_complete` `shellExecution.exitCode`"),
    names.CLI_TURN_ID: Origin(TOOL, "`tool.execution_start` `turnId`"),
    names.INTERACTION_ID: Origin(TURN + TOOL, "`interactionId` of the prompt or the call"),
}
