"""From a turn to its spans: a root ``fusion <pattern>``, a child ``<kind> <model>`` a leg, and one a tool call below.

The times are the true ones, the ids are hashes of the log's ids, and nothing is in a span but what the table of
``names`` has: no repository, no branch, no path, no hint and no rule name leaves this machine.

The names differ from those that the GenAI conventions recommend, on purpose: the name is what a waterfall shows, and
``judge gpt-5.6-sol`` says more than ``chat hydrafusion``. The operation name keeps the spans machine-readable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from fusionscope import ids
from fusionscope.export import names
from fusionscope.export.span import context_of, make_event, make_span
from fusionscope.export.times import leg_times, not_fused, route_end, turn_times
from fusionscope.export.tool_spans import tool_spans
from fusionscope.export.values import LONGEST_NAME, clean, moment
from fusionscope.ids import LegKey
from fusionscope.model import REVIEW_SCOPE, Leg, Turn, credits
from fusionscope.tools import ToolKey

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import Event, ReadableSpan

__all__ = ["turn_spans"]


def turn_spans(
    turn: Turn,
    resource: Resource,
    *,
    root_sent: bool = False,
    sent_legs: Collection[LegKey] = frozenset(),
    sent_tools: Collection[ToolKey] = frozenset(),
) -> list[ReadableSpan]:
    """Return the spans of an ended turn: the root, then its legs in log order, then its tool calls in that of their starts.

    ``root_sent``, ``sent_legs`` and ``sent_tools`` tell what went out before: only the rest is returned, under the same ids,
    because back ends keep duplicates. An open turn has no spans yet: which leg gave the answer is not known.
    """
    if turn.is_open:
        return []
    found = [] if root_sent else [_root(turn, resource)]
    judged = _judged(turn)
    for leg in turn.legs:
        if _key(leg) not in sent_legs:
            found.append(_leg(turn, leg, judged.get(_key(leg), []), resource))
    return found + tool_spans(turn, resource, sent_tools)


def _key(leg: Leg) -> LegKey:
    return leg.phase_id, leg.attempt


def _root(turn: Turn, resource: Resource) -> ReadableSpan:
    start, end = turn_times(turn)
    return make_span(
        _root_name(turn),
        context_of(turn, ids.root_span_id(turn.fusion_id)),
        None,
        resource,
        facts={**_shared(turn), **_route_facts(turn), **_turn_facts(turn)},
        events=_root_events(turn, end),
        error=_root_error(turn),
        times=(start, end),
    )


def _root_name(turn: Turn) -> str:
    if not_fused(turn):
        return f"{names.ROOT} {names.ROUTE_FAILED}"
    return f"{names.ROOT} {clean(turn.pattern or '', LONGEST_NAME) or names.UNKNOWN}"


def _shared(turn: Turn) -> dict[str, object]:
    return {
        names.PROVIDER_NAME: names.PROVIDER,
        names.REQUEST_MODEL: turn.synthetic_model,
        names.CONVERSATION_ID: turn.session_id,
        names.FUSION_ID: turn.fusion_id,
        names.PATTERN: turn.pattern,
    }


def _route_facts(turn: Turn) -> dict[str, object]:
    scores = {names.SCORES[name]: float(value) for name, value in turn.scores if name in names.SCORES}
    return {
        names.POLICY: turn.policy,
        names.ROUTE_SOURCE: turn.route_source,
        names.PLAN_VERSION: turn.plan_version,
        names.POLICY_VERSION: turn.policy_version,
        names.MODEL_UNIVERSE_VERSION: turn.model_universe_version,
        names.CONTRACT_VERSION: turn.contract_version,
        names.RULE_ID: turn.rule_id,
        names.SELECTED_RULE_ID: turn.selected_rule_id,
        names.PRIMARY_MODEL: turn.primary_model,
        names.SECONDARY_MODEL: turn.secondary_model,
        names.JUDGE_MODEL: turn.judge_model,
        names.REPAIR_MODEL: turn.repair_model,
        names.FALLBACK_MODEL: turn.fallback_model,
        names.FOLLOW_UP_MODEL: turn.follow_up_model,
        names.CRITIC_MODELS: turn.critic_models,
        names.ROUTING_LATENCY: None if turn.routing_latency_ms is None else float(turn.routing_latency_ms),
        **scores,
    }


def _turn_facts(turn: Turn) -> dict[str, object]:
    """What became of the turn. Bits that older CLIs do not write are sent only where they are set: false would be a claim."""
    ran = bool(turn.legs)
    return {
        names.OPERATION: names.INVOKE_AGENT,
        names.AGENT_NAME: turn.synthetic_model,
        names.RESPONSE_MODEL: turn.answer_model,
        names.CLI_VERSION: turn.cli_version,
        names.TURN_ID: turn.turn_id,
        names.INTERACTION_ID: turn.interaction_id,
        names.COMMIT_ID: turn.commit_id,
        names.INPUT_TOKENS: sum(leg.input_tokens for leg in turn.legs) if ran else None,
        names.OUTPUT_TOKENS: sum(leg.output_tokens for leg in turn.legs) if ran else None,
        **_money(turn.nano_aiu),
        names.UNCOMMITTED_CREDITS: None if turn.nano_aiu is None else credits(turn.review_nano_aiu),
        names.REQUEST_COUNT: turn.requests if ran or turn.reported_requests is not None else None,
        names.OUTCOME: turn.outcome,
        names.DEGRADED_REASON: turn.degraded_reason,
        names.PHASE_COUNT: len(turn.legs) if turn.reported_phases is None else turn.reported_phases,
        names.MODELS: turn.models,
        names.COMPOUND: turn.compound,
        names.AWAITING_BACKGROUND_WORK: turn.awaiting_background_work or None,
        names.HAS_USER_STEERING: turn.steered,
        names.UNKNOWN_WORDS: turn.unknown_words,
        names.INCOMPLETE: True if turn.state == "abandoned" else None,
        names.ERROR_TYPE: _root_error(turn),
    }


def _money(nano_aiu: int | None) -> dict[str, object]:
    return {names.NANO_AIU: nano_aiu, names.CREDITS: None if nano_aiu is None else credits(nano_aiu)}


def _root_error(turn: Turn) -> str | None:
    """The ``error.type`` of a turn that failed. Degraded, cancelled and unknown outcomes are no errors."""
    if turn.outcome is None:
        return (turn.route_failure or names.NO_REASON) if turn.state == "failed" else None
    outcome = turn.outcome.lower()
    return (turn.degraded_reason or turn.outcome) if "fail" in outcome or "error" in outcome else None


def _root_events(turn: Turn, end: int) -> Iterator[Event]:
    if turn.pattern is not None and turn.routing_latency_ms is not None:
        yield make_event(names.ROUTE_RESOLVED, min(route_end(turn), end), {})
    for handoff in turn.handoffs:
        yield make_event(
            names.HANDOFF,
            moment(handoff.at),
            {
                names.SOURCE_PHASE_ID: handoff.source_phase_id,
                names.TARGET_PHASE_ID: handoff.target_phase_id,
                names.TARGET_MODEL: handoff.target_model,
            },
        )
    taken_over = [leg for leg in turn.legs if leg.degraded_to]
    for leg in taken_over:
        facts = {names.DEGRADED_REASON: leg.reason, names.PHASE_DEGRADED_TO: leg.degraded_to}
        yield make_event(names.DEGRADED, moment(leg.ended_at), facts)
    if turn.degraded_reason and not taken_over:
        yield make_event(names.DEGRADED, end, {names.DEGRADED_REASON: turn.degraded_reason})
    if turn.commit_id:
        # a turn keeps no moment of its commit; it is the last thing before the end
        yield make_event(names.COMMIT, end, {names.SOURCE_PHASE_ID: turn.answer_phase_id})


def _leg(turn: Turn, leg: Leg, judges: Iterable[Leg], resource: Resource) -> ReadableSpan:
    error = (leg.reason or names.NO_REASON) if leg.status == "failed" else None
    facts: dict[str, object] = {
        names.OPERATION: names.CHAT,
        names.RESPONSE_MODEL: leg.model,
        names.INPUT_TOKENS: leg.input_tokens,
        names.OUTPUT_TOKENS: leg.output_tokens,
        names.CACHE_READ_TOKENS: leg.cached_tokens,
        names.CACHE_WRITE_TOKENS: leg.cache_write_tokens,
        **_money(leg.nano_aiu),
        names.REQUEST_COUNT: leg.requests,
        names.PHASE_ID: leg.phase_id,
        names.PHASE_KIND: leg.kind,
        names.PHASE_ROLE: leg.role,
        names.PHASE_SCOPE: leg.scope,
        names.PHASE_STATUS: leg.status,
        names.PHASE_VERDICT: leg.verdict,
        names.PHASE_INDEX: leg.index,
        names.PHASE_COMMITTED: leg.is_answer,
        names.PHASE_DEGRADED_TO: leg.degraded_to,
        names.PHASE_BACKGROUND_WORK: leg.background_work or None,
        names.REASONING_LEVEL: leg.reasoning_effort,
        names.ERROR_TYPE: error,
    }
    kind, model = (clean(text, LONGEST_NAME) or names.UNKNOWN for text in (leg.kind, leg.model))
    return make_span(
        f"{kind} {model}",
        context_of(turn, ids.leg_span_id(turn.fusion_id, _key(leg))),
        context_of(turn, ids.root_span_id(turn.fusion_id)),
        resource,
        facts={**_shared(turn), **facts},
        events=map(_evaluation, judges),
        error=error,
        times=leg_times(leg),
    )


def _judged(turn: Turn) -> dict[LegKey, list[Leg]]:
    """Of each leg that was evaluated: the judges and critics that saw it.

    They see the last work before them that could become the answer; a failed one only if there is no other.
    """
    found: dict[LegKey, list[Leg]] = {}
    work: Leg | None = None
    for leg in turn.legs:
        if leg.kind in names.EVALUATIONS:
            if work is not None and leg.status != "cancelled":
                found.setdefault(_key(work), []).append(leg)
        elif leg.scope != REVIEW_SCOPE and (leg.status == "succeeded" or work is None or work.status != "succeeded"):
            work = leg
    return found


def _evaluation(judge: Leg) -> Event:
    """What a judge or critic made of a leg, at its own end: the conventions put it on the span that was evaluated."""
    facts = {
        names.EVALUATION_NAME: names.EVALUATIONS[judge.kind],
        names.EVALUATION_LABEL: judge.verdict,
        names.PHASE_ID: judge.phase_id,
        names.ERROR_TYPE: (judge.reason or names.NO_REASON) if judge.status == "failed" else None,
    }
    return make_event(names.EVALUATION, moment(judge.ended_at), facts)
