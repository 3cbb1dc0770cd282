from __future__ import annotations

import pytest

from fusionscope.model import Critic, PlannedLeg, Turn
from fusionscope.report.plan import not_run
from tests.turns import CASCADE, leg, turn


def _plan(*kinds: str) -> tuple[PlannedLeg, ...]:
    """A plan of these kinds; those that begin with a question mark are conditional."""
    return tuple(PlannedLeg(kind.lstrip("?"), "r", "root", kind.startswith("?")) for kind in kinds)


def _left(turned: Turn) -> list[tuple[str, str | None, str]]:
    return [(found.planned.kind, found.model, found.word) for found in not_run(turned)]


def test_a_plan_that_ran_whole_leaves_nothing() -> None:
    assert not_run(CASCADE) == []
    assert not_run(turn("f1", leg())) == []


def test_legs_are_told_by_kind_and_number_and_one_that_was_tried_again_ran_once() -> None:
    parts = leg(kind="draft"), leg("f1:c1", kind="critic", status="failed"), leg("f1:c1", kind="critic", attempt=1)
    turned = turn("f1", *parts, planned=_plan("draft", "critic", "critic", "?revision"))
    assert _left(turned) == [("critic", None, "never ran"), ("revision", None, "not needed")]


@pytest.mark.parametrize(
    ("state", "unconditional", "conditional"),
    [
        ("open", "not yet", "only if asked for"),
        ("completed", "never ran", "not needed"),
        ("degraded", "never ran", "not asked for"),
        ("failed", "never ran", "not asked for"),
        ("cancelled", "never ran", "not asked for"),
        ("abandoned", "never ran", "not asked for"),
    ],
)
def test_a_leg_that_nobody_asked_for_has_other_words_than_one_that_should_have_run(
    state: str, unconditional: str, conditional: str
) -> None:
    turned = turn("f1", leg(), state=state, planned=_plan("primary", "judge", "?repair"))
    assert [word for _, _, word in _left(turned)] == [unconditional, conditional]


def test_a_leg_has_the_model_that_the_route_names_for_its_kind() -> None:
    planned = _plan("primary", "draft", "judge", "critic", "repair", "revision")
    named = turn("f1", planned=planned, primary_model="m-p", secondary_model="m-s", judge_model="m-j", repair_model="m-r")
    assert [model for _, model, _ in _left(named)] == ["m-p", "m-p", "m-j", "m-s", "m-r", None]
    assert [model for _, model, _ in _left(named._replace(judge_model=None, repair_model=None))][2::2] == ["m-s", None]


def test_of_critics_there_are_as_many_as_the_route_names_and_the_missing_ones_are_known_by_phase_or_model() -> None:
    critics = Critic("m-a", "f1:c1", None), Critic("m-b", "f1:c2", None), Critic("m-c", None, None), Critic("m-c", None, None)
    ran = leg("f1:c2", kind="critic", model="m-b"), leg("f1:x", kind="critic", model="m-c")
    turned = turn("f1", *ran, planned=_plan("critic"), critics=critics)
    assert [(kind, model) for kind, model, _ in _left(turned)] == [("critic", "m-a"), ("critic", "m-c")]


def test_critics_without_a_plan_are_no_promise() -> None:
    assert not_run(turn("f1", critics=(Critic("m-a", None, None),))) == []
