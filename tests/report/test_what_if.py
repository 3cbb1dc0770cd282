from __future__ import annotations

from fusionscope.report.prices import Prices, prices_by_model
from fusionscope.report.what_if import comparable, turn_costs, what_if
from tests.report.field_report import field_report
from tests.turns import CASCADE, leg, turn

#: 0.4, 0.04, 0.5 and 2 credits for a thousand tokens
PRICES = Prices("m", 8, (400_000.0, 40_000.0, 500_000.0, 2_000_000.0), 0.0)


def test_the_public_cascade_on_the_model_that_repaired_it() -> None:
    # draft: 11,851 fresh, 3,968 cached, 2,754 output = 4.7404 + 0.15872 + 5.508; judge and repair ran on that model already
    (cost,) = turn_costs([CASCADE], PRICES)
    draft = 4_740_400_000 + 158_720_000 + 5_508_000_000
    assert cost[1:] == (14_719_596_000, draft + 2_457_200_000 + 11_686_960_000, 11_686_960_000)


def test_the_field_report_on_one_model() -> None:
    priced = comparable(field_report())
    sol = prices_by_model(field_report())[0]
    assert isinstance(sol, Prices)
    costs = turn_costs(priced, sol)
    total = what_if(costs, sol)
    assert (total.turns, total.nano_aiu) == (24, 314_600_484_000)
    assert total.every_leg == sum(cost.every_leg for cost in costs)
    singles = [cost for cost in costs if cost.turn.models == ("gpt-5.6-sol",)]
    assert len(singles) == 17
    assert all(cost.nano_aiu == cost.every_leg == cost.answer_leg for cost in singles)


def test_turns_that_cannot_be_priced_again_are_left_out() -> None:
    whole = turn("f1", leg(is_answer=True))
    others = [
        turn("f2", leg(is_answer=True), state="open"),
        turn("f3", leg(is_answer=True), reported_phases=2),
        turn("f4", leg()),
        turn("f5", leg(is_answer=True, nano_aiu=None), reported_nano_aiu=None),
        turn("f6", leg(is_answer=True, input_tokens=0, output_tokens=0)),
    ]
    assert comparable([whole, *others]) == [whole]


def test_tokens_of_unknown_price_leave_their_turn_out() -> None:
    plain, cached = turn("f1", leg(is_answer=True)), turn("f2", leg(is_answer=True, cached_tokens=50))
    costs = turn_costs([plain, cached], PRICES._replace(each=(1_000.0, None, None, 5_000.0)))
    assert [(cost.turn.fusion_id, cost.every_leg) for cost in costs] == [("f1", 100 * 1_000 + 10 * 5_000)]
