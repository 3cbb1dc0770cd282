from __future__ import annotations

from pathlib import Path

from fusionscope.demo import write_demo
from fusionscope.report.summed_worth import Worth, worth_of_review
from fusionscope.report.worth import median_single, review_worth
from fusionscope.store.read import Selection
from fusionscope.store.totals import CheckTotals, checks
from tests.conftest import Stage

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


def test_sums_say_what_the_turns_say(stage: Stage, tmp_path: Path) -> None:
    stage.index(write_demo(tmp_path / "demo"))
    turns = stage.turns()
    told = [each[:-1] for each in review_worth(turns)]  # without what went to rejected drafts, which the page does not show
    assert told
    assert [tuple(each) for each in worth_of_review(checks(stage.connection, Selection()), median_single(turns))] == told
