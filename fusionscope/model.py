"""The things this program talks about: sessions, turns and legs, as frozen types without I/O.

Units, everywhere in the program:

* ``*_at`` is a moment: whole milliseconds since 1970-01-01T00:00:00Z.
* ``*_ms`` is a span of time in milliseconds; the log may give a fraction.
* ``nano_aiu`` is money: integer nano-AIU. 1 credit = 1 AIU = 1e9 nano-AIU = US$0.01 at list price. ``None`` means that
  the log does not say, which is not zero.
* tokens are counts; ``input_tokens`` already contains the cached and the cache-written ones.

Text (``pattern``, ``kind``, ``verdict`` and so on) is kept as the log has it: new values appear without a release of ours.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "CREDITS_PER_USD",
    "ENDED_STATES",
    "NANO_AIU_PER_CREDIT",
    "NOT_FUSED",
    "REVIEW_SCOPE",
    "UNKNOWN",
    "Critic",
    "Handoff",
    "Leg",
    "OrdinaryTurn",
    "PlannedLeg",
    "Session",
    "ToolCall",
    "Turn",
    "credits",
    "usd",
]

NANO_AIU_PER_CREDIT = 1_000_000_000
CREDITS_PER_USD = 100

#: legs in this conversation scope are isolated and read-only: their output never reaches the person
REVIEW_SCOPE = "review"

#: stands for the pattern of a turn whose route failed
NOT_FUSED = "not fused"
#: stands for a pattern, a client and the like that the log does not say
UNKNOWN = "unknown"

#: every state but ``open``
ENDED_STATES = ("completed", "degraded", "failed", "cancelled", "abandoned")


def credits(nano_aiu: int) -> float:
    """Return nano-AIU as credits. For display and JSON only: sums are made of integers."""
    return nano_aiu / NANO_AIU_PER_CREDIT


def usd(nano_aiu: int) -> float:
    """Return nano-AIU as US dollars at list price. For display and JSON only."""
    return nano_aiu / (NANO_AIU_PER_CREDIT * CREDITS_PER_USD)


class Leg(NamedTuple):
    """One phase of a turn, run by one model.

    ``index`` counts the legs of a turn from 0 in log order; ``attempt`` counts the legs with one ``phase_id`` from 0.
    ``status`` is ``succeeded``, ``failed`` or ``cancelled``; ``reason`` is why it failed and ``degraded_to`` the phase that
    took over. ``requests`` is the number of model calls. ``began_at`` is its start, which hardly a log holds.
    """

    phase_id: str
    index: int  # type: ignore[assignment] # hides tuple.index, which nobody asks of a leg
    attempt: int
    kind: str
    role: str | None
    scope: str | None
    model: str
    reasoning_effort: str | None
    status: str
    verdict: str | None
    reason: str | None
    degraded_to: str | None
    background_work: bool
    ended_at: int
    duration_ms: float
    requests: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cache_write_tokens: int
    nano_aiu: int | None
    is_answer: bool
    began_at: int | None = None

    @property
    def started_at(self) -> int:
        """Its start in the log, else the end minus the duration."""
        return self.ended_at - round(self.duration_ms) if self.began_at is None else self.began_at

    @property
    def fresh_tokens(self) -> int:
        """Input tokens that came from no cache and went to none; never negative, whatever an old log says."""
        return max(0, self.input_tokens - self.cached_tokens - self.cache_write_tokens)


class PlannedLeg(NamedTuple):
    """A leg of the route's plan; ``conditional`` ones run only when an earlier leg asks for them."""

    kind: str
    role: str
    scope: str
    conditional: bool


class Critic(NamedTuple):
    """A critic of the route's plan; several may run at the same time."""

    model: str
    phase_id: str | None
    reasoning_effort: str | None


class ToolCall(NamedTuple):
    """A tool that ran in a turn: its name and how it ended, never what it was given or gave.

    ``phase_id`` is the leg that the log ties it to, if any. A call without ``ended_at`` has no end in the log. ``exit_code`` is
    that of a shell, ``error`` a code of the CLI. ``name`` of a tool of an MCP server is the tool's, without the server's.
    """

    tool_call_id: str
    phase_id: str | None
    parent_tool_call_id: str | None
    turn_id: str | None
    interaction_id: str | None
    name: str
    started_at: int
    ended_at: int | None
    success: bool | None
    exit_code: int | None
    error: str | None

    @property
    def failed(self) -> bool:
        """Whether it ended badly; one without an end did not."""
        return self.success is False

    @property
    def duration_ms(self) -> int | None:
        """How long it ran, never negative; ``None`` without an end."""
        return None if self.ended_at is None else max(0, self.ended_at - self.started_at)


class Handoff(NamedTuple):
    """Work given from one phase to another."""

    source_phase_id: str
    target_phase_id: str
    target_model: str
    at: int


class Turn(NamedTuple):
    """One routed user request: one ``fusion_id``.

    ``started_at`` includes routing. ``ended_at`` and ``duration_ms`` are ``None`` until the turn's own end is in the log.
    ``last_event_at`` is the newest moment the log has of it. ``reported_*`` is the roll-up that the CLI wrote at the end; the
    legs are its parts, so the two are never added. ``answer_phase_id`` names the leg whose output the person received.
    A failed route is a turn too: it has a ``route_failure`` and no legs, and ``fallback_model`` served the person.
    ``unknown_words`` are what its events say that this release does not know: values, fields, types. ``rule_name`` and
    ``hint`` are there only where somebody asked for them. ``steered``: the person spoke while it ran.
    """

    fusion_id: str
    session_id: str
    agent_id: str | None
    cli_version: str | None
    repository: str | None
    branch: str | None
    synthetic_model: str | None
    pattern: str | None
    state: str
    outcome: str | None
    degraded_reason: str | None
    route_failure: str | None
    policy: str | None
    route_source: str | None
    contract_version: int | None
    plan_version: str | None
    policy_version: str | None
    model_universe_version: str | None
    rule_id: str | None
    rule_index: int | None
    rule_name: str | None
    selected_rule_id: str | None
    hint: str | None
    turn_id: str | None
    interaction_id: str | None
    commit_id: str | None
    commit_kind: str | None
    primary_model: str | None
    secondary_model: str | None
    judge_model: str | None
    repair_model: str | None
    fallback_model: str | None
    follow_up_model: str | None
    follow_up: tuple[tuple[str, str], ...]
    critics: tuple[Critic, ...]
    scores: tuple[tuple[str, float], ...]
    planned: tuple[PlannedLeg, ...]
    routing_latency_ms: float | None
    started_at: int
    ended_at: int | None
    last_event_at: int
    duration_ms: float | None
    reported_nano_aiu: int | None
    reported_requests: int | None
    reported_phases: int | None
    answer_phase_id: str | None
    answer_model: str | None
    awaiting_background_work: bool
    steered: bool | None
    rewound: bool
    client: str | None = None
    legs: tuple[Leg, ...] = ()
    handoffs: tuple[Handoff, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    unknown_words: tuple[str, ...] = ()

    @property
    def pattern_name(self) -> str:
        """The pattern as it is shown and selected; ``NOT_FUSED`` for a failed route, ``UNKNOWN`` where the log does not say."""
        if self.route_failure is not None:
            return NOT_FUSED
        return self.pattern or UNKNOWN

    @property
    def is_open(self) -> bool:
        """Whether the end of the turn is still to come."""
        return self.state == "open"

    @property
    def critic_models(self) -> tuple[str, ...]:
        """The models of the critics that were planned."""
        return tuple(critic.model for critic in self.critics)

    @property
    def models(self) -> tuple[str, ...]:
        """The distinct models that ran, in order of appearance."""
        return tuple(dict.fromkeys(leg.model for leg in self.legs))

    @property
    def compound(self) -> bool:
        """Whether more than one distinct model ran."""
        return len(self.models) > 1

    @property
    def legs_nano_aiu(self) -> int:
        """The sum of the legs; a leg whose cost is unknown adds nothing."""
        return sum(leg.nano_aiu or 0 for leg in self.legs)

    @property
    def nano_aiu(self) -> int | None:
        """What the turn cost: the roll-up where the CLI wrote one, else the sum of the legs so far.

        A roll-up that was written while work went on in the background does not hold the legs of that work: there the legs
        count where they come to more. ``None`` where nothing is known: no roll-up, and no leg (or no metered leg).
        """
        if self.reported_nano_aiu is not None:
            spent = self.reported_nano_aiu
            return max(spent, self.legs_nano_aiu) if self.awaiting_background_work else spent
        if any(leg.nano_aiu is not None for leg in self.legs):
            return self.legs_nano_aiu
        return None

    @property
    def difference_nano_aiu(self) -> int:
        """What the turn cost minus the legs: above 0 is money that no leg explains; 0 where there is no roll-up."""
        if self.reported_nano_aiu is None:
            return 0
        return (self.nano_aiu or 0) - self.legs_nano_aiu

    @property
    def review_nano_aiu(self) -> int:
        """Credits of the legs that are not the answer leg.

        An open turn has no answer leg yet: only legs that can never be one, those in the review scope, count.
        """
        if self.is_open:
            return sum(leg.nano_aiu or 0 for leg in self.legs if leg.scope == REVIEW_SCOPE)
        return sum(leg.nano_aiu or 0 for leg in self.legs if not leg.is_answer)

    @property
    def requests(self) -> int:
        """Model calls: the roll-up's number where there is one, else the sum of the legs; as for ``nano_aiu``."""
        of_legs = sum(leg.requests for leg in self.legs)
        if self.reported_requests is None:
            return of_legs
        return max(self.reported_requests, of_legs) if self.awaiting_background_work else self.reported_requests

    @property
    def verdict(self) -> str | None:
        """The last thing a judge said, if any."""
        return next((leg.verdict for leg in reversed(self.legs) if leg.verdict), None)

    @property
    def missing_legs(self) -> int:
        """How many legs the roll-up counts that the log does not hold."""
        return max(0, (self.reported_phases or 0) - len(self.legs))


class OrdinaryTurn(NamedTuple):
    """One prompt that was answered without Fusion: by one model, or by more in turn (Auto, sub-agents).

    ``calls`` are model calls. Tokens are ``None`` where the log has no usage records (before CLI 1.0.102), ``nano_aiu`` where
    it does not say what they cost; of ``calls`` only ``metered`` are in ``nano_aiu``.
    """

    interaction_id: str
    session_id: str
    client: str | None
    cli_version: str | None
    repository: str | None
    branch: str | None
    started_at: int
    ended_at: int
    models: tuple[str, ...]
    calls: int
    metered: int
    tool_calls: int
    failed_tool_calls: int
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cache_write_tokens: int | None
    nano_aiu: int | None


class Session(NamedTuple):
    """One session directory with one log, and what its own events say of it. ``client`` wrote it."""

    session_id: str
    started_at: int | None
    last_event_at: int | None
    cli_version: str | None
    selected_model: str | None
    repository: str | None
    branch: str | None
    resumes: int
    shutdowns: int
    turns: int
    client: str | None
