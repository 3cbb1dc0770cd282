"""What one event says, as rows: the only things that ingest may write.

A fact never changes once it is written and is known by the id of its event, so writing it again changes nothing. Everything
else in the store follows from facts (``assemble.py``). The fields are the columns of a table (``TABLE_OF``); units are those
of ``model.py``. ``at`` is the event's timestamp. Facts of a turn are told apart by the turn, wherever they were read; the
others by their session, because a fork copies its parent's.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "TABLE_OF",
    "Commit",
    "Compaction",
    "Completion",
    "Fact",
    "HandoffMade",
    "LegEnd",
    "LegStart",
    "Message",
    "ModelCall",
    "Prompt",
    "Reply",
    "Route",
    "SessionFact",
    "SessionMark",
    "ToolEnd",
    "ToolStart",
    "ToolUse",
    "TurnFact",
    "UnknownWord",
]


class Route(NamedTuple):
    """A route was chosen (``session.fusion_resolved``), or failed (``session.fusion_route_failed``: ``failure`` says why).

    ``critics``, ``scores``, ``plan`` and ``follow_up`` are JSON: ``[{model, phase_id, reasoning_effort}]``,
    ``{name: number or null}``, ``[{kind, role, scope, conditional}]`` and ``{user_turn, compaction_turn}``. ``rule_name`` and
    ``hint`` are text of the service, written only where somebody asked for it.
    """

    fusion_id: str
    event_id: str
    at: int
    agent_id: str | None
    turn_id: str | None
    contract_version: int | None
    synthetic_model: str | None
    policy: str | None
    pattern: str | None
    failure: str | None
    route_source: str | None
    plan_version: str | None
    policy_version: str | None
    model_universe_version: str | None
    rule_id: str | None
    rule_index: int | None
    rule_name: str | None
    selected_rule_id: str | None
    hint: str | None
    primary_model: str | None
    secondary_model: str | None
    judge_model: str | None
    repair_model: str | None
    fallback_model: str | None
    follow_up_model: str | None
    follow_up: str | None
    critics: str | None
    scores: str | None
    plan: str | None
    routing_latency_ms: float | None


class LegStart(NamedTuple):
    """One leg began (``assistant.fusion_phase_started``, which no CLI that was seen writes to disk)."""

    fusion_id: str
    event_id: str
    at: int
    agent_id: str | None
    phase_id: str
    kind: str | None
    role: str | None
    scope: str | None
    model: str
    reasoning_effort: str | None


class LegEnd(NamedTuple):
    """One leg ended (``assistant.fusion_phase_completed`` or ``_failed``)."""

    fusion_id: str
    event_id: str
    at: int
    agent_id: str | None
    phase_id: str
    kind: str | None
    role: str | None
    scope: str | None
    model: str
    reasoning_effort: str | None
    status: str | None
    verdict: str | None
    reason: str | None
    degraded_to: str | None
    background_work: bool | None
    duration_ms: float | None
    requests: int | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cache_write_tokens: int | None
    nano_aiu: int | None


class HandoffMade(NamedTuple):
    """Work was given from one phase to another (``session.fusion_handoff``)."""

    fusion_id: str
    event_id: str
    at: int
    agent_id: str | None
    source_phase_id: str
    target_phase_id: str
    target_model: str


class Commit(NamedTuple):
    """The answer was taken from a phase (``session.fusion_commit_started``)."""

    fusion_id: str
    event_id: str
    at: int
    agent_id: str | None
    commit_id: str
    source_phase_id: str
    source_model: str
    kind: str | None


class Completion(NamedTuple):
    """The roll-up of a turn (``session.fusion_completed``)."""

    fusion_id: str
    event_id: str
    at: int
    agent_id: str | None
    turn_id: str | None
    commit_id: str | None
    synthetic_model: str | None
    pattern: str | None
    outcome: str | None
    answer_phase_id: str | None
    answer_model: str | None
    follow_up_model: str | None
    degraded_reason: str | None
    phases: int | None
    requests: int | None
    nano_aiu: int | None
    duration_ms: float | None
    awaiting_background_work: bool | None


class Message(NamedTuple):
    """The assistant spoke, as part of a turn (``assistant.message`` with an attribution). Not what it said."""

    fusion_id: str
    event_id: str
    at: int
    agent_id: str | None
    interaction_id: str | None
    phase_id: str | None
    steered: bool | None


class ToolStart(NamedTuple):
    """A tool call of a turn began (``tool.execution_start`` with an attribution)."""

    fusion_id: str
    event_id: str
    at: int
    agent_id: str | None
    tool_call_id: str
    name: str | None
    parent_tool_call_id: str | None
    turn_id: str | None
    phase_id: str | None
    steered: bool | None


class ToolEnd(NamedTuple):
    """A tool call of a turn ended (``tool.execution_complete`` with an attribution). ``error`` is a code, never a message."""

    fusion_id: str
    event_id: str
    at: int
    agent_id: str | None
    tool_call_id: str
    interaction_id: str | None
    success: bool | None
    exit_code: int | None
    error: str | None
    phase_id: str | None
    steered: bool | None


class UnknownWord(NamedTuple):
    """A Fusion event of a turn has a field, or is of a type, that this release does not know."""

    fusion_id: str
    event_id: str
    at: int
    agent_id: str | None
    word: str


class SessionMark(NamedTuple):
    """A session started, resumed, was shut down, rewound or forked.

    ``mark`` is ``start``, ``resume``, ``shutdown``, ``rewind`` or ``fork``. ``totals`` of a shutdown is JSON: what the CLI says
    the session did, ``{nano_aiu, credits_status, session_started_at, models: {model: {requests, input_tokens, output_tokens,
    cached_tokens, cache_write_tokens, nano_aiu}}, covers: [session ids]}``; over what, depends on the version
    (``ledger.py``).
    """

    session_id: str
    event_id: str
    at: int
    mark: str
    cli_version: str | None
    selected_model: str | None
    repository: str | None
    branch: str | None
    totals: str | None


class Prompt(NamedTuple):
    """The person asked something (``user.message``). Not what."""

    session_id: str
    event_id: str
    at: int
    agent_id: str | None
    interaction_id: str | None


class Reply(NamedTuple):
    """The assistant spoke outside a turn (``assistant.message`` without an attribution): one model call."""

    session_id: str
    event_id: str
    at: int
    agent_id: str | None
    interaction_id: str | None
    call_id: str | None
    model: str | None


class ToolUse(NamedTuple):
    """A tool call outside a turn ended (``tool.execution_complete`` without an attribution)."""

    session_id: str
    event_id: str
    at: int
    agent_id: str | None
    interaction_id: str | None
    success: bool | None


class ModelCall(NamedTuple):
    """One model call, in a turn or not (``session.usage_record``, CLI 1.0.102 and later).

    ``credits_status`` is the log's ``aiCreditsStatus``. A fork has its parent's calls too, with the parent's
    ``source_session_id``.
    """

    session_id: str
    event_id: str
    at: int
    agent_id: str | None
    fusion_id: str | None
    phase_id: str | None
    model: str | None
    duration_ms: float | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cache_write_tokens: int | None
    credits_status: str | None
    byok: bool | None
    call_id: str | None
    usage_id: str | None
    source_session_id: str | None
    nano_aiu: int | None


class Compaction(NamedTuple):
    """The conversation was compacted, which costs outside every turn (``session.compaction_complete``)."""

    session_id: str
    event_id: str
    at: int
    agent_id: str | None
    trigger: str | None
    success: bool | None
    model: str | None
    duration_ms: float | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cache_write_tokens: int | None
    requests: int | None
    credits_status: str | None
    nano_aiu: int | None


TurnFact = Route | LegStart | LegEnd | HandoffMade | Commit | Completion | Message | ToolStart | ToolEnd | UnknownWord
SessionFact = SessionMark | Prompt | Reply | ToolUse | ModelCall | Compaction
Fact = TurnFact | SessionFact

TABLE_OF: dict[type[Fact], str] = {
    Route: "route",
    LegStart: "leg_start",
    LegEnd: "leg",
    HandoffMade: "handoff",
    Commit: "answer_commit",
    Completion: "completion",
    Message: "message",
    ToolStart: "tool_start",
    ToolEnd: "tool_end",
    UnknownWord: "unknown_word",
    SessionMark: "session_mark",
    Prompt: "prompt",
    Reply: "reply",
    ToolUse: "tool_use",
    ModelCall: "model_call",
    Compaction: "compaction",
}
