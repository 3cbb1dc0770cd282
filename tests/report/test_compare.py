from __future__ import annotations

from fusionscope.model import Turn
from fusionscope.report.compare import Measure, compare
from fusionscope.report.told import caution, told
from tests.logs import CREDIT
from tests.report.field_report import field_report
from tests.turns import leg, turn


def some(prefix: str, *amounts: int, pattern: str = "single", **fields: object) -> list[Turn]:
    return [
        turn(f"{prefix}{n}", leg(nano_aiu=each * CREDIT, is_answer=True), pattern=pattern, **fields)
        for n, each in enumerate(amounts)
    ]


def measure(name: str, a: list[Turn], b: list[Turn]) -> Measure:
    return next(each for each in compare(a, b).measures if each.name == name)


def test_credits_have_median_percentile_mean_and_the_rank_test() -> None:
    found = measure("credits a turn", some("a", *range(1, 9)), some("b", *range(9, 17)))
    assert [(figure.name, figure.a, figure.b) for figure in found.figures] == [
        ("median", 4.5 * CREDIT, 12.5 * CREDIT),
        ("p90", 7.3 * CREDIT, 15.3 * CREDIT),  # 0.9 of the 7 steps from the least to the greatest is 6.3 steps
        ("mean", 4.5 * CREDIT, 12.5 * CREDIT),
    ]
    assert [figure.difference for figure in found.figures] == [8 * CREDIT] * 3
    # all of one are above all of the other: 2 of the 12,870 orders of 8 and 8 values
    assert found.p == 2 / 12_870
    assert told(found) == "The sides differ by more than chance would have it (p < 0.001, Mann-Whitney U test)."


def test_the_pattern_mix_is_told_by_counts_and_fishers_test() -> None:
    a = some("a", *[1] * 2, pattern="cascade") + some("c", *[1] * 8)
    b = some("b", *[1] * 5, pattern="cascade") + some("d", *[1])
    found = measure("pattern cascade", a, b + some("e", 1, 1))
    ((figure,),) = (found.figures,)
    assert (figure.a, figure.b) == ((2, 10, 0.2), (5, 8, 0.625))
    # of C(18, 7) = 31,824: tables no likelier than C(10, 2) C(8, 5) = 2,520 are 0, 1, 2, 6 and 7 of ten
    ways = {0: 8, 1: 10 * 28, 2: 45 * 56, 6: 210 * 8, 7: 120}
    assert found.p is not None
    assert round(found.p, 9) == round(sum(ways.values()) / 31_824, 9)
    assert "no difference that chance would not make as well (p = 0.14, Fisher's exact test)" in told(found)


def test_few_turns_tell_nothing() -> None:
    found = measure("credits a turn", some("a", *range(7)), some("b", *range(1, 100)))
    assert (found.p, found.tells) == (None, None)
    assert told(found) == "Too few turns to tell: 7 and 99, and it takes 8 on each side."
    rejections = next(each for each in compare(field_report()[:12], field_report()[12:]).measures if each.name == "rejections")
    assert told(rejections) == "Too few verdicts to tell: 1 and 2, and it takes 8 on each side."


def test_the_halves_of_the_field_report() -> None:
    found = {each.name: each for each in compare(field_report()[:12], field_report()[12:]).measures}
    assert list(found) == [
        "pattern cascade", "pattern critique", "pattern single", "credits a turn", "review share", "rejections", "routing",
        "failed", "degraded",
    ]  # fmt: skip
    # the middle of 6.7134 and 7.18254; of 13.109968 and 13.65922
    assert [found["credits a turn"].figures[0].a, found["credits a turn"].figures[0].b] == [6_947_970_000, 13_384_594_000]
    assert found["credits a turn"].tells
    assert found["failed"].p == 1


def test_open_turns_are_in_no_sample_of_credits_and_failures_are_counted() -> None:
    a = some("a", *range(1, 9), state="failed") + some("o", 5, state="open")
    b = some("b", *range(1, 9))
    assert measure("credits a turn", a, b).counts == (8, 8)
    assert measure("failed", a, b).figures[0].a == (8, 9, 8 / 9)


def test_nothing_on_a_side_is_no_rate() -> None:
    found = compare([], some("b", 1))
    assert all(each.p is None for each in found.measures)
    assert [figure.a for figure in measure("credits a turn", [], some("b", 1)).figures] == [None, None, None]


def test_shared_turns_and_many_tests_are_warned_of() -> None:
    turns = some("a", *range(1, 21))
    comparison = compare(turns[:12], turns[8:])
    assert comparison.shared == 4
    said = caution(comparison)
    assert "4 turns on both sides" in said
    assert "6 tests were made" in said
    assert "about 0.3 times" in said
