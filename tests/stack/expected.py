"""What each PromQL of the dashboard must give, worked out from the demo's raw lines: (panel, query) -> figure."""

from __future__ import annotations

import math
from collections.abc import Callable

from tests.stack.demo_facts import Facts, LegFact, grouped
from tests.stack.server import Series

__all__ = ["EXPECTED"]


def _one(value: float | None) -> Series:
    return {} if value is None else {(): value}


def _part(part: float, whole: float) -> Series:
    return _one(part / whole if whole else None)


def _sum(values: list[float]) -> Series:
    return _one(sum(values) if values else None)


def _by_model(amount: Callable[[LegFact], float]) -> Callable[[Facts], Series]:
    return lambda facts: grouped(facts.legs, lambda leg: (leg.model,), amount)


def _judged(facts: Facts) -> list[LegFact]:
    return [leg for leg in facts.legs if leg.kind == "judge" and leg.verdict]


def _credits(facts: Facts) -> list[float]:
    return [leg.credits for leg in facts.legs]


def _credits_a_turn(facts: Facts) -> Series:
    return _part(sum(leg.credits for leg in facts.every_leg), len(facts.turns)) if facts.every_leg else {}


def _quantile(q: float, values: list[float]) -> Series:
    """As the documentation of `quantile_over_time` has it: between two values it is linear."""
    if not values:
        return {}
    ordered = sorted(values)
    rank = q * (len(ordered) - 1)
    low = math.floor(rank)
    high = min(low + 1, len(ordered) - 1)
    return {(): ordered[low] + (ordered[high] - ordered[low]) * (rank - low)}


def _nothing(facts: Facts) -> Series:
    """The demo has no word that is not known."""
    return {}


EXPECTED: dict[tuple[str, str], Callable[[Facts], Series]] = {
    ("Compound rate", "A"): lambda facts: _part(sum(turn.compound for turn in facts.turns), len(facts.turns)),
    ("Compound rate", "B"): lambda facts: _sum([1.0 for _ in facts.turns]),
    ("Judge rejection rate", "A"): lambda facts: _part(
        sum(leg.verdict == "reject" for leg in _judged(facts)), len(_judged(facts))
    ),
    ("Judge rejection rate", "B"): lambda facts: _sum([1.0 for _ in _judged(facts)]),
    ("Review share", "A"): lambda facts: _part(
        sum(leg.credits for leg in facts.legs if not leg.is_answer), sum(_credits(facts))
    ),
    ("Credits", "A"): lambda facts: _sum(_credits(facts)),
    ("Credits", "B"): lambda facts: _sum([amount / 100 for amount in _credits(facts)]),
    ("Turns", "A"): lambda facts: _sum([1.0 for _ in facts.turns]),
    ("Mean turn", "A"): lambda facts: _part(sum(turn.seconds for turn in facts.turns), len(facts.turns)),
    ("Mean turn", "B"): _credits_a_turn,
    ("Credits by model", "A"): _by_model(lambda leg: leg.credits),
    ("Models", "A"): _by_model(lambda leg: 1),
    ("Models", "B"): _by_model(lambda leg: leg.credits),
    ("Models", "C"): _by_model(lambda leg: leg.calls),
    ("Models", "D"): _by_model(lambda leg: leg.input),
    ("Models", "E"): _by_model(lambda leg: leg.cached),
    ("Models", "F"): _by_model(lambda leg: leg.output),
    ("Credits by kind", "A"): lambda facts: grouped(facts.legs, lambda leg: (leg.kind,), lambda leg: leg.credits),
    ("Credits by pattern", "A"): lambda facts: grouped(facts.legs, lambda leg: (leg.pattern,), lambda leg: leg.credits),
    ("Pattern mix by day", "A"): lambda facts: grouped(facts.turns, lambda turn: (turn.pattern,), lambda turn: 1),
    ("Credits per turn by day", "A"): _credits_a_turn,
    ("Routing latency by day", "A"): lambda facts: _part(sum(route.seconds for route in facts.routes), len(facts.routes)),
    ("Routing latency by day", "B"): lambda facts: _quantile(0.9, [route.seconds for route in facts.routes]),
    # the labels of a result come in the order of their names: policy, then route source
    ("Route source and policy", "A"): lambda facts: grouped(
        facts.routes, lambda route: (route.policy, route.source), lambda route: 1
    ),
    ("Turns by outcome", "A"): lambda facts: grouped(facts.turns, lambda turn: (turn.outcome,), lambda turn: 1),
    **{("Words this release does not know", ref_id): _nothing for ref_id in "ABCDEFGHI"},
}
