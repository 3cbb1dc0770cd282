"""The allow-list: every field that is ever decoded from a session log, and no other.

What is not named here (message text, arguments, results, error texts, working directories, file names) is skipped by the
decoder, so it can be neither stored nor exported. The attributes are called like the columns of the facts they become
(``store/facts.py``), the names in the log are those of the event schema of CLI 1.0.83 to 1.0.104. An absent field and ``null``
are the same; numbers may arrive as floats; new values of an enumeration are kept as text.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar

from msgspec import Meta, Struct, field
from msgspec.json import Decoder

__all__ = ["DECODERS", "FUSION_TYPES", "LONGEST_WORD", "TYPES", "Id", "Name", "Record", "TypeOnly"]

Data = TypeVar("Data")

Id = Annotated[str, Meta(min_length=1, max_length=512)]  # kept whole or not at all: a cut id would be another id
LONGEST_WORD = 512  # no word of the CLI's vocabulary is as long; what is longer is cut (``lenient.py``)
Name = Annotated[str, Meta(max_length=LONGEST_WORD)]
# JSON numbers are exact up to the limit, which as nano-AIU is nine million credits
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)] | Annotated[float, Meta(ge=0, le=2**53 - 1)] | None
# milliseconds; at most ten years, which keeps every start inside the calendar
Span = Annotated[float, Meta(ge=0, le=316_224_000_000)] | None
Number = int | float | None
Word = Name | None


class Record(Struct, Generic[Data]):
    data: Data
    timestamp: datetime
    id: Id | None = None
    agent_id: Id | None = field(default=None, name="agentId")


class TypeOnly(Struct):
    type: str


class PlannedLeg(Struct):
    kind: str
    role: str
    scope: str
    conditional: bool


class Critic(Struct, rename="camel"):
    model: Name
    phase_id: Word = None
    reasoning_effort: Word = None


class Scores(Struct, rename={"code_gen": "codeGen", "tool_use": "toolUse"}):
    reasoning: float | None = None
    code_gen: float | None = None
    debugging: float | None = None
    tool_use: float | None = None


class FollowUp(Struct, rename="camel"):
    user_turn: Word = None
    compaction_turn: Word = None


# ``session.fusion_resolved``: the turn begins. ``session.fusion_route_failed``: an attempt, a reason, no route.
# ``hint`` and ``rule_name`` are text of the service: they are kept only when somebody asks for them.
class FusionRoute(Struct, rename="camel"):
    fusion_id: Id | None = None
    attempt_id: Id | None = None
    failure: Word = field(default=None, name="reason")
    turn_id: Word = None
    contract_version: Count = None
    synthetic_model: Word = None
    policy: Word = None
    pattern: Word = None
    route_source: Word = None
    plan_version: Word = None
    policy_version: Word = None
    model_universe_version: Word = None
    rule_id: Word = None
    rule_index: Count = None
    rule_name: Word = None
    selected_rule_id: Word = None
    hint: Word = None
    primary_model: Word = None
    secondary_model: Word = None
    judge_model: Word = None
    repair_model: Word = None
    fallback_model: Word = None
    follow_up_model: Word = None
    follow_up: FollowUp | None = None
    critics: list[Critic] | None = None
    scores: Scores | None = None
    plan: list[PlannedLeg] | None = field(default=None, name="phasePlan")
    routing_latency_ms: Span = None


class Usage(Struct, rename="camel"):
    requests: Count = field(default=None, name="requestCount")
    input_tokens: Count = None
    output_tokens: Count = None
    cached_tokens: Count = None
    cache_write_tokens: Count = None
    nano_aiu: Count = field(default=None, name="totalNanoAiu")


# ``assistant.fusion_phase_started`` is not written to disk by any CLI that was seen; should one, it gives a better start.
class FusionPhaseStarted(Struct, rename="camel"):
    fusion_id: Id
    phase_id: Id
    model: Name
    kind: Word = field(default=None, name="phaseKind")
    role: Word = None
    scope: Word = field(default=None, name="conversationScope")
    reasoning_effort: Word = None


# ``assistant.fusion_phase_completed`` and ``_failed``: one leg ended. Its ``content`` is not read.
class FusionPhaseEnded(FusionPhaseStarted, rename="camel"):
    status: Word = None
    verdict: Word = None
    reason: Word = None
    degraded_to: Word = field(default=None, name="degradedToPhaseId")
    background_work: bool | None = field(default=None, name="endedWithBackgroundWork")
    duration_ms: Span = None
    usage: Usage | None = None


# ``session.fusion_handoff``. Its ``message`` is not read.
class FusionHandoff(Struct, rename="camel"):
    fusion_id: Id
    source_phase_id: Id
    target_phase_id: Id
    target_model: Name


class FusionCommitStarted(Struct, rename="camel"):
    fusion_id: Id
    commit_id: Id
    source_phase_id: Id
    source_model: Name
    kind: Word = None


# ``session.fusion_completed``: the roll-up of a turn. Its tokens are read from the legs.
class FusionCompleted(Struct, rename="camel"):
    fusion_id: Id
    turn_id: Word = None
    commit_id: Word = None
    synthetic_model: Word = None
    pattern: Word = None
    outcome: Word = None
    answer_phase_id: Word = field(default=None, name="finalSourcePhaseId")
    answer_model: Word = field(default=None, name="finalSourceModel")
    follow_up_model: Word = None
    degraded_reason: Word = None
    phases: Count = field(default=None, name="phaseCount")
    requests: Count = field(default=None, name="requestCount")
    nano_aiu: Count = field(default=None, name="totalNanoAiu")
    duration_ms: Span = None
    awaiting_background_work: bool | None = None


# what ties an ordinary event to a turn and a leg
class Attribution(Struct, rename="camel"):
    fusion_id: Id | None = None
    phase_id: Word = None
    steered: bool | None = field(default=None, name="hasUserSteering")


class Attributed(Struct):
    fusion: Attribution | None = None


# ``user.message``: only that there was one
class Asked(Struct, rename="camel"):
    interaction_id: Word = None


# ``assistant.message``: which model spoke
class Answered(Attributed, rename="camel"):
    interaction_id: Word = None
    call_id: Word = field(default=None, name="apiCallId")
    model: Word = None


class ToolStarted(Attributed, rename="camel"):
    tool_call_id: Id | None = None
    tool_name: Word = None
    mcp_tool_name: Word = None
    parent_tool_call_id: Word = None
    turn_id: Word = None

    @property
    def name(self) -> str | None:
        return self.mcp_tool_name or self.tool_name  # the other one may hold the name of somebody's server


class Shell(Struct):
    exit_code: Number = field(default=None, name="exitCode")


class Failure(Struct):
    error: Word = field(default=None, name="code")


class ToolEnded(Attributed, rename="camel"):
    tool_call_id: Id | None = None
    interaction_id: Word = None
    success: bool | None = None
    shell: Shell | None = field(default=None, name="shellExecution")
    error: Failure | None = None


class Amount(Struct):
    nano_aiu: Count = field(default=None, name="totalNanoAiu")


class Accounting(Struct, rename="camel"):
    usage_id: Word = None
    source_session_id: Word = None


class CallUsage(Struct, rename="camel"):
    model: Word = None
    duration_ms: Span = field(default=None, name="duration")
    input_tokens: Count = None
    output_tokens: Count = None
    cached_tokens: Count = field(default=None, name="cacheReadTokens")
    cache_write_tokens: Count = None
    requests: Count = field(default=None, name="requestCount")
    credits_status: Word = field(default=None, name="aiCreditsStatus")
    byok: bool | None = field(default=None, name="isByok")
    call_id: Word = field(default=None, name="apiCallId")
    accounting: Accounting | None = None
    amount: Amount | None = field(default=None, name="copilotUsage")


class RecordedUsage(CallUsage):
    fusion: Attribution | None = None


# ``session.usage_record``: one model call. Its attribution stands inside its usage (event schema of CLI 1.0.102).
class UsageRecorded(Struct):
    usage: RecordedUsage


class Compacted(Struct, rename="camel"):
    trigger: Word = None
    success: bool | None = None
    usage: CallUsage | None = field(default=None, name="compactionTokensUsed")


class Context(Struct):
    repository: Word = None
    branch: Word = None


class Requests(Struct):
    requests: Count = field(default=None, name="count")


class ModelTokens(Struct, rename="camel"):
    input_tokens: Count = None
    output_tokens: Count = None
    cached_tokens: Count = field(default=None, name="cacheReadTokens")
    cache_write_tokens: Count = None


class ModelTotal(Struct):
    requests: Requests | None = None
    usage: ModelTokens | None = None
    nano_aiu: Count = field(default=None, name="totalNanoAiu")


class Snapshot(Struct):
    credits_status: Word = field(default=None, name="aiCreditsStatus")


# ``session.start``, ``.resume``, ``.shutdown`` (with the session's totals) and ``.info`` (of a rewind or a fork)
class SessionMarked(Struct, rename="camel"):
    cli_version: Word = field(default=None, name="copilotVersion")
    selected_model: Word = None
    context: Context | None = None
    info: Word = field(default=None, name="infoType")
    nano_aiu: Count = field(default=None, name="totalNanoAiu")
    session_started_at: Number | str = field(default=None, name="sessionStartTime")
    models: dict[str, ModelTotal] | None = field(default=None, name="modelMetrics")
    snapshot: Snapshot | None = field(default=None, name="accountingSnapshot")
    covers: dict[str, Count] | None = field(default=None, name="usageAccountingWatermarks")


#: the Fusion events; of these the fields that this release does not know are named
FUSION_TYPES: dict[str, type[Struct]] = {
    "session.fusion_resolved": FusionRoute,
    "session.fusion_route_failed": FusionRoute,
    "assistant.fusion_phase_started": FusionPhaseStarted,
    "assistant.fusion_phase_completed": FusionPhaseEnded,
    "assistant.fusion_phase_failed": FusionPhaseEnded,
    "session.fusion_handoff": FusionHandoff,
    "session.fusion_commit_started": FusionCommitStarted,
    "session.fusion_completed": FusionCompleted,
}
_OTHER_TYPES: dict[str, type[Struct]] = {
    "user.message": Asked,
    "assistant.message": Answered,
    "tool.execution_start": ToolStarted,
    "tool.execution_complete": ToolEnded,
    "session.usage_record": UsageRecorded,
    "session.compaction_complete": Compacted,
    "session.start": SessionMarked,
    "session.resume": SessionMarked,
    "session.shutdown": SessionMarked,
    "session.info": SessionMarked,
}

#: the event types we read, each with the type of its data, and with the decoder of its line
TYPES = FUSION_TYPES | _OTHER_TYPES
DECODERS: dict[str, Decoder[Record[Any]]] = {
    kind: Decoder(Record[data])  # type: ignore[valid-type]
    for kind, data in TYPES.items()
}
