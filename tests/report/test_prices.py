from __future__ import annotations

from random import Random

import pytest

from fusionscope.model import Leg
from fusionscope.report.prices import Prices, Refusal, fit_prices, prices_by_model
from tests.report.field_report import field_report
from tests.turns import leg


def used(fresh: int, cached: int, written: int, output: int, nano_aiu: int | None) -> Leg:
    return leg(
        input_tokens=fresh + cached + written, cached_tokens=cached, cache_write_tokens=written, output_tokens=output,
        nano_aiu=nano_aiu,
    )  # fmt: skip


def priced(prices: tuple[int, int, int, int], legs: int, noise: float = 0.0) -> list[Leg]:
    """Legs of random tokens that cost ``prices``, each off by up to ``noise`` of its cost."""
    rng = Random(7)
    found = []
    for _ in range(legs):
        tokens = rng.randint(100, 20_000), rng.randint(0, 90_000), rng.randint(0, 9_000), rng.randint(10, 3_000)
        cost = sum(price * number for price, number in zip(prices, tokens, strict=True))
        found.append(used(*tokens, nano_aiu=round(cost * (1 + noise * rng.uniform(-1, 1)))))
    return found


def test_the_field_report_gives_away_the_prices_of_the_model_with_most_legs() -> None:
    # the demo's amounts are 0.4, 0.04, 0.5 and 2 credits for a thousand tokens: a leg of 12 fresh, 11,000 cached ones and so on
    sol, *others = prices_by_model(field_report())
    assert sol == Prices("gpt-5.6-sol", 24, (400_000.0, 40_000.0, 500_000.0, 2_000_000.0), 0.0)
    assert [(each.model, each.legs) for each in others] == [
        ("claude-opus-5", 3), ("gpt-5.6-luna", 2), ("mai-code-1.1-flash", 2), ("gpt-5.6-terra", 1),
    ]  # fmt: skip
    assert all(isinstance(each, Refusal) for each in others)
    # the first turn of the report: 3 fresh, 6,661 cached, 3,696 written, 68 output tokens for 2.25164 credits
    assert sol.cost((3, 6_661, 3_696, 68)) == 2_251_640_000


def test_prices_come_out_whatever_they_are() -> None:
    found = fit_prices("m", priced((900_000, 90_000, 1_125_000, 4_500_000), 8))
    assert isinstance(found, Prices)
    assert (found.each, found.residual) == ((900_000, 90_000, 1_125_000, 4_500_000), 0)


def test_amounts_that_are_a_little_off_give_prices_that_are_a_little_off() -> None:
    found = fit_prices("m", priced((900_000, 90_000, 1_125_000, 4_500_000), 200, noise=0.02))
    assert isinstance(found, Prices)
    assert found.each == pytest.approx((900_000, 90_000, 1_125_000, 4_500_000), rel=0.05)
    assert 0.005 < found.residual < 0.02


def test_a_kind_of_token_that_never_came_has_no_price() -> None:
    found = fit_prices("m", [used(n * n + 1, 0, 0, 100 + n, 1000 * (n * n + 1) + 5_000 * (100 + n)) for n in range(8)])
    assert isinstance(found, Prices)
    assert found._replace(residual=0.0) == Prices("m", 8, (1000.0, None, None, 5000.0), 0.0)
    assert (found.cost((10, 0, 0, 1)), found.cost((10, 1, 0, 1))) == (15_000, None)


def test_no_price_is_below_nothing() -> None:
    # cost = 1000 fresh - 100 output; without output, least squares of cost on fresh alone
    legs = [used(100 * n, 0, 0, n * n, 100_000 * n - 100 * n * n) for n in range(1, 10)]
    found = fit_prices("m", legs)
    assert isinstance(found, Prices)
    assert found.each[0] == pytest.approx(
        sum(100 * n * (100_000 * n - 100 * n * n) for n in range(1, 10)) / sum((100 * n) ** 2 for n in range(1, 10))
    )
    assert found.each[1:] == (None, None, 0)


@pytest.mark.parametrize(
    ("legs", "sentence"),
    [
        (priced((1, 2, 3, 4), 7), "7 legs with known credits and tokens, fewer than the 8 it takes to tell four prices."),
        ([used(1, 1, 1, 1, None)] * 9, "0 legs with known credits"),
        ([used(100 * n, 0, 0, 10 * n, n) for n in range(1, 20)], "one and the same proportion"),
        ([used(n, 0, 0, n * n, 0) for n in range(1, 20)], "Its legs cost nothing"),
        (priced((1_000, 100, 0, 2_000), 20) + priced((9_000, 900, 0, 90_000), 20), "tokens alone do not explain it"),
    ],
    ids=["few", "unknown", "proportion", "free", "two prices"],
)
def test_prices_that_cannot_be_told_are_refused_with_a_sentence(legs: list[Leg], sentence: str) -> None:
    found = fit_prices("m", legs)
    assert isinstance(found, Refusal)
    assert sentence in found.sentence
