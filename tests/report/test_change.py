from __future__ import annotations

import pytest

from fusionscope.report.change import growth, growth_text, points, points_text
from fusionscope.report.figures import Rate


def test_growth_is_a_part_of_what_was_before() -> None:
    assert (growth(3, 2), growth(1, 2), growth(2, 2)) == (0.5, -0.5, 0.0)
    assert (growth(3, 0), growth(3, None), growth(None, 3)) == (None, None, None)


def test_a_rate_moves_by_points() -> None:
    quarter, fifth, none = Rate(1, 4, 0.25), Rate(1, 5, 0.2), Rate(0, 0, None)
    assert points(quarter, fifth) == pytest.approx(0.05)
    assert (points(quarter, none), points(none, quarter)) == (None, None)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "+50 %"), (-0.032, "-3.2 %"), (0.0, "unchanged"), (0.0004, "unchanged"), (8.99, "+899 %"), (24.0, "25 times")],
)
def test_growth_in_words(value: float, text: str) -> None:
    assert growth_text(value) == text


@pytest.mark.parametrize(("value", "text"), [(0.05, "+5.0 points"), (-0.003, "-0.3 points"), (0.0002, "unchanged")])
def test_points_in_words(value: float, text: str) -> None:
    assert points_text(value) == text
