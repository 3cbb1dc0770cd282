from __future__ import annotations

from typing import Any

from fusionscope.model import Turn
from fusionscope.report.worth import PairWorth, review_worth
from tests.logs import CREDIT
from tests.report.field_report import field_report
from tests.turns import CASCADE, leg, turn

SINGLE = turn("s", leg(nano_aiu=8 * CREDIT, is_answer=True))


def cascade(fusion_id: str, verdict: str, draft: int = CREDIT, check: int = 2 * CREDIT, **fields: Any) -> Turn:
    return turn(
        fusion_id, leg(model="d", nano_aiu=draft, is_answer=verdict == "accept"),
        leg("f1:p1", kind="judge", scope="review", model="j", verdict=verdict, nano_aiu=check), pattern="cascade", **fields,
    )  # fmt: skip


def test_the_pairs_of_the_field_report() -> None:
    # the accepted turn cost 2.390052 and the median single one 7.97182
    assert review_worth(field_report()) == [
        PairWorth("mai-code-1.1-flash", "gpt-5.6-sol", 1, 1, 0, 2_047_700_000 + 2_457_200_000, 5_581_768_000,
                  575_436_000 + 2_457_200_000),
        PairWorth("gpt-5.6-luna", "gpt-5.6-sol", 0, 1, 0, 515_380_000, None, 659_548_000 + 515_380_000),
    ]  # fmt: skip


def test_accepted_drafts_may_cost_more_than_they_save() -> None:
    (pair,) = review_worth([SINGLE, cascade("f1", "accept", draft=9 * CREDIT)])
    assert pair.saved_nano_aiu == 8 * CREDIT - 11 * CREDIT


def test_a_turn_of_unknown_cost_and_none_to_compare_with_save_nothing_known() -> None:
    accepted = cascade("f1", "accept")
    unknown = cascade("f2", "accept", draft=0, check=0, reported_nano_aiu=None)._replace(legs=())
    (pair,) = review_worth([accepted, unknown])
    assert (pair.accepted, pair.saved_nano_aiu) == (1, None)


def test_a_verdict_of_another_kind_is_neither() -> None:
    (pair,) = review_worth([SINGLE, cascade("f1", "unsure")])
    assert (pair.accepted, pair.rejected, pair.other, pair.rejected_nano_aiu) == (0, 0, 1, 0)


def test_the_draft_is_what_was_written_last_before_the_check_and_not_what_failed() -> None:
    tried = turn(
        "f1", leg(model="first", nano_aiu=CREDIT), leg("f1:p1", model="second", nano_aiu=3 * CREDIT, status="failed"),
        leg("f1:p2", kind="judge", scope="review", model="j", verdict="reject", nano_aiu=CREDIT),
        leg("f1:p3", kind="repair", model="third", nano_aiu=CREDIT, is_answer=True), pattern="cascade",
    )  # fmt: skip
    (pair,) = review_worth([tried])
    assert (pair.drafter, pair.rejected_nano_aiu) == ("first", 2 * CREDIT)
    (alone,) = review_worth([CASCADE._replace(legs=CASCADE.legs[1:])])
    assert (alone.drafter, alone.rejected_nano_aiu) == (None, 2_457_200_000)
