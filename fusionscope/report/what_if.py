"""What turns would have cost on one model: their own tokens at that model's prices.

Two answers, as nobody knows what that model would have done: every leg as it ran, review and all; and the answer leg alone,
since one model by itself has no drafts to reject, no judge and no critic. Neither knows how many tokens, calls and cached
tokens that model would have had.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fusionscope.model import Turn
from fusionscope.report.prices import Prices, tokens_of

__all__ = ["TurnCost", "WhatIf", "comparable", "turn_costs", "what_if"]


class TurnCost(NamedTuple):
    """What one turn cost, and what all of its legs and its answer leg alone would have cost on another model (nano-AIU)."""

    turn: Turn
    nano_aiu: int
    every_leg: int
    answer_leg: int


class WhatIf(NamedTuple):
    """The same of ``turns`` turns together, at ``prices``."""

    prices: Prices
    turns: int
    nano_aiu: int
    every_leg: int
    answer_leg: int


def comparable(turns: Iterable[Turn]) -> list[Turn]:
    """Return the turns that can be priced again: ended, with known credits, an answer leg, all legs, and tokens of each."""
    return [turn for turn in turns if not turn.is_open and turn.nano_aiu is not None and _is_whole(turn)]


def turn_costs(turns: Iterable[Turn], prices: Prices) -> list[TurnCost]:
    """Return what each of the ``comparable`` turns would have cost; without those that use tokens of unknown price."""
    found = []
    for turn in turns:
        every_leg = answer_leg = 0
        for leg in turn.legs:
            cost = prices.cost(tokens_of(leg))
            if cost is None:
                break
            every_leg += cost
            if leg.is_answer:
                answer_leg = cost
        else:
            found.append(TurnCost(turn, turn.nano_aiu or 0, every_leg, answer_leg))
    return found


def what_if(costs: Sequence[TurnCost], prices: Prices) -> WhatIf:
    """Return the sums of ``costs``, which were made with ``prices``."""
    return WhatIf(
        prices,
        len(costs),
        sum(cost.nano_aiu for cost in costs),
        sum(cost.every_leg for cost in costs),
        sum(cost.answer_leg for cost in costs),
    )


def _is_whole(turn: Turn) -> bool:
    return (
        not turn.missing_legs
        and any(leg.is_answer for leg in turn.legs)
        and all(any(tokens_of(leg)) or not leg.nano_aiu for leg in turn.legs)
    )
