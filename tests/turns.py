"""Turns made by hand, for tests that need no log: ``leg`` and ``turn`` fill in what a test does not care about."""

from __future__ import annotations

from typing import Any

from fusionscope.model import Handoff, Leg, PlannedLeg, ToolCall, Turn

#: 2026-11-30T10:00:00.000Z
TEN = 1_796_032_800_000


def leg(phase_id: str = "f1:p0", **fields: Any) -> Leg:
    """A succeeded primary leg of m-small: 2 s, one request, 100 + 10 tokens, half a credit."""
    defaults: dict[str, Any] = {
        "index": 0, "attempt": 0, "kind": "primary", "role": "solver", "scope": "root", "model": "m-small",
        "reasoning_effort": None, "status": "succeeded", "verdict": None, "reason": None, "degraded_to": None,
        "background_work": False, "ended_at": TEN + 2_000, "duration_ms": 2_000.0, "requests": 1, "input_tokens": 100,
        "output_tokens": 10, "cached_tokens": 0, "cache_write_tokens": 0, "nano_aiu": 500_000_000, "is_answer": False,
    }  # fmt: skip
    return Leg(phase_id=phase_id, **{**defaults, **fields})


def call(tool_call_id: str = "c1", phase_id: str | None = "f1:p0", **fields: Any) -> ToolCall:
    """A bash of leg ``f1:p0`` that went well: from 1 s to 1.5 s after ten, exit code 0."""
    defaults: dict[str, Any] = {
        "parent_tool_call_id": None, "turn_id": "3", "interaction_id": "i1", "name": "bash", "started_at": TEN + 1_000,
        "ended_at": TEN + 1_500, "success": True, "exit_code": 0, "error": None,
    }  # fmt: skip
    return ToolCall(tool_call_id, phase_id, **{**defaults, **fields})


def turn(fusion_id: str = "f1", *legs: Leg, **fields: Any) -> Turn:
    """A completed turn of ``legs`` whose roll-up equals their sum; pattern single unless given."""
    defaults: dict[str, Any] = dict.fromkeys(Turn._fields)
    defaults.update(
        session_id="s1", synthetic_model="hydrafusion", pattern="single", state="completed", outcome="completed",
        policy="max", route_source="capi_plan", contract_version=1, critics=(), follow_up=(), scores=(), planned=(),
        routing_latency_ms=200.0, started_at=TEN, ended_at=TEN + 9_000, last_event_at=TEN + 9_000, duration_ms=9_000.0,
        reported_nano_aiu=sum(part.nano_aiu or 0 for part in legs), reported_requests=sum(part.requests for part in legs),
        reported_phases=len(legs), awaiting_background_work=False, rewound=False, handoffs=(),
        tool_calls=(), unknown_words=(),
        answer_phase_id=next((part.phase_id for part in legs if part.is_answer), None),
        answer_model=next((part.model for part in legs if part.is_answer), None),
    )  # fmt: skip
    return Turn(**{**defaults, "fusion_id": fusion_id, "legs": legs, **fields})


#: the one public HydraFusion turn, figures as in its log: 14.719596 credits from its legs and from its total
CASCADE_ID = "fusion-fa51fa07-905f-4e5a-8567-79bfa8c0da00"
CASCADE = turn(
    CASCADE_ID,
    leg(CASCADE_ID + ":phase:0", model="mai-code-1.1-flash", ended_at=1_788_921_797_139, duration_ms=22_160,
        input_tokens=15_819, output_tokens=2_754, cached_tokens=3_968, nano_aiu=575_436_000),
    leg(CASCADE_ID + ":judge", index=1, kind="judge", role="judge", scope="review", model="gpt-5.6-sol", verdict="reject",
        ended_at=1_788_921_807_960, duration_ms=10_727, input_tokens=2_339, output_tokens=644, cache_write_tokens=2_336,
        nano_aiu=2_457_200_000),
    leg(CASCADE_ID + ":repair", index=2, kind="repair", model="gpt-5.6-sol", ended_at=1_788_921_850_256,
        duration_ms=42_293, requests=3, input_tokens=39_702, output_tokens=1_866, cached_tokens=25_859,
        cache_write_tokens=13_834, nano_aiu=11_686_960_000, is_answer=True),
    pattern="cascade", primary_model="mai-code-1.1-flash", secondary_model="gpt-5.6-sol", fallback_model="gpt-5.6-sol",
    follow_up_model="mai-code-1.1-flash", plan_version="1", turn_id=CASCADE_ID + ":turn", commit_id=CASCADE_ID + ":commit",
    commit_kind="text",
    planned=(PlannedLeg("primary", "solver", "root", False), PlannedLeg("judge", "judge", "review", False),
             PlannedLeg("repair", "solver", "root", True)),
    routing_latency_ms=246.49609999999998, started_at=1_788_921_774_729, ended_at=1_788_921_850_342,
    last_event_at=1_788_921_850_342, duration_ms=75_613.0,
    handoffs=(Handoff(CASCADE_ID + ":judge", CASCADE_ID + ":repair", "gpt-5.6-sol", 1_788_921_807_962),),
)  # fmt: skip
