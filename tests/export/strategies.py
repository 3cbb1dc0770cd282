"""Turns as hostile as the model allows: any text, any number, any order of time."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from fusionscope.model import ENDED_STATES, Critic, Handoff, Leg, ToolCall, Turn
from tests.turns import TEN, leg, turn

#: drawing a whole turn is slow, and this machine may be busy
hostile = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

text = st.text(max_size=40) | st.sampled_from(["m-small", "a\nb", "\u2028", "\ud800", "", " ", "x" * 5_000, "\x1b[31m"])
maybe_text = st.none() | text
moments = st.integers(TEN - 10**10, TEN + 10**10) | st.sampled_from([0, -1, 2**63, TEN])
lengths = st.floats(min_value=0, max_value=10**9) | st.sampled_from([0.0, 0.5, 1e300, -1.0, float("nan"), float("inf")])
counts = st.integers(0, 2**53) | st.sampled_from([2**63 - 1, 2**63, 2**70, -1])
amounts = st.none() | counts


@st.composite
def legs(draw: st.DrawFn, index: int) -> Leg:
    return leg(
        draw(text), index=index, attempt=index, kind=draw(st.sampled_from(["primary", "judge", "critic", "x"]) | text),
        role=draw(maybe_text), scope=draw(st.sampled_from(["root", "review"]) | maybe_text), model=draw(text),
        reasoning_effort=draw(maybe_text), status=draw(st.sampled_from(["succeeded", "failed", "cancelled"]) | text),
        verdict=draw(maybe_text), reason=draw(maybe_text), degraded_to=draw(maybe_text), background_work=draw(st.booleans()),
        ended_at=draw(moments), duration_ms=draw(lengths), requests=draw(counts), input_tokens=draw(counts),
        output_tokens=draw(counts), cached_tokens=draw(counts), cache_write_tokens=draw(counts), nano_aiu=draw(amounts),
        is_answer=draw(st.booleans()),
    )  # fmt: skip


ids = st.sampled_from(["c1", "c2", "c3", ""]) | text
calls = st.builds(
    ToolCall, tool_call_id=ids, phase_id=maybe_text, parent_tool_call_id=st.none() | ids, turn_id=maybe_text,
    interaction_id=maybe_text, name=st.sampled_from(["bash", "view", "unknown"]) | text, started_at=moments,
    ended_at=st.none() | moments, success=st.none() | st.booleans(), exit_code=amounts, error=maybe_text,
)  # fmt: skip


@st.composite
def turns(draw: st.DrawFn) -> Turn:
    """Any ended turn."""
    found = [draw(legs(index)) for index in range(draw(st.integers(0, 5)))]
    handoffs = st.builds(Handoff, text, text, text, moments)
    return turn(
        draw(text), *found, session_id=draw(text), synthetic_model=draw(maybe_text),
        pattern=draw(st.sampled_from(["single", "cascade"]) | maybe_text), state=draw(st.sampled_from(ENDED_STATES)),
        outcome=draw(st.sampled_from(["completed", "failed"]) | maybe_text), degraded_reason=draw(maybe_text),
        route_failure=draw(st.none() | text), policy=draw(maybe_text), route_source=draw(maybe_text),
        contract_version=draw(amounts), turn_id=draw(maybe_text), commit_id=draw(maybe_text),
        critics=tuple(Critic(model, None, None) for model in draw(st.lists(text, max_size=3))),
        scores=(("reasoning", draw(lengths)), ("hint", 1.0)),
        routing_latency_ms=draw(st.none() | lengths), started_at=draw(moments), ended_at=draw(st.none() | moments),
        last_event_at=draw(moments), duration_ms=draw(st.none() | lengths), reported_nano_aiu=draw(amounts),
        reported_requests=draw(amounts), reported_phases=draw(amounts), answer_model=draw(maybe_text),
        handoffs=tuple(draw(st.lists(handoffs, max_size=2))), tool_calls=tuple(draw(st.lists(calls, max_size=4))),
        unknown_words=tuple(draw(st.lists(text, max_size=2))), interaction_id=draw(maybe_text),
        steered=draw(st.none() | st.booleans()),
    )  # fmt: skip
