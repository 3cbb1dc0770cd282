"""Tool calls and unknown words as samples and as counters."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusionscope.export import names
from fusionscope.export.counters import Totals
from fusionscope.export.labels import Labels
from fusionscope.export.names import Metric
from fusionscope.export.points import Sample, turn_points
from fusionscope.export.stamps import Stamps
from fusionscope.model import Turn
from tests.turns import TEN, call, leg, turn

LABELS = Labels(["m-small"], ["bash", "view"])
Found = list[tuple[int, float, tuple[object, ...]]]


def found(samples: list[Sample], metric: Metric = names.LEG_TOOL_CALLS) -> Found:
    """Milliseconds, value and labels of each sample of a metric."""
    return [
        (point.time_unix_nano // 10**6 - TEN, point.value, tuple((point.attributes or {}).values()))
        for its, point in samples
        if its is metric
    ]


def a_turn(*more: Any, **fields: Any) -> Turn:
    calls = (
        call("a"), call("b", success=False), call("c"), call("d", name="view", exit_code=None),
        call("e", None, name="odd"), call("f", ended_at=None), *more,
    )  # fmt: skip
    judged = leg("f1:j", index=1, kind="judge", ended_at=TEN + 3_000)
    return turn("f1", leg(), judged, **{"tool_calls": calls, **fields})


def test_a_leg_has_a_sample_for_each_tool_and_success_at_its_end_with_the_number_of_calls() -> None:
    assert found(turn_points(a_turn(), LABELS)) == [
        (2_000, 2, ("bash", True, "primary")),
        (2_000, 1, ("bash", False, "primary")),
        (2_000, 1, ("view", True, "primary")),
        # of no leg: at the end of the turn
        (9_000, 1, ("_other", True, "none")),
    ]


def test_labels_stand_in_the_order_of_the_table_and_success_is_left_off_where_the_log_does_not_say() -> None:
    made = turn("f1", leg(), tool_calls=(call(success=None), call("b")))
    keys = [list(point.attributes or {}) for its, point in turn_points(made, LABELS) if its is names.LEG_TOOL_CALLS]
    assert keys == [
        ["gen_ai.tool.name", "github.copilot.fusion.phase.kind"],
        ["gen_ai.tool.name", "success", "github.copilot.fusion.phase.kind"],
    ]


def test_calls_that_come_late_are_a_sample_of_their_own_and_nothing_is_counted_twice() -> None:
    stamps = Stamps()
    first = found(turn_points(a_turn(), LABELS, stamps))
    before = {(one.tool_call_id, one.ended_at) for one in a_turn().tool_calls if one.ended_at}
    more = a_turn(call("g", started_at=TEN + 1_700), call("f", ended_at=TEN + 70_000))
    late = turn_points(more, LABELS, stamps, root_sent=True, sent_legs={("f1:p0", 0), ("f1:j", 0)}, sent_tools=before)
    assert found(late) == [(2_001, 2, ("bash", True, "primary"))]
    assert len(late) == 1
    assert sum(value for _, value, _ in [*first, *found(late)]) == 7


def test_asking_again_gives_the_same_samples_at_the_same_moments() -> None:
    stamps = Stamps()
    assert found(turn_points(a_turn(), LABELS, stamps)) == found(turn_points(a_turn(), LABELS, stamps))


def test_turns_that_end_together_have_a_millisecond_each() -> None:
    stamps = Stamps()
    moments = [found(turn_points(a_turn()._replace(fusion_id=name), LABELS, stamps))[0][0] for name in ("f1", "f2", "f3")]
    assert moments == [2_000, 2_001, 2_002]


@given(st.randoms())
def test_the_order_of_reading_changes_neither_the_milliseconds_nor_the_sum(random: Any) -> None:
    made = [a_turn()._replace(fusion_id=f"f{number}") for number in range(4)]

    def shown(of: list[Turn]) -> list[tuple[int, float, tuple[object, ...]]]:
        stamps = Stamps()
        return sorted(sample for one in of for sample in found(turn_points(one, LABELS, stamps)))

    assert shown(random.sample(made, 4)) == shown(made)


def test_unknown_words_are_counted_only_of_turns_that_have_any() -> None:
    stamps = Stamps()
    words = [("pattern debate", "kind arbiter"), (), ("contract 2",)]
    samples = [
        found(turn_points(turn(f"f{number}", pattern="debate", unknown_words=of), LABELS, stamps), names.TURN_UNKNOWN_WORDS)
        for number, of in enumerate(words)
    ]
    assert samples == [[(9_000, 2, ("_other",))], [], [(9_001, 1, ("_other",))]]


def test_unknown_words_of_turns_of_one_pattern_never_share_a_millisecond_whatever_came_of_the_turns() -> None:
    stamps = Stamps()
    made = [turn(f"f{number}", outcome=outcome, unknown_words=("x",)) for number, outcome in enumerate(("completed", "failed"))]
    moments = [found(turn_points(one, LABELS, stamps), names.TURN_UNKNOWN_WORDS)[0][0] for one in made]
    assert moments == [9_000, 9_001]


def test_words_of_a_turn_that_went_before_are_not_sent_again() -> None:
    made = turn("f1", unknown_words=("x",))
    assert found(turn_points(made, LABELS, root_sent=True), names.TURN_UNKNOWN_WORDS) == []


def counted(totals: Totals, metric: Metric) -> dict[tuple[object, ...], float]:
    return {
        tuple((point.attributes or {}).values()): point.value  # type: ignore[union-attr]
        for its, data in totals.data(TEN, TEN)
        if its is metric
        for point in data.data_points
    }


def test_counters_add_calls_once_also_those_that_come_late() -> None:
    totals = Totals()
    totals.count(a_turn(), LABELS)
    before = {(one.tool_call_id, one.ended_at) for one in a_turn().tool_calls if one.ended_at}
    legs = {("f1:p0", 0), ("f1:j", 0)}
    totals.count(a_turn(call("g")), LABELS, root_sent=True, sent_legs=legs, sent_tools=before)
    assert counted(totals, names.TOOL_CALL_COUNT) == {
        ("bash", True, "primary"): 3,
        ("bash", False, "primary"): 1,
        ("view", True, "primary"): 1,
        ("_other", True, "none"): 1,
    }


@pytest.mark.parametrize(("root_sent", "expected"), [(False, {("single",): 2}), (True, {})])
def test_counters_add_unknown_words_with_the_turn(root_sent: bool, expected: dict[tuple[str], int]) -> None:
    totals = Totals()
    totals.count(turn("f1", unknown_words=("a", "b")), LABELS, root_sent=root_sent)
    assert counted(totals, names.UNKNOWN_WORD_COUNT) == expected
