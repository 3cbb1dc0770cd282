"""Every telemetry name in one table: what we call spans, attributes, events, metrics and label values.

Nothing else in the program spells one. The rules:

* ``gen_ai.*`` where the OpenTelemetry GenAI conventions (v0.1.0) have a name; their Python package is frozen without
  it.
* ``github.copilot.fusion.*`` for everything else: the namespace proposed in github/copilot-cli#4825. It is the
  vendor's, so these names are unofficial, and our own ``service.name`` and scope keep them apart.
* ``github.copilot.nano_aiu``, ``.cli.version``, ``.turn_id`` and ``.interaction_id`` as the CLI itself calls them.

Text of the log is raw on spans; as a metric label it passes an allow-list, and everything else is ``_other``.
"""

from __future__ import annotations

from typing import NamedTuple

SERVICE = "fusionscope"
SCOPE = "fusionscope"
PROVIDER = "github"

# resource
SERVICE_NAME = "service.name"
SERVICE_VERSION = "service.version"
SERVICE_INSTANCE_ID = "service.instance.id"

# span names: `<ROOT> <pattern>`, `<kind> <model>` and `<EXECUTE_TOOL> <tool>`
ROOT = "fusion"
UNKNOWN = "unknown"
ROUTE_FAILED = "route_failed"

# gen_ai.operation.name
INVOKE_AGENT = "invoke_agent"
CHAT = "chat"
EXECUTE_TOOL = "execute_tool"

# attributes of the conventions
OPERATION = "gen_ai.operation.name"
PROVIDER_NAME = "gen_ai.provider.name"
REQUEST_MODEL = "gen_ai.request.model"
RESPONSE_MODEL = "gen_ai.response.model"
AGENT_NAME = "gen_ai.agent.name"
CONVERSATION_ID = "gen_ai.conversation.id"
REASONING_LEVEL = "gen_ai.request.reasoning.level"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHE_READ_TOKENS = "gen_ai.usage.cache_read.input_tokens"
CACHE_WRITE_TOKENS = "gen_ai.usage.cache_write.input_tokens"
ERROR_TYPE = "error.type"
EVALUATION_NAME = "gen_ai.evaluation.name"
EVALUATION_LABEL = "gen_ai.evaluation.score.label"
TOOL_NAME = "gen_ai.tool.name"
TOOL_CALL_ID = "gen_ai.tool.call.id"
TOOL_TYPE = "gen_ai.tool.type"
EXIT_CODE = "process.exit.code"

# gen_ai.tool.type
FUNCTION = "function"

# attributes of the CLI
NANO_AIU = "github.copilot.nano_aiu"
#: of the CLI's own spans too: what joins them to ours. Its turns are rounds of calls, ours are whole requests.
CLI_TURN_ID = "github.copilot.turn_id"
INTERACTION_ID = "github.copilot.interaction_id"
#: the label of the CLI's own `github.copilot.tool.call.count`
SUCCESS = "success"
CLI_VERSION = "github.copilot.cli.version"

# attributes of a turn and of its legs
FUSION_ID = "github.copilot.fusion.id"
CREDITS = "github.copilot.fusion.credits"
REQUEST_COUNT = "github.copilot.fusion.request_count"
PATTERN = "github.copilot.fusion.pattern"

# attributes of a turn
TURN_ID = "github.copilot.fusion.turn_id"
COMMIT_ID = "github.copilot.fusion.commit_id"
POLICY = "github.copilot.fusion.policy"
ROUTE_SOURCE = "github.copilot.fusion.route_source"
PLAN_VERSION = "github.copilot.fusion.plan_version"
POLICY_VERSION = "github.copilot.fusion.policy_version"
MODEL_UNIVERSE_VERSION = "github.copilot.fusion.model_universe_version"
CONTRACT_VERSION = "github.copilot.fusion.contract_version"
RULE_ID = "github.copilot.fusion.rule_id"
SELECTED_RULE_ID = "github.copilot.fusion.selected_rule_id"
PRIMARY_MODEL = "github.copilot.fusion.primary_model"
SECONDARY_MODEL = "github.copilot.fusion.secondary_model"
JUDGE_MODEL = "github.copilot.fusion.judge_model"
REPAIR_MODEL = "github.copilot.fusion.repair_model"
FALLBACK_MODEL = "github.copilot.fusion.fallback_model"
FOLLOW_UP_MODEL = "github.copilot.fusion.follow_up_model"
CRITIC_MODELS = "github.copilot.fusion.critic_models"
ROUTING_LATENCY = "github.copilot.fusion.routing_latency_ms"
OUTCOME = "github.copilot.fusion.outcome"
DEGRADED_REASON = "github.copilot.fusion.degraded_reason"
PHASE_COUNT = "github.copilot.fusion.phase_count"
MODELS = "github.copilot.fusion.models"
COMPOUND = "github.copilot.fusion.compound"
UNCOMMITTED_CREDITS = "github.copilot.fusion.uncommitted_credits"
AWAITING_BACKGROUND_WORK = "github.copilot.fusion.awaiting_background_work"
INCOMPLETE = "github.copilot.fusion.incomplete"
HAS_USER_STEERING = "github.copilot.fusion.has_user_steering"
UNKNOWN_WORDS = "github.copilot.fusion.unknown_words"

#: the router's scores, by the field they come from; a score of another name is not exported
SCORES = {
    "reasoning": "github.copilot.fusion.score.reasoning",
    "code_gen": "github.copilot.fusion.score.code_gen",
    "debugging": "github.copilot.fusion.score.debugging",
    "tool_use": "github.copilot.fusion.score.tool_use",
}

# attributes of a leg
PHASE_ID = "github.copilot.fusion.phase.id"
PHASE_KIND = "github.copilot.fusion.phase.kind"
PHASE_ROLE = "github.copilot.fusion.phase.role"
PHASE_SCOPE = "github.copilot.fusion.phase.scope"
PHASE_STATUS = "github.copilot.fusion.phase.status"
PHASE_VERDICT = "github.copilot.fusion.phase.verdict"
PHASE_INDEX = "github.copilot.fusion.phase.index"
PHASE_COMMITTED = "github.copilot.fusion.phase.committed"
PHASE_DEGRADED_TO = "github.copilot.fusion.phase.degraded_to"
PHASE_BACKGROUND_WORK = "github.copilot.fusion.phase.ended_with_background_work"

# span events, and the attributes that only they have
EVALUATION = "gen_ai.evaluation.result"
ROUTE_RESOLVED = "github.copilot.fusion.route_resolved"
HANDOFF = "github.copilot.fusion.handoff"
COMMIT = "github.copilot.fusion.commit"
DEGRADED = "github.copilot.fusion.degraded"
SOURCE_PHASE_ID = "github.copilot.fusion.source_phase_id"
TARGET_PHASE_ID = "github.copilot.fusion.target_phase_id"
TARGET_MODEL = "github.copilot.fusion.target_model"

#: the kinds of leg that evaluate another one, and the name of their evaluation
EVALUATIONS = {"judge": "fusion.judge", "critic": "fusion.critic"}


class Metric(NamedTuple):
    """One metric: its OTLP name, its unit (UCUM) and the attributes of its points, which are the labels of its series."""

    name: str
    unit: str
    labels: tuple[str, ...]
    description: str


_LEG = (PATTERN, PHASE_KIND, RESPONSE_MODEL)
_LEG_MONEY = (PATTERN, PHASE_KIND, PHASE_COMMITTED, RESPONSE_MODEL)
_LEG_END = (PATTERN, PHASE_KIND, PHASE_STATUS, PHASE_VERDICT, RESPONSE_MODEL)
_LEG_TOOL = (TOOL_NAME, SUCCESS, PHASE_KIND)
_TURN_TIME = (PATTERN, OUTCOME)
_ROUTE = (ROUTE_SOURCE, POLICY, ERROR_TYPE)

# Form A, event samples. No unit and no `_total`, so that Prometheus makes the same name of them under every escaping
# strategy.
LEG = Metric("github.copilot.fusion.leg", "", _LEG_END, "1 for each leg, at its end")
LEG_CREDITS = Metric("github.copilot.fusion.leg.credits", "", _LEG_MONEY, "AI credits of one leg, at its end")
LEG_INPUT_TOKENS = Metric(
    "github.copilot.fusion.leg.input_tokens",
    "",
    _LEG,
    "Input tokens of one leg, cached and cache-written ones included",
)
LEG_OUTPUT_TOKENS = Metric("github.copilot.fusion.leg.output_tokens", "", _LEG, "Output tokens of one leg")
LEG_CACHE_READ_TOKENS = Metric("github.copilot.fusion.leg.cache_read_tokens", "", _LEG, "Cached input tokens of one leg")
LEG_CACHE_WRITE_TOKENS = Metric(
    "github.copilot.fusion.leg.cache_write_tokens", "", _LEG, "Input tokens of one leg that were written to a cache"
)
LEG_INFERENCE_CALLS = Metric("github.copilot.fusion.leg.inference_calls", "", _LEG, "Model calls of one leg")
LEG_SECONDS = Metric("github.copilot.fusion.leg.seconds", "", _LEG, "Seconds that one leg took")
LEG_TOOL_CALLS = Metric(
    "github.copilot.fusion.leg.tool_calls", "", _LEG_TOOL, "Ended tool calls of one leg, for each tool and success"
)
TURN = Metric(
    "github.copilot.fusion.turn",
    "",
    (PATTERN, COMPOUND, OUTCOME, POLICY, RESPONSE_MODEL),
    "1 for each turn, at its end; the model is the one that gave the answer",
)
TURN_SECONDS = Metric("github.copilot.fusion.turn.seconds", "", _TURN_TIME, "Seconds that one turn took, routing included")
TURN_UNKNOWN_WORDS = Metric(
    "github.copilot.fusion.turn.unknown_words",
    "",
    (PATTERN,),
    "Words of one turn's events that this release does not know; only of turns that have any",
)
ROUTE_SECONDS = Metric("github.copilot.fusion.route.seconds", "", _ROUTE, "Seconds that one routing attempt took")

# Form B, cumulative counters and histograms. No name is used with two types in A and B.
TURN_COUNT = Metric("github.copilot.fusion.turn.count", "{turn}", (PATTERN, OUTCOME, POLICY, RESPONSE_MODEL), "Turns")
TURN_DURATION = Metric("github.copilot.fusion.turn.duration", "s", _TURN_TIME, "Duration of turns, routing included")
ROUTE_DURATION = Metric("github.copilot.fusion.route.duration", "s", _ROUTE, "Duration of routing attempts")
PHASE_COUNT_TOTAL = Metric("github.copilot.fusion.phase.count", "{phase}", _LEG_END, "Legs")
PHASE_DURATION = Metric("github.copilot.fusion.phase.duration", "s", _LEG, "Duration of legs")
CREDITS_TOTAL = Metric("github.copilot.fusion.credits", "{credit}", _LEG_MONEY, "AI credits of legs")
USAGE_INPUT_TOKENS = Metric(
    "github.copilot.fusion.usage.input_tokens", "{token}", _LEG, "Input tokens, cached and cache-written ones included"
)
USAGE_OUTPUT_TOKENS = Metric("github.copilot.fusion.usage.output_tokens", "{token}", _LEG, "Output tokens")
USAGE_CACHE_READ_TOKENS = Metric("github.copilot.fusion.usage.cache_read.input_tokens", "{token}", _LEG, "Cached input tokens")
USAGE_CACHE_WRITE_TOKENS = Metric(
    "github.copilot.fusion.usage.cache_write.input_tokens", "{token}", _LEG, "Input tokens that were written to a cache"
)
INFERENCE_CALLS = Metric("github.copilot.fusion.inference_calls", "{inference_call}", _LEG, "Model calls")
TOOL_CALL_COUNT = Metric("github.copilot.fusion.tool.call.count", "{call}", _LEG_TOOL, "Ended tool calls")
UNKNOWN_WORD_COUNT = Metric(
    "github.copilot.fusion.unknown_word.count", "{word}", (PATTERN,), "Words of turns that this release does not know"
)

SAMPLES = (
    LEG, LEG_CREDITS, LEG_INPUT_TOKENS, LEG_OUTPUT_TOKENS, LEG_CACHE_READ_TOKENS, LEG_CACHE_WRITE_TOKENS,
    LEG_INFERENCE_CALLS, LEG_SECONDS, LEG_TOOL_CALLS, TURN, TURN_SECONDS, TURN_UNKNOWN_WORDS, ROUTE_SECONDS,
)  # fmt: skip
TOTALS = (
    TURN_COUNT, TURN_DURATION, ROUTE_DURATION, PHASE_COUNT_TOTAL, PHASE_DURATION, CREDITS_TOTAL, USAGE_INPUT_TOKENS,
    USAGE_OUTPUT_TOKENS, USAGE_CACHE_READ_TOKENS, USAGE_CACHE_WRITE_TOKENS, INFERENCE_CALLS, TOOL_CALL_COUNT,
    UNKNOWN_WORD_COUNT,
)  # fmt: skip

# histogram bounds in seconds
TURN_BOUNDS = (1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0)
ROUTE_BOUNDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
PHASE_BOUNDS = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6)

# label values
OTHER = "_other"
NONE = "none"
#: `error.type` of a failure that gives no reason: the fallback that the conventions ask for
NO_REASON = "_OTHER"
#: `error.type` of a tool call that failed without a code
TOOL_ERROR = "tool_error"
#: the 20 first seen keep their name; the SDK's own limit would lose the labels silently
MODEL_LABELS = 20
TOOL_LABELS = 50
PATTERNS = frozenset({"single", "cascade", "critique", UNKNOWN})
KINDS = frozenset({"primary", "judge", "repair", "draft", "critic", "revision", "follow_up"})
STATUSES = frozenset({"succeeded", "failed", "cancelled"})
VERDICTS = frozenset({"accept", "reject", NONE})
#: `completed` is the only one that was ever seen in a log; `abandoned` is ours, for a turn that was given up
OUTCOMES = frozenset({"completed", "failed", "cancelled", "abandoned"})
#: `max` was seen; the other two are the effort levels of the product
POLICIES = frozenset({"standard", "high", "max", NONE})
ROUTE_SOURCES = frozenset({"capi_plan", "local_policy", "versioned_decision", NONE})
#: reasons found in the CLI's runtime: labels, and the only texts that may describe a status
REASONS = frozenset({
    "primary_call_failed", "judge_call_failed", "judge_invalid_output", "repair_failed", "critic_failed", "critic_invalid",
    "revision_failed", "model_unavailable", "invalid_output", "primary_failed", "router_timeout",
})  # fmt: skip

#: what a query of a span may name
SPAN_ATTRIBUTES = frozenset({
    OPERATION, PROVIDER_NAME, REQUEST_MODEL, RESPONSE_MODEL, AGENT_NAME, CONVERSATION_ID, REASONING_LEVEL, INPUT_TOKENS,
    OUTPUT_TOKENS, CACHE_READ_TOKENS, CACHE_WRITE_TOKENS, ERROR_TYPE, NANO_AIU, CLI_VERSION, FUSION_ID, CREDITS,
    REQUEST_COUNT, PATTERN, TURN_ID, COMMIT_ID, POLICY, ROUTE_SOURCE, PLAN_VERSION, POLICY_VERSION, MODEL_UNIVERSE_VERSION,
    CONTRACT_VERSION, RULE_ID, SELECTED_RULE_ID, PRIMARY_MODEL, SECONDARY_MODEL, JUDGE_MODEL, REPAIR_MODEL, FALLBACK_MODEL,
    FOLLOW_UP_MODEL, CRITIC_MODELS, ROUTING_LATENCY, OUTCOME, DEGRADED_REASON, PHASE_COUNT, MODELS, COMPOUND,
    UNCOMMITTED_CREDITS, AWAITING_BACKGROUND_WORK, INCOMPLETE, *SCORES.values(), PHASE_ID, PHASE_KIND, PHASE_ROLE,
    PHASE_SCOPE, PHASE_STATUS, PHASE_VERDICT, PHASE_INDEX, PHASE_COMMITTED, PHASE_DEGRADED_TO, PHASE_BACKGROUND_WORK,
    TOOL_NAME, TOOL_CALL_ID, TOOL_TYPE, EXIT_CODE, CLI_TURN_ID, INTERACTION_ID, HAS_USER_STEERING, UNKNOWN_WORDS,
})  # fmt: skip
EVENTS = frozenset({EVALUATION, ROUTE_RESOLVED, HANDOFF, COMMIT, DEGRADED})
EVENT_ATTRIBUTES = frozenset({
    EVALUATION_NAME, EVALUATION_LABEL, PHASE_ID, ERROR_TYPE, SOURCE_PHASE_ID, TARGET_PHASE_ID, TARGET_MODEL,
    DEGRADED_REASON, PHASE_DEGRADED_TO,
})  # fmt: skip
