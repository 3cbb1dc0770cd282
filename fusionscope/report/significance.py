"""Whether two samples differ by more than chance would have it: two tests, without a model of how the values are spread.

Both are two-sided and give a p-value: how often two samples of one and the same thing would differ at least as much. The
definitions are those of SciPy (``fisher_exact``, ``mannwhitneyu``), whose documented values the tests compare with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import erfc, exp, lgamma, sqrt

__all__ = ["fisher_exact", "mann_whitney"]

# Outcomes as likely as the one seen count as "at least as far off"; sums of logarithms may miss by a little.
_AS_LIKELY = 1 + 1e-7

# Up to this product of the sizes every order of the values is counted; beyond it the normal distribution is close.
_COUNTED = 400


def fisher_exact(part: int, whole: int, other_part: int, other_whole: int) -> float:
    """Return the p-value of Fisher's exact test: ``part`` of ``whole`` against ``other_part`` of ``other_whole``."""
    parts, total = part + other_part, whole + other_whole
    least, most = max(0, parts - other_whole), min(parts, whole)

    def log_likelihood(value: int) -> float:
        return _log_choose(whole, value) + _log_choose(other_whole, parts - value) - _log_choose(total, parts)

    limit = exp(log_likelihood(part)) * _AS_LIKELY
    found = (exp(log_likelihood(value)) for value in range(least, most + 1))
    return min(1.0, sum(each for each in found if each <= limit))


def mann_whitney(values: Sequence[float], others: Sequence[float]) -> float:
    """Return the p-value of the Mann-Whitney U test: whether values of one sample tend to be greater than those of the other.

    Exact for small samples without equal values; else from the normal distribution, with the correction for ties and for
    continuity. Samples in which all values are equal do not differ: 1.

    Raises:
        ValueError: a sample is empty.
    """
    if not values or not others:
        raise ValueError("a sample is empty")
    n, m = len(values), len(others)
    ranks, ties = _ranks([*values, *others])
    u = sum(ranks[:n]) - n * (n + 1) / 2
    greater = max(u, n * m - u)
    if not ties and n * m <= _COUNTED:
        return min(1.0, 2 * _at_least(round(greater), n, m))
    total = n + m
    variance = n * m / 12 * (total + 1 - sum(size**3 - size for size in ties) / (total * (total - 1)))
    if variance <= 0:
        return 1.0
    distance = (greater - n * m / 2 - 0.5) / sqrt(variance)
    return min(1.0, erfc(distance / sqrt(2)))


def _log_choose(whole: int, part: int) -> float:
    return lgamma(whole + 1) - lgamma(part + 1) - lgamma(whole - part + 1)


def _ranks(values: Sequence[float]) -> tuple[list[float], list[int]]:
    """Return the rank of each value from 1, equal ones sharing theirs, and how many share each shared rank."""
    counts = Counter(values)
    rank_of: dict[float, float] = {}
    below = 0
    for value in sorted(counts):
        rank_of[value] = below + (counts[value] + 1) / 2
        below += counts[value]
    return [rank_of[value] for value in values], [size for size in counts.values() if size > 1]


def _at_least(u: int, n: int, m: int) -> float:
    """Return the share of all orders of ``n`` and ``m`` distinct values whose U is ``u`` or more.

    Orders are counted by what the greatest value is: one of the ``n`` (it is above all ``m`` others) or one of the ``m``.
    """
    ways = [[1] + [0] * (n * m) for _ in range(m + 1)]
    for _ in range(n):
        following = [[1] + [0] * (n * m)]
        for others in range(1, m + 1):
            one = [0] * others + ways[others][: n * m + 1 - others]
            following.append([left + right for left, right in zip(one, following[others - 1], strict=True)])
        ways = following
    found = ways[m]
    return sum(found[u:]) / sum(found)
