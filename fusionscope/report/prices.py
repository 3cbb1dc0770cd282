"""What a model asks for a token, as the store has seen it: fitted to its legs by least squares.

The log says what a leg cost and how many tokens of each kind it used, never a price. Where a leg's cost is the sum of four
prices times tokens, its legs give them away. The sums are of whole numbers and fractions, so nothing is lost on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from math import sqrt
from typing import NamedTuple

from fusionscope.model import Leg, Turn

__all__ = ["LEAST_LEGS", "MOST_RESIDUAL", "TOKEN_KINDS", "Prices", "Refusal", "fit_prices", "prices_by_model", "tokens_of"]

#: the kinds of token that have a price each, as ``tokens_of`` gives them
TOKEN_KINDS = ("fresh", "cached", "cache_written", "output")

#: fewer legs than this fit any four prices too well to mean anything: two for each price
LEAST_LEGS = 8

#: legs that miss the fitted prices by more than this share of their cost were not priced by tokens alone, or not by one price
MOST_RESIDUAL = 0.05

Tokens = tuple[int, int, int, int]


class Prices(NamedTuple):
    """Nano-AIU a token for each of ``TOKEN_KINDS``, fitted to ``legs`` legs; ``None``: no leg of the model had such tokens.

    ``residual`` is by how much the legs miss the prices: the root of the mean square of the differences, as a share of the mean
    cost of a leg.
    """

    model: str
    legs: int
    each: tuple[float | None, float | None, float | None, float | None]
    residual: float

    def cost(self, tokens: Tokens) -> int | None:
        """Return the nano-AIU of so many tokens of each kind; ``None`` where the price of some is not known."""
        total = 0.0
        for price, number in zip(self.each, tokens, strict=True):
            if price is None:
                if number:
                    return None
            else:
                total += price * number
        return round(total)


class Refusal(NamedTuple):
    """Why a model's prices cannot be told, in one sentence; ``legs`` of it have a known cost and tokens."""

    model: str
    legs: int
    sentence: str


def tokens_of(leg: Leg) -> Tokens:
    """Return the tokens of a leg by kind."""
    return leg.fresh_tokens, leg.cached_tokens, leg.cache_write_tokens, leg.output_tokens


def prices_by_model(turns: Sequence[Turn]) -> list[Prices | Refusal]:
    """Return the prices of every model that ran a leg, or why they cannot be told; most legs first, then by name."""
    legs: dict[str, list[Leg]] = {}
    for turn in turns:
        for leg in turn.legs:
            legs.setdefault(leg.model, []).append(leg)
    found = [fit_prices(model, each) for model, each in legs.items()]
    return sorted(found, key=lambda each: (-each.legs, each.model))


def fit_prices(model: str, legs: Iterable[Leg]) -> Prices | Refusal:
    """Return the prices that fit the legs of one model best, none of them below 0, or why they cannot be told."""
    seen = [(tokens_of(leg), leg.nano_aiu) for leg in legs]
    usable = [(tokens, cost) for tokens, cost in seen if cost is not None and any(tokens)]
    if len(usable) < LEAST_LEGS:
        sentence = (
            f"{len(usable)} legs with known credits and tokens, fewer than the {LEAST_LEGS} it takes to tell four prices."
        )
        return Refusal(model, len(usable), sentence.replace("1 legs", "1 leg"))
    if not any(cost for _, cost in usable):
        return Refusal(model, len(usable), "Its legs cost nothing, whatever tokens they used.")
    used = [kind for kind in range(len(TOKEN_KINDS)) if any(tokens[kind] for tokens, _ in usable)]
    sums = _Sums(usable, used)
    best = sums.best()
    if best is None:
        return Refusal(
            model, len(usable), "Its legs used the kinds of token in one and the same proportion: no price can be told."
        )
    residual = sums.residual(best)
    if residual > MOST_RESIDUAL:
        sentence = (
            f"Its legs miss any one price a token by {100 * residual:.0f} % of their cost: tokens alone do not explain it."
        )
        return Refusal(model, len(usable), sentence)
    prices = dict(zip(used, best, strict=True))
    each = tuple(float(prices[kind]) if kind in prices else None for kind in range(len(TOKEN_KINDS)))
    return Prices(model, len(usable), (each[0], each[1], each[2], each[3]), residual)


class _Sums:
    """The normal equations of cost = tokens times prices over some legs, in whole numbers."""

    def __init__(self, legs: Sequence[tuple[Tokens, int]], used: Sequence[int]) -> None:
        self._legs = len(legs)
        self._squares = [[sum(tokens[a] * tokens[b] for tokens, _ in legs) for b in used] for a in used]
        self._products = [sum(tokens[a] * cost for tokens, cost in legs) for a in used]
        self._cost = sum(cost for _, cost in legs)
        self._cost_squares = sum(cost * cost for _, cost in legs)

    def best(self) -> list[Fraction] | None:
        """Return the prices of least squares among those that are not below 0; ``None`` where they cannot be told apart.

        Four prices at most: where the free solution has one below 0, the best is among those that hold some of them at 0.
        """
        places = range(len(self._products))
        whole = self._solve(tuple(places))
        if whole is None:
            return None
        if min(whole) >= 0:
            return whole
        candidates = [[Fraction(0)] * len(places)]
        for size in range(1, len(places)):
            for free in combinations(places, size):
                solved = self._solve(free)
                if solved is not None and min(solved) >= 0:
                    candidates.append(solved)
        return min(candidates, key=self._squared_miss)

    def residual(self, prices: Sequence[Fraction]) -> float:
        """Return the root of the mean square of what the legs miss ``prices`` by, as a share of the mean cost of a leg."""
        return sqrt(self._squared_miss(prices) / self._legs) / (self._cost / self._legs)

    def _squared_miss(self, prices: Sequence[Fraction]) -> Fraction:
        fitted = sum((a * self._products[place] for place, a in enumerate(prices)), Fraction(0))
        squared = sum(
            (a * b * self._squares[one][other] for one, a in enumerate(prices) for other, b in enumerate(prices)), Fraction(0)
        )
        return self._cost_squares - 2 * fitted + squared

    def _solve(self, free: tuple[int, ...]) -> list[Fraction] | None:
        """Return the prices with all but the ``free`` ones at 0, by elimination; ``None`` where there is not one solution."""
        rows = [[Fraction(self._squares[a][b]) for b in free] + [Fraction(self._products[a])] for a in free]
        for place in range(len(rows)):
            pivot = next((number for number in range(place, len(rows)) if rows[number][place]), None)
            if pivot is None:
                return None
            rows[place], rows[pivot] = rows[pivot], rows[place]
            rows[place] = [value / rows[place][place] for value in rows[place]]
            for number, row in enumerate(rows):
                if number != place and row[place]:
                    rows[number] = [value - row[place] * top for value, top in zip(row, rows[place], strict=True)]
        prices = [Fraction(0)] * len(self._products)
        for place, row in zip(free, rows, strict=True):
            prices[place] = row[-1]
        return prices
