"""What one event says, as rows: the only things that ingest may write.

A fact never changes once it is written and is known by the id of its event, so writing it again changes nothing. Everything
else in the store follows from facts (``assemble.py``). The fields are the columns of a table (``TABLE_OF``); units are those
of ``model.py``. ``at`` is the event's timestamp.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["TABLE_OF", "Commit", "Completion", "HandoffMade", "LegEnd", "Route", "SessionMark", "TurnFact"]


class Route(NamedTuple):
    """A route was chosen (``session.fusion_resolved``), or failed (``session.fusion_route_failed``: ``failure`` says why).

    ``critics``, ``scores`` and ``plan`` are JSON: ``[{model}]``, ``{name: number or null}`` and
    ``[{kind, role, scope, conditional}]``.
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
    selected_rule_id: str | None
    primary_model: str | None
    secondary_model: str | None
    judge_model: str | None
    repair_model: str | None
    fallback_model: str | None
    follow_up_model: str | None
    critics: str | None
    scores: str | None
    plan: str | None
    routing_latency_ms: float | None


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


class SessionMark(NamedTuple):
    """A session started, resumed or shut down; ``mark`` is ``start``, ``resume`` or ``shutdown``."""

    session_id: str
    event_id: str
    at: int
    mark: str
    cli_version: str | None
    selected_model: str | None
    repository: str | None
    branch: str | None


TurnFact = Route | LegEnd | HandoffMade | Commit | Completion

TABLE_OF: dict[type[TurnFact] | type[SessionMark], str] = {
    Route: "route",
    LegEnd: "leg",
    HandoffMade: "handoff",
    Commit: "answer_commit",
    Completion: "completion",
    SessionMark: "session_mark",
}
