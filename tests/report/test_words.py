from __future__ import annotations

from typing import Any

import pytest

from fusionscope.model import Leg, Turn
from fusionscope.report import words
from fusionscope.report.timeline import timeline
from fusionscope.report.words import Fate
from tests.turns import CASCADE, TEN, leg, turn


def _notes(turned: Turn) -> list[str]:
    return [("! " if note.warning else "") + note.text for note in words.notes(turned, timeline(turned))]


@pytest.mark.parametrize(
    ("pattern", "fields", "expected"),
    [
        ("single", {}, "answered"),
        ("cascade", {}, "drafted"),
        (None, {"is_answer": True}, "answered"),
        (None, {}, "primary"),
        ("cascade", {"kind": "judge"}, "judged"),
        ("cascade", {"kind": "repair"}, "repaired"),
        ("critique", {"kind": "draft"}, "drafted"),
        ("critique", {"kind": "critic"}, "criticised"),
        ("critique", {"kind": "revision"}, "revised"),
        ("single", {"kind": "follow_up"}, "followed up"),
        ("debate", {"kind": "arbiter\x1b"}, "arbiter\ufffd"),
        ("single", {"status": "failed"}, "primary"),
    ],
)
def test_a_leg_has_a_verb_or_its_kind(pattern: str | None, fields: dict[str, Any], expected: str) -> None:
    part = leg(**fields)
    assert words.verb(turn("f1", part, pattern=pattern), part) == expected


def _fates(*legs: Leg, **fields: Any) -> list[Fate]:
    return list(words.fates(turn("f1", *legs, **fields)))


def test_a_rejected_draft_is_superseded_by_the_answer() -> None:
    assert list(words.fates(CASCADE)) == [Fate.SUPERSEDED, Fate.OTHER, Fate.ANSWER]


def test_a_draft_is_superseded_as_soon_as_the_judge_rejects_it() -> None:
    judge = leg("f1:j", kind="judge", scope="review", verdict="reject")
    assert _fates(leg(), judge, state="open") == [Fate.SUPERSEDED, Fate.OTHER]
    assert _fates(leg(), judge._replace(verdict="accept"), state="open") == [Fate.OTHER, Fate.OTHER]


def test_an_accepted_draft_is_the_answer_and_not_superseded() -> None:
    assert _fates(leg(is_answer=True), leg("f1:j", kind="judge", verdict="accept")) == [Fate.ANSWER, Fate.OTHER]


def test_a_draft_whose_answer_leg_is_not_in_the_log_is_superseded() -> None:
    assert _fates(leg(), answer_phase_id="f1:p9") == [Fate.SUPERSEDED]


def test_a_revision_after_the_answer_was_not_used() -> None:
    parts = leg(kind="draft", is_answer=True), leg("f1:c", kind="critic"), leg("f1:r", kind="revision")
    assert _fates(*parts) == [Fate.ANSWER, Fate.OTHER, Fate.UNUSED]


def test_failed_and_cancelled_legs_are_said_to_be_so() -> None:
    assert _fates(leg(status="failed"), leg("f1:p1", status="cancelled"), leg("f1:p2", status="paused")) == [
        Fate.FAILED,
        Fate.CANCELLED,
        Fate.OTHER,
    ]


def test_a_remark_is_the_verdict_and_the_fate() -> None:
    assert words.remark(leg(), Fate.SUPERSEDED) == "superseded"
    assert words.remark(leg(verdict="reject"), Fate.OTHER) == "reject"
    assert words.remark(leg(verdict="accept"), Fate.ANSWER) == "accept, the answer"
    assert words.remark(leg(status="failed"), Fate.FAILED) == "failed"
    assert words.remark(leg(status="paused"), Fate.OTHER) == "paused"
    assert words.remark(leg(), Fate.OTHER) == ""


def test_completed_is_not_worth_a_word() -> None:
    assert words.state(turn("f1")) == ""
    assert words.state(turn("f1", state="open")) == "open"
    assert words.state(turn("f1", state="degraded", rewound=True)) == "degraded, rewound"


def test_a_turn_of_which_the_log_lacks_a_leg_or_the_start_is_incomplete() -> None:
    assert words.state(turn("f1", leg(), reported_phases=3)) == "incomplete"
    assert words.state(turn("f1", leg(), policy=None, contract_version=None, state="abandoned")) == "abandoned, incomplete"
    assert words.state(turn("f1", state="open")) == "open"
    # nobody asked for a route: it failed
    assert words.state(turn("a1", route_failure="router_timeout", policy=None, contract_version=None)) == ""


def test_work_that_goes_on_after_a_leg_is_said() -> None:
    assert _notes(turn("f1", leg(is_answer=True, background_work=True))) == [
        "m-small ended as primary with work going on in the background"
    ]


def test_a_result_is_the_state_and_the_verdict() -> None:
    assert words.result(CASCADE) == "reject"
    assert words.result(CASCADE._replace(state="abandoned")) == "abandoned, reject"
    assert words.result(turn("f1")) == ""


def test_the_time_of_a_turn_without_an_end_is_what_was_seen_of_it() -> None:
    unfinished = turn("f1", state="open", duration_ms=None, ended_at=None, last_event_at=TEN + 22_000)
    assert words.time_taken(unfinished) == "22 s so far"
    assert words.time_taken(unfinished._replace(state="abandoned")) == "22 s seen"
    assert words.time_taken(CASCADE) == "1 min 16 s"


def test_the_cascade_turn_has_only_its_review_share_to_note() -> None:
    assert _notes(CASCADE) == ["review share 20.6 %: 3.03 of 14.72 credits on legs that are not the answer"]


def test_a_plain_turn_has_no_notes() -> None:
    assert _notes(turn("f1", leg(is_answer=True))) == []


def test_a_failed_route_says_why_and_who_served() -> None:
    failed = turn("a1", pattern=None, state="failed", route_failure="router_timeout", fallback_model="m-big")
    assert words.pattern(failed) == "not fused"
    assert words.state(failed) == ""
    assert _notes(failed) == ["! not fused: router_timeout, served by m-big"]


def test_a_degraded_turn_says_why_and_who_took_over() -> None:
    failed = leg(status="failed", reason="primary_call_failed", degraded_to="f1:p1", nano_aiu=None)
    heir = leg("f1:p1", model="m-big", is_answer=True)
    assert _notes(turn("f1", failed, heir, state="degraded", degraded_reason="primary_failed")) == [
        "! degraded: primary_failed",
        "! m-small failed as primary: primary_call_failed; m-big took over",
        "! 1 of 2 legs not metered: the log says no credits",
    ]


def test_a_failed_leg_whose_heir_is_not_in_the_log_names_the_phase() -> None:
    failed = leg(status="failed", degraded_to="f1:p9")
    assert _notes(turn("f1", failed)) == ["! m-small failed as primary; f1:p9 was to take over"]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"state": "abandoned"}, "! abandoned: the log has no end of this turn"),
        ({"state": "failed", "outcome": None, "answer_phase_id": None}, "! failed: no answer came of this turn"),
        ({"state": "failed", "outcome": "error"}, "! failed: error"),
        (
            {"state": "cancelled", "outcome": "cancelled", "answer_phase_id": None},
            "! cancelled: no answer came of this turn",
        ),
        ({"state": "cancelled", "outcome": "cancelled"}, "! cancelled: the log names an answer all the same"),
        ({"rewound": True}, "! rewound: the session went back to before this turn; what it cost was spent"),
        ({"awaiting_background_work": True}, "! work went on in the background after the end of this turn"),
        ({"reported_phases": 3}, "! 2 of 3 legs missing: not in the log"),
        ({"policy": None, "contract_version": None}, "! start not in log: nothing is known of the route of this turn"),
        ({"started_at": TEN + 8_000}, "! the clock moved during this turn: its legs are drawn one after the other, "),
        ({"reported_nano_aiu": 600_000_000}, "! not itemised: 0.10 credits (total 0.60, legs 0.50)"),
        ({"reported_nano_aiu": 400_000_000}, "! the legs add up to 0.50 credits, the turn's total says 0.40"),
        ({"duration_ms": 3_000.0}, "! legs ran outside the turn's own 3.0 s: the axis covers them all"),
    ],
)
def test_what_is_odd_about_a_turn_is_said(fields: dict[str, Any], expected: str) -> None:
    said = _notes(turn("f1", leg(is_answer=True), **fields))
    assert [text for text in said if text.startswith(expected)]


def test_more_cached_than_input_tokens_are_said() -> None:
    assert _notes(turn("f1", leg(input_tokens=10, cached_tokens=11))) == [
        "! the log counts more cached tokens than input tokens: fresh ones are shown as 0"
    ]


def test_an_open_turn_says_its_review_share_so_far() -> None:
    judge = leg("f1:j", kind="judge", scope="review", nano_aiu=1_500_000_000)
    unfinished = turn("f1", leg(), judge, state="open", reported_nano_aiu=None)
    assert _notes(unfinished) == ["review share 75.0 % so far: 1.50 of 2.00 credits on legs that are not the answer"]
