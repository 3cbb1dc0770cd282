from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from fusionscope.model import OrdinaryTurn
from fusionscope.report.budget import Budget, budget
from fusionscope.report.days import Month
from tests.logs import CREDIT
from tests.report.field_report import field_report
from tests.turns import leg, turn

SEPTEMBER = Month(date(2026, 9, 1), UTC)


def at(day: int, hour: int = 0) -> int:
    return round(datetime(2026, 9, day, hour, tzinfo=UTC).timestamp() * 1000)


def ordinary(nano_aiu: int | None, *models: str, **fields: Any) -> OrdinaryTurn:
    metered = 0 if nano_aiu is None else 1
    values: dict[str, Any] = dict.fromkeys(OrdinaryTurn._fields)
    values |= {"models": models, "nano_aiu": nano_aiu, "calls": 1, "metered": metered}
    return OrdinaryTurn(**values | fields)


def spending(amount: int, limit: int, now: int) -> Budget:
    return budget([turn("f1", leg(nano_aiu=amount * CREDIT))], [], SEPTEMBER, now, limit * CREDIT)


def test_the_field_report_in_a_month_of_7000() -> None:
    made = budget(field_report(), [], SEPTEMBER, at(10, 12), 7000 * CREDIT)
    # 9.5 days are over: 314.600484 / 9.5 = 33.115840 credits a day, and 30 days of that
    assert (made.spent, made.per_day, made.at_end) == (314_600_484_000, 33_115_840_421, 993_475_212_631)
    assert (made.runs_out_at, made.is_over) == (None, False)
    assert (made.model, f"{made.share(made.model_nano_aiu):.3f}") == ("gpt-5.6-sol", "0.574")


def test_it_runs_out_when_the_rate_says_so() -> None:
    # 10 days cost 500: 50 a day, so the 500 left last 10 days more
    assert spending(500, 1000, at(11)).runs_out_at == at(21)
    assert spending(500, 1500, at(11)).runs_out_at is None  # the end of the month is not within it
    assert spending(500, 1499, at(11)).runs_out_at is not None


def test_over_is_more_than_the_limit_and_the_moment_was_before() -> None:
    exactly, more = spending(1000, 1000, at(11)), spending(2000, 1000, at(11))
    assert (exactly.is_over, exactly.runs_out_at) == (False, at(11))
    assert (more.is_over, more.runs_out_at) == (True, at(6))


def test_the_first_day_counts_as_whole() -> None:
    assert spending(24, 7000, at(1, 1)).per_day == 24 * CREDIT


def test_nothing_spent_has_no_rate_and_no_shares() -> None:
    made = budget([], [], SEPTEMBER, at(11), CREDIT)
    assert (made.spent, made.per_day, made.runs_out_at, made.share(0), made.model) == (0, 0, None, None, None)


def test_ordinary_turns_are_added_where_their_cost_is_known() -> None:
    turns = [turn("f1", leg(nano_aiu=2 * CREDIT, model="a")), turn("f2", leg(nano_aiu=None), reported_nano_aiu=None)]
    others = [ordinary(3 * CREDIT, "b"), ordinary(9 * CREDIT, "a", "c"), ordinary(None, "b"), ordinary(CREDIT, "b", calls=2)]
    made = budget(turns, others, SEPTEMBER, at(11), 100 * CREDIT)
    assert (made.fusion, made.ordinary, made.spent) == (2 * CREDIT, 13 * CREDIT, 15 * CREDIT)
    assert (made.unmetered_fusion, made.unmetered_ordinary) == (1, 2)
    # nine credits went to a and c, nobody knows how much to each
    assert (made.model, made.model_nano_aiu) == ("b", 4 * CREDIT)
