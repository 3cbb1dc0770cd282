"""Turns that the demo has none of: parallel critics, a failed leg, an open turn, a failed route, money that is not known."""

from __future__ import annotations

from fusionscope.model import PlannedLeg, Turn
from tests.turns import TEN, leg, turn

__all__ = ["ODD", "PARALLEL"]

CREDIT = 1_000_000_000
_REVIEW = {"kind": "critic", "role": "critic", "scope": "review"}

#: a draft, two critics at once from 10.5 s on, a pause of 8 s, a revision that is the answer
PARALLEL = turn(
    "fusion-parallel",
    leg("f:draft", kind="draft", model="m-big", ended_at=TEN + 10_200, duration_ms=10_000.0, nano_aiu=9 * CREDIT),
    leg("f:critic:0", model="m-small", ended_at=TEN + 16_500, duration_ms=6_000.0, nano_aiu=CREDIT, **_REVIEW),
    leg("f:critic:1", model="m-other", ended_at=TEN + 20_500, duration_ms=10_000.0, nano_aiu=2 * CREDIT, **_REVIEW),
    leg(
        "f:revision", kind="revision", model="m-big", ended_at=TEN + 40_000, duration_ms=11_500.0, nano_aiu=8 * CREDIT,
        is_answer=True,
    ),
    pattern="critique", ended_at=TEN + 40_100, last_event_at=TEN + 40_100, duration_ms=40_100.0,
    planned=(PlannedLeg("draft", "solver", "root", False), *[PlannedLeg("critic", "critic", "review", False)] * 2,
             PlannedLeg("revision", "solver", "root", True)),
)  # fmt: skip

_FAILED = turn(
    "fusion-failed-leg",
    leg("g:p0", model="m-small", status="failed", reason="primary_call_failed", degraded_to="g:p1", nano_aiu=None,
        ended_at=TEN + 63_000, duration_ms=2_500.0),
    leg("g:p1", index=1, model="m-big", ended_at=TEN + 71_000, duration_ms=8_000.0, nano_aiu=3 * CREDIT, is_answer=True),
    pattern="cascade", state="degraded", degraded_reason="primary_unavailable", started_at=TEN + 60_000,
    ended_at=TEN + 71_000, last_event_at=TEN + 71_000, duration_ms=11_000.0,
    planned=(PlannedLeg("primary", "solver", "root", False), PlannedLeg("judge", "judge", "review", False),
             PlannedLeg("repair", "solver", "root", True)),
)  # fmt: skip

_OPEN = turn(
    "fusion-open",
    leg("h:p0", model="m-small", ended_at=TEN + 125_000, duration_ms=4_700.0),
    pattern="cascade", state="open", outcome=None, started_at=TEN + 120_000, ended_at=None, last_event_at=TEN + 125_000,
    duration_ms=None, reported_nano_aiu=None, reported_requests=None, reported_phases=None,
    planned=(PlannedLeg("primary", "solver", "root", False), PlannedLeg("judge", "judge", "review", False)),
)  # fmt: skip

_NOT_FUSED = turn(
    "attempt-not-fused", pattern=None, state="failed", route_failure="router_timeout", fallback_model="m-big",
    started_at=TEN + 180_000, ended_at=TEN + 185_000, last_event_at=TEN + 185_000, reported_nano_aiu=None,
    reported_requests=None, duration_ms=None, routing_latency_ms=5_000.0,
)  # fmt: skip

_REWOUND = turn(
    "fusion-rewound", leg("r:p0", nano_aiu=CREDIT, is_answer=True, ended_at=TEN + 242_000), rewound=True,
    started_at=TEN + 240_000, ended_at=TEN + 242_100, last_event_at=TEN + 242_100, duration_ms=2_100.0,
)  # fmt: skip

ODD: list[Turn] = [PARALLEL, _FAILED, _OPEN, _NOT_FUSED, _REWOUND]
