"""``what-if --json``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fusionscope.model import NANO_AIU_PER_CREDIT, credits
from fusionscope.report.prices import LEAST_LEGS, TOKEN_KINDS, Refusal
from fusionscope.report.text import rfc3339
from fusionscope.report.what_if import TurnCost, WhatIf
from fusionscope.report.worth import PairWorth

__all__ = ["what_if_json", "what_if_object"]

_MILLION = 1_000_000


def what_if_object(
    turns: int, sums: Sequence[WhatIf], refusals: Sequence[Refusal], costs: Sequence[TurnCost], worth: Sequence[PairWorth]
) -> dict[str, Any]:
    """Return what ``what-if --json`` writes: each model with its prices, those that have none told, and the worth of review.

    ``turns`` were selected; ``costs`` are those of single turns, where one model was asked for.
    """
    return {
        "turns": turns,
        "least_legs": LEAST_LEGS,
        "models": [_sum(each) for each in sums],
        "not_told": [each._asdict() for each in refusals],
        "by_turn": [_turn(each) for each in costs],
        "review_worth": [each._asdict() for each in worth],
    }


def what_if_json(
    turns: int, sums: Sequence[WhatIf], refusals: Sequence[Refusal], costs: Sequence[TurnCost], worth: Sequence[PairWorth]
) -> str:
    """Return the object of ``what-if --json``."""
    return json.dumps(what_if_object(turns, sums, refusals, costs, worth), indent=2, allow_nan=False) + "\n"


def _sum(each: WhatIf) -> dict[str, Any]:
    prices = {
        kind: None if price is None else price * _MILLION / NANO_AIU_PER_CREDIT
        for kind, price in zip(TOKEN_KINDS, each.prices.each, strict=True)
    }
    return {
        "model": each.prices.model,
        "legs": each.prices.legs,
        "credits_for_a_million_tokens": prices,
        "residual": each.prices.residual,
        "turns": each.turns,
        "nano_aiu": each.nano_aiu,
        "every_leg_nano_aiu": each.every_leg,
        "answer_leg_nano_aiu": each.answer_leg,
        "credits": credits(each.nano_aiu),
        "every_leg_credits": credits(each.every_leg),
        "answer_leg_credits": credits(each.answer_leg),
    }


def _turn(cost: TurnCost) -> dict[str, Any]:
    return {
        "fusion_id": cost.turn.fusion_id,
        "started_at": rfc3339(cost.turn.started_at),
        "pattern": cost.turn.pattern,
        "nano_aiu": cost.nano_aiu,
        "every_leg_nano_aiu": cost.every_leg,
        "answer_leg_nano_aiu": cost.answer_leg,
    }
