from __future__ import annotations

from fusionscope.report.worth import Worth, worth_of_review
from fusionscope.store.totals import CheckTotals

CREDIT = 1_000_000_000


def test_accepted_drafts_are_worth_what_they_cost_less_than_median_single_turns() -> None:
    checks = [
        # two turns of 5 credits together, where two single turns of 4 would have cost 8
        CheckTotals("m-small", "m-judge", "accept", 2, 3 * CREDIT, 2, 5 * CREDIT),
        CheckTotals("m-small", "m-judge", "reject", 1, CREDIT, 1, 20 * CREDIT),
        CheckTotals("m-small", "m-judge", "unsure", 1, CREDIT, 1, 7 * CREDIT),
    ]
    assert worth_of_review(checks, 4 * CREDIT) == [Worth("m-small", "m-judge", 2, 1, 1, 5 * CREDIT, 3 * CREDIT)]


def test_an_accepted_draft_may_cost_more_than_a_single_turn() -> None:
    checks = [CheckTotals("a", "b", "accept", 1, CREDIT, 1, 9 * CREDIT)]
    assert worth_of_review(checks, 4 * CREDIT)[0].saved_nano_aiu == -5 * CREDIT


def test_nothing_is_saved_where_there_is_nothing_to_compare() -> None:
    accepted = CheckTotals("a", "b", "accept", 1, CREDIT, 1, 9 * CREDIT)
    unknown = CheckTotals("a", "b", "accept", 1, CREDIT, 0, 0)
    rejected = CheckTotals("a", "b", "reject", 1, CREDIT, 1, 9 * CREDIT)
    assert worth_of_review([accepted], None)[0].saved_nano_aiu is None
    assert worth_of_review([unknown], CREDIT)[0].saved_nano_aiu is None
    assert worth_of_review([rejected], CREDIT)[0].saved_nano_aiu is None
    assert worth_of_review([], CREDIT) == []


def test_pairs_stand_in_the_order_of_their_checks() -> None:
    checks = [
        CheckTotals(None, "b", "reject", 1, 0, 1, 0),
        CheckTotals("z", "b", "accept", 2, 0, 1, 0),
        CheckTotals("a", "b", "reject", 1, 0, 1, 0),
    ]
    assert [(each.drafter, each.judge) for each in worth_of_review(checks, None)] == [("z", "b"), (None, "b"), ("a", "b")]
