from __future__ import annotations

from math import isclose

import pytest
from hypothesis import given

from fusionscope.model import Turn
from fusionscope.report import figures
from fusionscope.report.figures import KindFigures, Latency, ModelFigures, PatternFigures, Rate, Tokens
from tests.report.strategies import many_turns, some
from tests.turns import CASCADE, leg, turn

CREDIT = 1_000_000_000

#: draft and critic, 4 s, 3 + 1 credits; the draft is the answer
CRITIQUE = turn(
    "f2",
    leg("f2:p0", kind="draft", model="m-big", nano_aiu=3 * CREDIT, is_answer=True),
    leg("f2:p1", kind="critic", scope="review", nano_aiu=CREDIT),
    session_id="s2",
    pattern="critique",
    duration_ms=4_000.0,
    routing_latency_ms=400.0,
)
SINGLES = [
    turn("f3", leg(nano_aiu=CREDIT, is_answer=True), duration_ms=1_000.0),
    turn("f4", leg(nano_aiu=2 * CREDIT, is_answer=True), duration_ms=2_000.0),
    turn("f5", leg(nano_aiu=9 * CREDIT, is_answer=True), duration_ms=6_000.0),
]
ACCEPTED = turn(
    "f6",
    leg("f6:p0", nano_aiu=CREDIT, is_answer=True),
    leg("f6:judge", kind="judge", scope="review", model="m-big", verdict="accept", nano_aiu=2 * CREDIT),
    pattern="cascade",
    duration_ms=5_000.0,
    routing_latency_ms=None,
)
NOT_FUSED = turn(
    "a1",
    pattern=None,
    route_failure="router_timeout",
    state="failed",
    reported_nano_aiu=None,
    reported_requests=None,
    duration_ms=None,
    routing_latency_ms=5_000.0,
)
#: a judge without a verdict so far; 2 credits in its review leg, 1 in its draft
OPEN = turn(
    "f7",
    leg("f7:p0", nano_aiu=CREDIT),
    leg("f7:judge", kind="judge", scope="review", model="m-big", nano_aiu=2 * CREDIT, requests=2),
    pattern="cascade",
    state="open",
    ended_at=None,
    duration_ms=None,
    reported_nano_aiu=None,
    reported_requests=None,
    reported_phases=None,
    routing_latency_ms=None,
)
ALL = [CASCADE, CRITIQUE, *SINGLES, ACCEPTED, NOT_FUSED, OPEN]


def test_sessions_are_counted_once() -> None:
    assert figures.sessions(ALL) == 2


def test_compound_turns_are_those_of_several_models_out_of_those_with_legs() -> None:
    assert figures.compound_rate(ALL) == Rate(4, 7, 4 / 7)


def test_two_legs_of_one_model_are_not_compound() -> None:
    assert figures.compound_rate([turn("f1", leg(), leg("f1:p1"))]) == Rate(0, 1, 0.0)


def test_only_judges_that_gave_a_verdict_are_judged() -> None:
    assert figures.judged(ALL) == 2
    assert figures.judge_rejections(ALL) == 1
    assert figures.judge_rejection_rate(ALL) == Rate(1, 2, 0.5)


def test_a_verdict_of_a_critic_is_no_judgement() -> None:
    assert figures.judge_rejection_rate([turn("f1", leg(kind="critic", verdict="reject"))]) == Rate(0, 0, None)


def test_review_share_is_what_was_not_spent_on_the_answer() -> None:
    # not the answer: 575,436,000 + 2,457,200,000 of the cascade, 1 critic, 2 judge, 2 open judge; all: 14.719596 + 4 +
    # 12 + 3 + 3
    review = figures.review_share(ALL)
    assert (review.part, review.whole) == (8_032_636_000, 36_719_596_000)
    assert review.value == 8_032_636_000 / 36_719_596_000


def test_all_rates_are_none_where_there_is_nothing_to_divide_by() -> None:
    assert figures.compound_rate([]).value is None
    assert figures.judge_rejection_rate([]).value is None
    assert figures.review_share([]).value is None
    assert figures.compound_rate([NOT_FUSED]).value is None
    assert figures.by_model([turn("f1", leg(nano_aiu=None))])["m-small"].share is None


def test_credits_of_the_cascade_are_exact() -> None:
    assert figures.nano_aiu([CASCADE]) == 14_719_596_000
    assert sum(each.nano_aiu for each in figures.by_kind([CASCADE]).values()) == 14_719_596_000


def test_unknown_money_is_not_zero() -> None:
    assert figures.known_nano_aiu([NOT_FUSED]) is None
    assert figures.known_nano_aiu([NOT_FUSED, ACCEPTED]) == 3 * CREDIT
    assert figures.known_nano_aiu([]) == 0
    assert figures.unmetered_turns(ALL) == 1
    assert figures.unmetered_legs([turn("f1", leg(), leg("f1:p1", nano_aiu=None))]) == 1


def test_only_money_that_no_leg_explains_is_not_itemised() -> None:
    more = turn("f1", leg(), reported_nano_aiu=700_000_000)
    less = turn("f2", leg(), reported_nano_aiu=300_000_000)
    assert figures.not_itemised([more, less, OPEN]) == 200_000_000


def test_requests_come_from_the_roll_up_where_there_is_one() -> None:
    # 5 of the cascade, 2 of the critique, 3 singles, 2 of the accepted one, none, and 3 of the open one's legs
    assert figures.requests(ALL) == 15
    assert figures.requests([turn("f1", leg(), reported_requests=4)]) == 4


def test_tokens_are_those_of_the_legs() -> None:
    used = figures.tokens([CASCADE])
    assert used == Tokens(input=57_860, output=5_264, cached=29_827, cache_write=16_170)
    assert used.fresh == 11_863
    assert Tokens(1, 0, 2, 0).fresh == 0


def test_routing_latency_leaves_out_turns_that_do_not_say_it() -> None:
    assert figures.routing_latency([CRITIQUE, SINGLES[0], ACCEPTED, NOT_FUSED]) == Latency(200.0, 5_600 / 3, 5_000.0)
    assert figures.routing_latency([ACCEPTED]) == Latency(None, None, None)


def test_a_second_of_a_leg_has_its_price() -> None:
    assert figures.cost_per_second(CASCADE.legs[2]) == 276_333_199  # 11,686,960,000 / 42.293
    assert figures.cost_per_second(leg(nano_aiu=None)) is None
    assert figures.cost_per_second(leg(duration_ms=0.0)) is None


def test_open_turns_are_counted() -> None:
    assert figures.open_turns(ALL) == 1


def test_models_stand_in_the_order_of_their_credits_with_their_share_of_all_legs() -> None:
    assert list(figures.by_model([CRITIQUE, ACCEPTED]).items()) == [
        ("m-big", ModelFigures(2, 5 * CREDIT, 5 / 7, 0)),
        ("m-small", ModelFigures(2, 2 * CREDIT, 2 / 7, 0)),
    ]


def test_models_of_equal_credits_stand_by_name() -> None:
    legs = [leg(f"f1:{name}", model=name, nano_aiu=None) for name in "cab"]
    assert list(figures.by_model([turn("f1", *legs)])) == ["a", "b", "c"]
    assert figures.by_model([turn("f1", *legs)])["a"] == ModelFigures(1, 0, None, 1)


def test_kinds_stand_in_the_order_of_their_credits() -> None:
    assert list(figures.by_kind([CRITIQUE, ACCEPTED]).items()) == [
        ("draft", KindFigures(1, 3 * CREDIT, 0)),
        ("judge", KindFigures(1, 2 * CREDIT, 0)),
        ("critic", KindFigures(1, CREDIT, 0)),
        ("primary", KindFigures(1, CREDIT, 0)),
    ]


def test_patterns_have_true_medians_and_leave_open_turns_out_of_them() -> None:
    assert list(figures.by_pattern(ALL).items()) == [
        # The open turn's 3 credits count, but the median is that of 3 and 14.719596, the mean that of 5 and 75.613 s.
        ("cascade", PatternFigures(3, 20_719_596_000, 8_859_798_000, (5.0 + 75.613) / 2, 0)),
        ("single", PatternFigures(3, 12 * CREDIT, 2 * CREDIT, 3.0, 0)),
        ("critique", PatternFigures(1, 4 * CREDIT, 4 * CREDIT, 4.0, 0)),
        ("not fused", PatternFigures(1, 0, None, None, 1)),
    ]


def test_the_medians_of_the_field_report_are_true_ones() -> None:
    cascades = [turn(f"f{n}", pattern="cascade", reported_nano_aiu=n * 10_000_000) for n in (239, 1311, 1472)]
    assert figures.by_pattern(cascades)["cascade"].median_nano_aiu == 1311 * 10_000_000


@pytest.mark.parametrize("figure", [figures.by_model, figures.by_kind, figures.by_pattern])
def test_nothing_gives_nothing(figure: object) -> None:
    assert callable(figure)
    assert figure([]) == {}


@some
@given(many_turns)
def test_shares_sum_to_one(turned: list[Turn]) -> None:
    found = figures.by_model(turned)
    shares = [each.share for each in found.values() if each.share is not None]
    assert not shares or isclose(sum(shares), 1.0)


@some
@given(many_turns)
def test_models_kinds_and_turns_count_the_same_legs_and_money(turned: list[Turn]) -> None:
    models, kinds = figures.by_model(turned), figures.by_kind(turned)
    legs = sum(len(each.legs) for each in turned)
    assert sum(each.legs for each in models.values()) == sum(each.legs for each in kinds.values()) == legs
    assert sum(each.nano_aiu for each in models.values()) == sum(each.nano_aiu for each in kinds.values())
    assert sum(each.nano_aiu for each in figures.by_pattern(turned).values()) == figures.nano_aiu(turned)


@some
@given(many_turns)
def test_no_figure_depends_on_the_order_of_the_turns(turned: list[Turn]) -> None:
    back = list(reversed(turned))
    assert list(figures.by_kind(turned).items()) == list(figures.by_kind(back).items())
    assert list(figures.by_model(turned).items()) == list(figures.by_model(back).items())
    assert list(figures.by_pattern(turned)) == list(figures.by_pattern(back))
    assert figures.review_share(turned) == figures.review_share(back)
    assert figures.compound_rate(turned) == figures.compound_rate(back)
