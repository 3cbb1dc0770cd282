"""What happened in the demo, read from its raw lines, and sums over any part of it.

Nothing here uses the program: neither its reader nor its figures nor its exporter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

from tests.demo.reading import DemoTurn, at
from tests.stack.server import Series

__all__ = ["Facts", "LegFact", "RouteFact", "TurnFact", "facts_of", "grouped"]

_Fact = TypeVar("_Fact")


class LegFact(NamedTuple):
    """A leg: its end in seconds since 1970, and its amounts."""

    at: float
    pattern: str
    kind: str
    model: str
    verdict: str | None
    is_answer: bool
    credits: float
    calls: int
    input: int
    cached: int
    output: int


class TurnFact(NamedTuple):
    """A turn: its end in seconds since 1970."""

    at: float
    pattern: str
    outcome: str
    compound: bool
    seconds: float


class RouteFact(NamedTuple):
    """A routing attempt: its end in seconds since 1970."""

    at: float
    source: str
    policy: str
    seconds: float


class Facts(NamedTuple):
    """The facts of a stretch of time. ``every_leg`` holds the legs of other models than the chosen ones too."""

    legs: tuple[LegFact, ...]
    every_leg: tuple[LegFact, ...]
    turns: tuple[TurnFact, ...]
    routes: tuple[RouteFact, ...]

    def between(self, start: float, end: float) -> Facts:
        """Return what ended after ``start`` and not after ``end``."""

        def ended(at: float) -> bool:
            return start < at <= end

        return Facts(
            tuple(leg for leg in self.legs if ended(leg.at)),
            tuple(leg for leg in self.every_leg if ended(leg.at)),
            tuple(turn for turn in self.turns if ended(turn.at)),
            tuple(route for route in self.routes if ended(route.at)),
        )

    def of_patterns(self, *patterns: str) -> Facts:
        """Return what is left when patterns are chosen; routing has none."""

        def chosen(legs: tuple[LegFact, ...]) -> tuple[LegFact, ...]:
            return tuple(leg for leg in legs if leg.pattern in patterns)

        turns = tuple(turn for turn in self.turns if turn.pattern in patterns)
        return Facts(chosen(self.legs), chosen(self.every_leg), turns, self.routes)

    def of_models(self, *models: str) -> Facts:
        """Return what is left when models are chosen: turns have none."""
        return self._replace(legs=tuple(leg for leg in self.legs if leg.model in models))


def facts_of(turns: Iterable[DemoTurn]) -> Facts:
    """Return what the lines of turns say."""
    legs, ends, routes = [], [], []
    for turn in turns:
        for leg in turn.legs:
            data, usage = leg["data"], leg["data"]["usage"]
            legs.append(
                LegFact(
                    at=at(leg) / 1000,
                    pattern=turn.pattern,
                    kind=data["phaseKind"],
                    model=data["model"],
                    verdict=data["verdict"],
                    is_answer=data["phaseId"] == turn.answer_phase_id,
                    credits=usage["totalNanoAiu"] / 1e9,
                    calls=usage["requestCount"],
                    input=usage["inputTokens"],
                    cached=usage["cachedTokens"],
                    output=usage["outputTokens"],
                )
            )
        outcome: Any = turn.completed["data"]["outcome"]
        ends.append(TurnFact(at(turn.completed) / 1000, turn.pattern, outcome, len(turn.models) > 1, turn.seconds))
        route = turn.resolved["data"]
        routes.append(
            RouteFact(at(turn.resolved) / 1000, route["routeSource"], route["policy"], route["routingLatencyMs"] / 1000)
        )
    return Facts(tuple(legs), tuple(legs), tuple(ends), tuple(routes))


def grouped(facts: Iterable[_Fact], key: Callable[[_Fact], tuple[str, ...]], amount: Callable[[_Fact], float]) -> Series:
    """Return the sum of an amount for each key that there is."""
    found: defaultdict[tuple[str, ...], float] = defaultdict(float)
    for fact in facts:
        found[key(fact)] += amount(fact)
    return dict(found)
