"""Compared with the values that SciPy's documentation prints, and with counting every order there is."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusionscope.report.significance import fisher_exact, mann_whitney

# scipy.stats.mannwhitneyu: ages at which women and men are diagnosed, U = 17
MALES, FEMALES = [19, 22, 16, 29, 24], [20, 11, 17, 12]


def test_fishers_test_agrees_with_the_documentation_of_scipy() -> None:
    # scipy.stats.fisher_exact: [[6, 2], [1, 4]], and [[8, 2], [1, 5]] in older releases
    assert fisher_exact(6, 8, 1, 5) == pytest.approx(0.10256410256410257, rel=1e-9)
    assert fisher_exact(8, 10, 1, 6) == pytest.approx(0.034965034965034919, rel=1e-9)


def test_the_tea_taster_could_have_guessed() -> None:
    # 3 of 4 cups right: (16 + 1 + 16 + 1) of the 70 ways to choose 4 of 8
    assert fisher_exact(3, 4, 1, 4) == pytest.approx(34 / 70, rel=1e-9)


def test_equal_shares_do_not_differ_and_nothing_can_be_said_of_nothing() -> None:
    assert fisher_exact(0, 12, 0, 30) == fisher_exact(12, 12, 30, 30) == fisher_exact(0, 0, 3, 9) == 1


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 12), st.integers(0, 12))
def test_fishers_test_is_the_sum_of_all_tables_no_likelier(a: int, b: int, c: int, d: int) -> None:
    parts, whole = a + c, a + b + c + d
    likelihoods = {x: Fraction(comb(a + b, x) * comb(c + d, parts - x), comb(whole, parts)) for x in range(parts + 1)}
    expected = sum(each for each in likelihoods.values() if each <= likelihoods[a])
    assert fisher_exact(a, a + b, c, c + d) == pytest.approx(float(expected), rel=1e-9)


def test_large_counts_are_no_trouble() -> None:
    assert fisher_exact(50_000, 100_000, 50_000, 100_000) == 1
    assert fisher_exact(51_000, 100_000, 50_000, 100_000) < 0.0001


def test_mann_whitney_agrees_with_the_documentation_of_scipy() -> None:
    assert mann_whitney(MALES, FEMALES) == pytest.approx(0.1111111111111111, rel=1e-12)
    assert mann_whitney(FEMALES, MALES) == mann_whitney(MALES, FEMALES)


def test_with_equal_values_the_normal_distribution_is_used() -> None:
    # ranks of the first: 1.5, 1.5, 4, 6.5 = 13.5, so U = 3.5 of 20; ties of 2, 3 and 2 values
    # variance 20 / 12 * (10 - (6 + 24 + 6) / 72) = 15.8333; z = (16.5 - 10 - 0.5) / 3.97911 = 1.50787
    assert mann_whitney([1, 1, 2, 3], [2, 3, 2, 4, 5]) == pytest.approx(0.13159, abs=5e-6)


def test_the_normal_distribution_has_the_documented_value_too() -> None:
    # the same ages with use_continuity: 0.11134688653314041; ten times over, they are too many to count
    many = mann_whitney([age + shift / 100 for age in MALES for shift in range(10)],
                        [age + shift / 100 for age in FEMALES for shift in range(10)])  # fmt: skip
    # U = 17 * 100 of 2000, variance 50 * 40 * 91 / 12: z = (1700 - 1000 - 0.5) / 123.153
    assert many == pytest.approx(1.35e-8, rel=0.02)


@given(st.sets(st.integers(0, 30), min_size=2, max_size=9).flatmap(
    lambda values: st.tuples(st.permutations(sorted(values)), st.integers(1, len(values) - 1))))  # fmt: skip
def test_small_samples_are_compared_by_counting_every_order(drawn: tuple[list[int], int]) -> None:
    values, n = drawn
    one, other = values[:n], values[n:]

    def u(sample: set[int]) -> int:
        return sum(a > b for a in sample for b in set(values) - sample)

    greater = max(u(set(one)), len(one) * len(other) - u(set(one)))
    orders = [u(set(chosen)) for chosen in combinations(values, n)]
    expected = min(1.0, 2 * sum(each >= greater for each in orders) / len(orders))
    assert mann_whitney(one, other) == pytest.approx(expected, rel=1e-12)


def test_samples_of_one_value_do_not_differ_and_none_is_refused() -> None:
    assert mann_whitney([0.0] * 30, [0.0] * 9) == 1
    with pytest.raises(ValueError, match="empty"):
        mann_whitney([], [1])
