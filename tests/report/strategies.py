"""Turns at random, for what must hold of every one of them."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from fusionscope.model import PlannedLeg, ToolCall, Turn
from tests.turns import TEN, leg, turn

#: turns are large: a moderate number of them, however slow the machine
some = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

#: text as hostile as a log can hold: control characters, wide and combining ones, long ones
texts = st.one_of(
    st.text(max_size=70),
    st.sampled_from(["", "gpt-5.6-sol", "m" * 60, "界" * 40, "\x1b]0;x\x07", "a\nb", "[red]x[/]", ":smile:", "\u202ex"]),
)
optional_texts = st.none() | texts
counts = st.integers(0, 10**10)
money = st.none() | st.integers(0, 10**14)
moments = st.integers(TEN - 10_000_000, TEN + 10_000_000)
durations = st.floats(0, 1e9, allow_nan=False)

legs = st.builds(
    leg,
    phase_id=st.sampled_from(["f1:p0", "f1:p1", "f1:judge"]),
    kind=st.sampled_from(["primary", "judge", "repair", "draft", "critic", "revision", "follow_up"]) | texts,
    scope=st.sampled_from(["root", "review", None]),
    model=texts,
    reasoning_effort=st.none() | st.sampled_from(["high", "minimal"]),
    status=st.sampled_from(["succeeded", "failed", "cancelled"]),
    verdict=st.sampled_from([None, "accept", "reject"]) | texts,
    reason=optional_texts,
    degraded_to=st.sampled_from([None, "f1:p1", "elsewhere"]),
    ended_at=moments,
    duration_ms=durations,
    requests=st.integers(0, 10_000),
    input_tokens=counts,
    output_tokens=counts,
    cached_tokens=counts,
    cache_write_tokens=counts,
    nano_aiu=money,
    is_answer=st.booleans(),
)


_ids = st.sampled_from(["a", "b", "c"])
calls = st.builds(
    ToolCall, _ids, st.sampled_from([None, "f1:p0", "f1:judge", "elsewhere"]), st.none() | _ids, optional_texts, optional_texts,
    st.sampled_from(["bash", "view"]) | texts, moments, st.none() | moments, st.none() | st.booleans(),
    st.none() | st.integers(-1, 300), optional_texts,
)  # fmt: skip


@st.composite
def turns(draw: st.DrawFn) -> Turn:
    """Any turn, in any state, whether or not its parts make sense together."""
    return turn(
        draw(st.sampled_from(["f1", "fusion-fa51fa07-905f", "fusion-fa51fa08"]) | texts),
        *draw(st.lists(legs, max_size=4) | st.lists(legs, min_size=12, max_size=12)),
        pattern=draw(st.sampled_from([None, "single", "cascade", "critique"]) | texts),
        state=draw(st.sampled_from(["open", "completed", "degraded", "failed", "cancelled", "abandoned"])),
        outcome=draw(optional_texts),
        degraded_reason=draw(optional_texts),
        route_failure=draw(st.none() | texts),
        fallback_model=draw(optional_texts),
        synthetic_model=draw(optional_texts),
        session_id=draw(texts),
        agent_id=draw(optional_texts),
        cli_version=draw(optional_texts),
        policy=draw(optional_texts),
        routing_latency_ms=draw(st.none() | st.floats(0, 1e6)),
        started_at=draw(moments),
        ended_at=draw(st.none() | moments),
        last_event_at=draw(moments),
        duration_ms=draw(st.none() | durations),
        reported_nano_aiu=draw(money),
        reported_requests=draw(st.none() | st.integers(0, 10_000)),
        reported_phases=draw(st.none() | st.integers(0, 20)),
        answer_phase_id=draw(st.sampled_from([None, "f1:p0", "elsewhere"])),
        awaiting_background_work=draw(st.booleans()),
        rewound=draw(st.booleans()),
        planned=tuple(PlannedLeg(kind, "solver", "root", False) for kind in draw(st.lists(texts, max_size=3))),
        tool_calls=tuple(sorted(draw(st.lists(calls, max_size=12)), key=lambda made: made.started_at)),
    )


many_turns = st.lists(turns(), max_size=4)
