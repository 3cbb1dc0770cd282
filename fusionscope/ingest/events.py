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

__all__ = ["DECODERS", "ORDINARY_TYPES", "Record", "TypeOnly"]

Data = TypeVar("Data")

Id = Annotated[str, Meta(min_length=1, max_length=512)]  # kept whole or not at all: a cut id would be another id
# JSON numbers are exact up to the limit, which as nano-AIU is nine million credits
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)] | Annotated[float, Meta(ge=0, le=2**53 - 1)] | None
# milliseconds; at most ten years, which keeps every start inside the calendar
Span = Annotated[float, Meta(ge=0, le=316_224_000_000)] | None
Word = str | None


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


class Critic(Struct):
    model: str


class Scores(Struct, rename={"code_gen": "codeGen", "tool_use": "toolUse"}):
    reasoning: float | None = None
    code_gen: float | None = None
    debugging: float | None = None
    tool_use: float | None = None


# ``session.fusion_resolved``: the turn begins. ``session.fusion_route_failed``: an attempt, a reason, no route.
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
    selected_rule_id: Word = None
    primary_model: Word = None
    secondary_model: Word = None
    judge_model: Word = None
    repair_model: Word = None
    fallback_model: Word = None
    follow_up_model: Word = None
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


# ``assistant.fusion_phase_completed`` and ``_failed``: one leg ended. Its ``content`` is not read.
class FusionPhaseEnded(Struct, rename="camel"):
    fusion_id: Id
    phase_id: Id
    model: str
    kind: Word = field(default=None, name="phaseKind")
    role: Word = None
    scope: Word = field(default=None, name="conversationScope")
    reasoning_effort: Word = None
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
    target_model: str


class FusionCommitStarted(Struct, rename="camel"):
    fusion_id: Id
    commit_id: Id
    source_phase_id: Id
    source_model: str
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


class Context(Struct):
    repository: Word = None
    branch: Word = None


class SessionMarked(Struct, rename="camel"):
    cli_version: Word = field(default=None, name="copilotVersion")
    selected_model: Word = None
    context: Context | None = None


#: the event types we read, each with the decoder of its line
DECODERS: dict[str, Decoder[Record[Any]]] = {
    "session.fusion_resolved": Decoder(Record[FusionRoute]),
    "session.fusion_route_failed": Decoder(Record[FusionRoute]),
    "assistant.fusion_phase_completed": Decoder(Record[FusionPhaseEnded]),
    "assistant.fusion_phase_failed": Decoder(Record[FusionPhaseEnded]),
    "session.fusion_handoff": Decoder(Record[FusionHandoff]),
    "session.fusion_commit_started": Decoder(Record[FusionCommitStarted]),
    "session.fusion_completed": Decoder(Record[FusionCompleted]),
    "session.start": Decoder(Record[SessionMarked]),
    "session.resume": Decoder(Record[SessionMarked]),
    "session.shutdown": Decoder(Record[SessionMarked]),
}

#: the event types we know and leave alone; any other is counted by name
ORDINARY_TYPES = frozenset(
    """
    abort assistant.intent assistant.message assistant.message_delta assistant.message_start assistant.reasoning
    assistant.turn_end assistant.turn_start assistant.usage hook.end hook.start model.message model.messages_snapshot
    model.model_call_started model.model_call_success model.response model.turn_ended model.turn_started permission.completed
    permission.requested session.compaction_complete session.compaction_start session.context_changed session.error
    session.handoff session.idle session.info session.mode_changed session.model_change session.plan_changed
    session.snapshot_rewind session.task_complete session.title_changed session.truncation session.usage_info
    session.usage_record session.warning session.workspace_file_changed skill.invoked subagent.completed subagent.deselected
    subagent.failed subagent.selected subagent.started system.message system.notification tool.execution_complete
    tool.execution_partial_result tool.execution_progress tool.execution_start tool.user_requested user.message
    """.split()
)
