"""Figures by key: those of the field report, what is added and what is not, and days. Faults of kind J."""

from __future__ import annotations

from itertools import permutations
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusionscope.model import Turn
from fusionscope.report import figures
from fusionscope.report.groups import KEYS, Group, group_by
from tests.conftest import Stage
from tests.logs import CREDIT, Log, place
from tests.report.field_report import field_report
from tests.report.strategies import many_turns, some
from tests.turns import TEN, leg, turn

UTC, LOS_ANGELES = ZoneInfo("UTC"), ZoneInfo("America/Los_Angeles")


def credits(group: Group) -> str:
    assert group.nano_aiu is not None
    return f"{group.nano_aiu / 1e9:.2f}"


def test_models_have_the_figures_of_the_field_report() -> None:
    rows = group_by(field_report(), ["model"]).rows
    assert [(*group.values, credits(group), group.legs, f"{100 * (group.share or 0):.1f}") for group in rows] == [
        ("gpt-5.6-sol", "180.73", 24, "57.4"), ("claude-opus-5", "131.78", 3, "41.9"), ("gpt-5.6-luna", "0.98", 2, "0.3"),
        ("mai-code-1.1-flash", "0.92", 2, "0.3"), ("gpt-5.6-terra", "0.19", 1, "0.1"),
    ]  # fmt: skip


def test_kinds_and_patterns_have_the_figures_of_the_field_report() -> None:
    kinds = {group.values[0]: credits(group) for group in group_by(field_report(), ["kind"]).rows}
    assert kinds == {"primary": "188.61", "draft": "95.87", "repair": "23.62", "judge": "5.02", "critic": "1.48"}
    patterns = {group.values[0]: (group.turns, credits(group)) for group in group_by(field_report(), ["pattern"]).rows}
    assert patterns == {"single": (18, "187.03"), "critique": (3, "97.35"), "cascade": (3, "30.22")}
    medians = {group.values[0]: group.median_nano_aiu for group in group_by(field_report(), ["pattern"]).rows}
    # single: the middle of 7.93426 and 8.00938; the others are the true medians of three
    assert medians == {"single": 7_971_820_000, "critique": 45_047_460_000, "cascade": 13_109_968_000}


def test_the_total_has_the_headline_figures_of_the_field_report() -> None:
    total = group_by(field_report(), ["policy"]).total
    assert (total.turns, total.legs, total.verdicts, total.rejections) == (24, 32, 3, 2)
    assert f"{100 * (total.review_share or 0):.1f}" == "2.5"
    (group,) = group_by(field_report(), ["policy", "route-source"]).rows
    assert group.values == ("max", "capi_plan")


def test_pairs_are_of_the_first_verdict() -> None:
    rows = group_by(field_report(), ["pair"]).rows
    assert {group.values[0]: (group.turns, group.rejections, group.verdicts) for group in rows} == {
        None: (21, 0, 0), "mai-code-1.1-flash > gpt-5.6-sol": (2, 1, 2), "gpt-5.6-luna > gpt-5.6-sol": (1, 1, 1),
    }  # fmt: skip


@pytest.mark.parametrize("keys", list(permutations(("pattern", "model", "kind", "day", "pair"), 2)))
def test_groups_of_two_keys_make_up_those_of_the_first(keys: tuple[str, str]) -> None:
    grouping = group_by(field_report(), keys, UTC)
    assert [each for group in grouping.first for each in grouping.below(group)] == grouping.rows
    for group in grouping.first:
        assert sum(each.nano_aiu or 0 for each in grouping.below(group)) == group.nano_aiu


def test_what_a_roll_up_says_beside_its_legs_has_a_row_of_its_own() -> None:
    short = turn("f1", leg(nano_aiu=2 * CREDIT, model="a", is_answer=True), reported_nano_aiu=5 * CREDIT)
    bare = turn("f2", reported_nano_aiu=CREDIT)
    more = turn("f3", leg(nano_aiu=2 * CREDIT, model="b", is_answer=True), reported_nano_aiu=CREDIT)
    grouping = group_by([short, bare, more], ["model"])
    found = [(group.values, group.itemised, group.turns, group.legs, group.nano_aiu) for group in grouping.rows]
    assert found == [
        (("a",), True, 1, 1, 2 * CREDIT), (("b",), True, 1, 1, 2 * CREDIT), ((None,), False, 3, 0, 3 * CREDIT),
    ]  # fmt: skip
    assert grouping.total.nano_aiu == 7 * CREDIT
    by_pattern = group_by([short, bare, more], ["pattern", "model"])
    assert [(group.values, group.nano_aiu) for group in by_pattern.rows][-1] == (("single", None), 3 * CREDIT)
    assert [(group.values, group.itemised) for group in by_pattern.first] == [(("single",), True)]


def test_a_turn_with_two_legs_of_one_model_counts_once_there() -> None:
    two = turn("f1", leg(model="a", nano_aiu=CREDIT), leg("f1:p1", model="a", nano_aiu=3 * CREDIT, is_answer=True))
    (group,) = group_by([two], ["model"]).rows
    assert (group.turns, group.legs, group.median_nano_aiu, group.review_nano_aiu) == (1, 2, 4 * CREDIT, CREDIT)


def test_what_nobody_knows_is_not_zero() -> None:
    unknown = turn("f1", leg(nano_aiu=None, model="byok"), reported_nano_aiu=None)
    known = turn("f2", leg(model="a", nano_aiu=CREDIT))
    for key in ("model", "session"):
        grouping = group_by([unknown, known._replace(session_id="s2")], [key])
        assert [(group.nano_aiu, group.share, group.unmetered) for group in grouping.rows] == [
            (CREDIT, 1.0, 0),
            (None, None, 1),
        ]
    assert group_by([], ["model"]).total.nano_aiu == 0
    assert group_by([unknown], ["pattern"]).rows[0].median_nano_aiu is None


def test_an_open_turn_costs_and_is_in_no_median() -> None:
    going = turn("f1", leg(nano_aiu=CREDIT), state="open", reported_nano_aiu=None)
    (group,) = group_by([going], ["pattern"]).rows
    assert (group.nano_aiu, group.median_nano_aiu, group.review_nano_aiu) == (CREDIT, None, 0)


def test_days_come_in_their_order_and_all_else_by_credits() -> None:
    turns = [turn(f"f{n}", leg(nano_aiu=n * CREDIT), started_at=TEN + n * 86_400_000, branch=f"b{n}") for n in (1, 3, 2)]
    assert [group.values[0] for group in group_by(turns, ["day"], UTC).rows] == ["2026-12-01", "2026-12-02", "2026-12-03"]
    assert [group.values[0] for group in group_by(turns, ["week"], UTC).rows] == ["2026-W49"]
    assert [group.values[0] for group in group_by(turns, ["branch"]).rows] == ["b3", "b2", "b1"]


def test_an_evening_turn_belongs_to_the_local_day_and_the_month_adds_up_in_any_zone(stage: Stage) -> None:
    place(stage.root, Log("evening", "2026-11-30T04:08:01").turn("f1"))  # J1: the turn starts at 04:08Z
    place(stage.root, Log("noon", "2026-11-30T20:00:00").turn("f2"))
    stage.index()
    found = {}
    for zone in (LOS_ANGELES, UTC):
        grouping = group_by(stage.turns(), ["day"], zone)
        found[zone.key] = {group.values[0]: group.turns for group in grouping.rows}
        assert grouping.total.nano_aiu == 25 * CREDIT
    assert found == {"America/Los_Angeles": {"2026-11-29": 1, "2026-11-30": 1}, "UTC": {"2026-11-30": 2}}


def test_a_turn_that_straddles_midnight_is_not_split_and_its_legs_go_with_it(stage: Stage) -> None:
    log = Log("late", "2026-11-30T23:59:58")  # J3
    place(stage.root, log.turn("f1"))
    stage.index()
    rows = group_by(stage.turns(), ["day", "model"], UTC).rows
    assert [(group.values, group.nano_aiu) for group in rows] == [
        (("2026-11-30", "m-big"), 12 * CREDIT), (("2026-11-30", "m-small"), CREDIT // 2),
    ]  # fmt: skip


def test_a_clock_set_back_over_midnight_leaves_the_turn_on_one_day(stage: Stage) -> None:
    log = Log("back", "2026-11-30T00:30:00")  # J4: the judge's event is two hours earlier, on the day before
    log.resolved("f1")
    log.leg("f1", 0, "primary", "m-small", CREDIT)
    log._now = log._now.replace(day=29, hour=22)
    log.leg("f1", 1, "judge", "m-big", CREDIT, "accept")
    place(stage.root, log)
    stage.index()
    grouping = group_by(stage.turns(), ["day", "kind"], UTC)
    assert len(grouping.first) == 1
    assert sum(group.nano_aiu or 0 for group in grouping.rows) == 2 * CREDIT


def test_legs_longer_than_their_turn_stay_on_its_day(stage: Stage) -> None:
    log = Log("slept", "2026-11-30T00:00:30")  # J6: the critics took an hour each, in a turn of 9 s
    log.resolved("f1", "critique")
    for n in range(3):
        log.leg("f1", n, "critic", "m", CREDIT, durationMs=3_600_000)
    log.completed("f1", 2, "m", "critique")
    place(stage.root, log)
    stage.index()
    rows = group_by(stage.turns(), ["day", "kind"], UTC).rows
    assert [(group.values, group.turns, group.legs) for group in rows] == [(("2026-11-30", "critic"), 1, 3)]


@some
@given(many_turns, st.lists(st.sampled_from(KEYS), min_size=1, max_size=2, unique=True))
def test_whatever_the_turns_the_rows_add_up_to_the_total(turned: list[Turn], keys: list[str]) -> None:
    turned = [each._replace(fusion_id=f"f{n}") for n, each in enumerate(turned)]
    grouping = group_by(turned, keys, UTC)
    assert sum(group.nano_aiu or 0 for group in grouping.rows) == (grouping.total.nano_aiu or 0) == figures.nano_aiu(turned)
    assert sum(group.legs for group in grouping.rows) == sum(len(each.legs) for each in turned)
    assert sum(group.review_nano_aiu for group in grouping.rows) == sum(each.review_nano_aiu for each in turned)
    assert sum(group.rejections for group in grouping.rows) == figures.judge_rejections(turned)
