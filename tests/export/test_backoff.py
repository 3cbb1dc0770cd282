from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusionscope.export.backoff import wait_s


def test_waits_double_from_one_second_to_five_minutes() -> None:
    waits = [wait_s(failures, draw=lambda: 0.0) for failures in range(1, 12)]
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 250, 250, 250]


def test_chance_makes_a_wait_up_to_a_fifth_longer_and_never_more_than_five_minutes() -> None:
    waits = [wait_s(failures, draw=lambda: 1.0) for failures in (1, 2, 9, 10**9)]
    assert waits == pytest.approx([1.2, 2.4, 300, 300])


@given(st.integers(0, 10**6), st.floats(0, 1))
def test_any_wait_is_between_one_second_and_five_minutes(failures: int, drawn: float) -> None:
    assert 1 <= wait_s(failures, draw=lambda: drawn) <= 300.0000001


@pytest.mark.parametrize(("asked", "waited"), [(2.0, 2.0), (0.0, 1.0), (600.0, 600.0), (1e12, 86_400.0)])
def test_what_the_receiver_asks_for_wins(asked: float, waited: float) -> None:
    assert wait_s(5, asked) == waited
