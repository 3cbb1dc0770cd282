"""Shutdown totals as one amount: cumulative, per segment, after a rewind, of two CLIs at once. Fault kind E; O13 to O16."""

from __future__ import annotations

import json

import pytest

from fusionscope.store.database import DamagedError
from fusionscope.store.shutdowns import Mark, Totals, shutdown, totals
from tests.logs import CREDIT


def said(spent: float | None, requests: int | None = None, started: int | None = 0, status: str | None = "complete") -> str:
    of_model = dict.fromkeys(("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens", "nano_aiu"))
    models = {} if requests is None else {"m": {**of_model, "requests": requests}}
    nano_aiu = None if spent is None else round(spent * CREDIT)
    return json.dumps(
        {"nano_aiu": nano_aiu, "credits_status": status, "session_started_at": started, "models": models, "covers": []}
    )


def read(*marks: str | tuple[str, str]) -> Totals:
    """The totals of marks one millisecond apart; a shutdown is a pair of the word and its JSON."""
    made = [Mark(at, *(mark if isinstance(mark, tuple) else (mark, None))) for at, mark in enumerate(marks)]
    found = totals(made)
    assert found is not None
    return found


def total(spent: float | None, requests: int | None = None, started: int | None = 0) -> tuple[str, str]:
    return "shutdown", said(spent, requests, started)


def test_a_session_that_was_never_shut_down_has_no_totals() -> None:
    assert totals([Mark(0, "start", None), Mark(1, "resume", None)]) is None


def test_totals_that_grow_are_cumulative_and_the_last_counts() -> None:
    found = read("start", total(12.5), "resume", total(25.0))
    assert (found.nano_aiu, len(found.segments), found.shutdowns, found.last_at) == (25 * CREDIT, 1, 2, 3)


def test_totals_that_name_another_start_of_the_session_are_segments_to_be_added() -> None:
    found = read("start", total(12.5, started=100), "resume", total(12.5, started=200), "resume", total(20.0, started=300))
    assert (found.nano_aiu, len(found.segments)) == (45 * CREDIT, 3)


def test_a_lower_total_after_a_rewind_forgot_what_was_removed_and_is_the_last_word() -> None:
    found = read("start", total(37.5), "resume", "rewind", total(25.0))
    assert (found.nano_aiu, len(found.segments)) == (25 * CREDIT, 1)


def test_a_lower_total_without_a_rewind_counts_from_zero_and_is_added() -> None:
    found = read("start", total(12.5), "resume", total(2.5), "resume", total(4.0))
    # the third is higher than the second again: it holds it
    assert (found.nano_aiu, len(found.segments)) == (16_500_000_000, 2)


def test_of_two_clis_at_once_the_higher_total_counts_and_what_it_leaves_out_is_known() -> None:
    found = read("start", total(3), "resume", "resume", total(5), total(4))
    # both began at 3: one added 2, the other 1, which the higher one does not hold
    assert (found.nano_aiu, len(found.segments), found.parallel_nano_aiu) == (5 * CREDIT, 1, CREDIT)
    assert found.last_at == 5


def test_a_killed_run_is_not_taken_for_a_second_cli() -> None:
    found = read("start", total(3), "resume", "resume", total(5))
    assert (found.nano_aiu, found.parallel_nano_aiu) == (5 * CREDIT, 0)


def test_without_credits_the_model_calls_tell_a_segment() -> None:
    found = read(
        "start", ("shutdown", said(0, 4, status="unavailable")), "resume", ("shutdown", said(0, 1, status="unavailable"))
    )
    assert (found.nano_aiu, found.requests, len(found.segments)) == (None, 5, 2)


@pytest.mark.parametrize(
    ("spent", "requests", "status", "expected"),
    [
        (0, 2, "unavailable", None),
        (3, 2, "unavailable", None),
        (0, 2, None, None),  # CLI 1.0.84 writes 0 for what was not metered
        (0, 2, "complete", 0),
        (0, None, None, 0),  # nothing was called
        (None, 2, "complete", None),
        (3, 2, "partial", 3 * CREDIT),
    ],
)
def test_an_amount_of_nothing_is_a_claim_only_where_it_can_be_one(
    spent: float | None, requests: int | None, status: str | None, expected: int | None
) -> None:
    found = read("start", ("shutdown", said(spent, requests, status=status)))
    assert found.nano_aiu == expected
    assert found.is_subtotal == (expected is None or status == "partial")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"models": 1}', said(1).replace('"covers": []', '"covers": 5')])
def test_totals_that_nobody_wrote_are_damage(text: str) -> None:
    with pytest.raises(DamagedError):
        shutdown(0, text)
