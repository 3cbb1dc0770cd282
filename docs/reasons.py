"""Why each field of the allow-list is decoded, by the struct that declares it and its name in the log.

A field without a reason here fails the test of ``docs/PRIVACY.md``, and so does a reason without a field.
"""

from __future__ import annotations

from msgspec import Struct

from fusionscope.decode import events

__all__ = ["REASONS"]

_ID_OF_TURN = "which turn"
_ID_OF_LEG = "which leg"
_MODEL_CALL_TOKENS = "tokens of the call"

REASONS: dict[type[Struct], dict[str, str]] = {
    events.FusionRoute: {
        "fusionId": _ID_OF_TURN,
        "attemptId": "which attempt at routing, where it failed and there is no turn id",
        "reason": "why routing failed: a code",
        "turnId": "joins the turn with the CLI's own telemetry",
        "contractVersion": "whether the format is newer than this release",
        "syntheticModel": "the model that the person selected",
        "policy": "figures by policy",
        "pattern": "figures by pattern",
        "routeSource": "whether the service or a local rule decided",
        "planVersion": "tells when the router's plan moved",
        "policyVersion": "tells when the router's policy moved",
        "modelUniverseVersion": "tells when the router's choice of models moved",
        "ruleId": "which rule decided",
        "ruleIndex": "which rule decided, by its place",
        "ruleName": "text of the service; dropped unless `--service-text` is given",
        "selectedRuleId": "which rule was selected",
        "hint": "text of the service; dropped unless `--service-text` is given",
        "primaryModel": "the plan: who answers or drafts",
        "secondaryModel": "the plan: the second model",
        "judgeModel": "the plan: who judges",
        "repairModel": "the plan: who repairs",
        "fallbackModel": "who serves where no route was found",
        "followUpModel": "the plan: who takes the next prompt",
        "routingLatencyMs": "what routing costs in time",
    },
    events.FollowUp: {
        "userTurn": "the plan: what happens with the next prompt",
        "compactionTurn": "the plan: what happens at a compaction",
    },
    events.Critic: {
        "model": "the plan: who criticises",
        "phaseId": "which leg the critic is to run",
        "reasoningEffort": "the plan: its effort",
    },
    events.Scores: {
        "reasoning": "the router's score of the prompt: a number",
        "codeGen": "the router's score of the prompt: a number",
        "debugging": "the router's score of the prompt: a number",
        "toolUse": "the router's score of the prompt: a number",
    },
    events.PlannedLeg: {
        "kind": "the plan: legs that were to run",
        "role": "the plan: what a leg was to do",
        "scope": "the plan: whether a leg sees the conversation",
        "conditional": "the plan: legs that run only when asked for",
    },
    events.FusionPhaseStarted: {
        "fusionId": _ID_OF_TURN,
        "phaseId": _ID_OF_LEG,
        "model": "who ran the leg",
        "phaseKind": "figures by kind of leg",
        "role": "solver, judge or critic",
        "conversationScope": "whether its output could reach the person",
        "reasoningEffort": "figures by effort",
    },
    events.FusionPhaseEnded: {
        "status": "whether the leg succeeded",
        "verdict": "what a judge said: one word",
        "reason": "why the leg failed: a code",
        "degradedToPhaseId": "which leg took over",
        "endedWithBackgroundWork": "whether work of the leg went on after it",
        "durationMs": "how long the leg ran",
    },
    events.Usage: {
        "requestCount": "calls of the leg",
        "inputTokens": "tokens of the leg",
        "outputTokens": "tokens of the leg",
        "cachedTokens": "tokens of the leg",
        "cacheWriteTokens": "tokens of the leg",
        "totalNanoAiu": "credits of the leg",
    },
    events.FusionHandoff: {
        "fusionId": _ID_OF_TURN,
        "sourcePhaseId": "which leg handed over",
        "targetPhaseId": "to which leg",
        "targetModel": "to which model",
    },
    events.FusionCommitStarted: {
        "fusionId": _ID_OF_TURN,
        "commitId": "which commit made the answer visible",
        "sourcePhaseId": "which leg gave the answer, while the turn has not ended",
        "sourceModel": "which model gave the answer, while the turn has not ended",
        "kind": "whether the answer is text or a last tool call",
    },
    events.FusionCompleted: {
        "fusionId": _ID_OF_TURN,
        "turnId": "joins the turn with the CLI's own telemetry",
        "commitId": "which commit made the answer visible",
        "syntheticModel": "the model that the person selected, where the start is not in the log",
        "pattern": "the pattern, where the start is not in the log",
        "outcome": "how the turn ended",
        "finalSourcePhaseId": "which leg gave the answer",
        "finalSourceModel": "which model gave the answer",
        "followUpModel": "who takes the next prompt",
        "degradedReason": "why the turn is degraded: a code",
        "phaseCount": "whether all legs are in the log",
        "requestCount": "calls of the turn",
        "totalNanoAiu": "credits of the turn",
        "durationMs": "how long the turn took",
        "awaitingBackgroundWork": "whether work went on after its end",
    },
    events.Asked: {"interactionId": "that there was a prompt, and which calls belong to it"},
    events.Attribution: {
        "fusionId": "which turn a tool call or a model call belongs to",
        "phaseId": "which leg it belongs to",
        "hasUserSteering": "whether the person spoke while the turn ran: yes or no",
    },
    events.Answered: {
        "interactionId": "which prompt a model call belongs to",
        "apiCallId": "counts a model call once",
        "model": "which model spoke, in turns without Fusion",
    },
    events.ToolStarted: {
        "toolCallId": "joins a tool call's start and end",
        "toolName": "which tool ran",
        "mcpToolName": "which tool of an MCP server ran, without the server's name",
        "parentToolCallId": "which call made it",
        "turnId": "joins the call with the CLI's own telemetry",
    },
    events.ToolEnded: {
        "toolCallId": "joins a tool call's start and end",
        "interactionId": "which prompt a tool call belongs to",
        "success": "whether the tool failed",
    },
    events.Shell: {"exitCode": "how a shell ended: a number"},
    events.Failure: {"code": "why a tool failed: a code of the CLI, never its message"},
    events.CallUsage: {
        "model": "figures by model, in turns without Fusion",
        "duration": "how long a model call took",
        "inputTokens": _MODEL_CALL_TOKENS,
        "outputTokens": _MODEL_CALL_TOKENS,
        "cacheReadTokens": _MODEL_CALL_TOKENS,
        "cacheWriteTokens": _MODEL_CALL_TOKENS,
        "requestCount": "calls in the record",
        "aiCreditsStatus": "tells unknown credits from none",
        "isByok": "a provider of one's own costs no credits",
        "apiCallId": "counts a model call once",
    },
    events.Accounting: {
        "usageId": "counts a record once",
        "sourceSessionId": "whose record it is, in a fork",
    },
    events.Amount: {"totalNanoAiu": "credits of the call"},
    events.Compacted: {
        "trigger": "whether a person or the CLI asked for the compaction",
        "success": "whether it worked",
    },
    events.SessionMarked: {
        "copilotVersion": "figures by version of the CLI, and what a version is known to write",
        "selectedModel": "whether a session asked for Fusion at all",
        "infoType": "marks a rewind or a fork",
        "totalNanoAiu": "what the CLI says the session cost, to compare",
        "sessionStartTime": "which shutdowns count the same stretch of a session",
        "modelMetrics": "the names of the models in the session's totals",
        "usageAccountingWatermarks": "the sessions that a total covers, by id",
    },
    events.Context: {
        "repository": "figures by repository; never sent",
        "branch": "figures by branch; never sent",
    },
    events.Requests: {"count": "calls in the session's totals"},
    events.ModelTotal: {"totalNanoAiu": "credits of a model in the session's totals"},
    events.ModelTokens: {
        "inputTokens": "tokens in the session's totals",
        "outputTokens": "tokens in the session's totals",
        "cacheReadTokens": "tokens in the session's totals",
        "cacheWriteTokens": "tokens in the session's totals",
    },
    events.Snapshot: {"aiCreditsStatus": "whether the session's total is whole"},
}
