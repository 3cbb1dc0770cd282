from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusionscope.export import names
from fusionscope.export.identity import metric_resource
from fusionscope.export.labels import Labels
from fusionscope.export.points import Sample, sample_data, turn_points
from fusionscope.export.stamps import Stamps
from fusionscope.model import Leg, Turn
from fusionscope.store.metrics import Claim
from tests.export.strategies import hostile, turns
from tests.export.wire import arrived_metrics, series
from tests.turns import CASCADE, TEN, leg, turn

LABELS = Labels(["mai-code-1.1-flash", "gpt-5.6-sol", "m-small"])
F = "github.copilot.fusion."


def found(samples: Iterable[Sample]) -> dict[str, list[tuple[int, float]]]:
    """Milliseconds and values of each metric, by the last words of its name."""
    result: dict[str, list[tuple[int, float]]] = {}
    for metric, point in samples:
        result.setdefault(metric.name.removeprefix(F), []).append((point.time_unix_nano // 10**6, point.value))
    return result


def test_every_leg_and_turn_is_one_sample_at_its_own_end() -> None:
    assert found(turn_points(CASCADE, LABELS)) == {
        "turn": [(1_788_921_850_342, 1)],
        "turn.seconds": [(1_788_921_850_342, 75.613)],
        "route.seconds": [(1_788_921_774_975, pytest.approx(0.2464961))],
        "leg": [(1_788_921_797_139, 1), (1_788_921_807_960, 1), (1_788_921_850_256, 1)],
        "leg.credits": [(1_788_921_797_139, 0.575436), (1_788_921_807_960, 2.4572), (1_788_921_850_256, 11.68696)],
        "leg.input_tokens": [(1_788_921_797_139, 15_819), (1_788_921_807_960, 2_339), (1_788_921_850_256, 39_702)],
        "leg.output_tokens": [(1_788_921_797_139, 2_754), (1_788_921_807_960, 644), (1_788_921_850_256, 1_866)],
        "leg.cache_read_tokens": [(1_788_921_797_139, 3_968), (1_788_921_807_960, 0), (1_788_921_850_256, 25_859)],
        "leg.cache_write_tokens": [(1_788_921_797_139, 0), (1_788_921_807_960, 2_336), (1_788_921_850_256, 13_834)],
        "leg.inference_calls": [(1_788_921_797_139, 1), (1_788_921_807_960, 1), (1_788_921_850_256, 3)],
        "leg.seconds": [(1_788_921_797_139, 22.16), (1_788_921_807_960, 10.727), (1_788_921_850_256, 42.293)],
    }


def test_samples_carry_the_labels_of_the_table_and_no_id() -> None:
    by_name = {metric.name: dict(point.attributes or {}) for metric, point in turn_points(CASCADE, LABELS)}
    assert by_name[F + "leg.credits"] == {
        F + "pattern": "cascade",
        F + "phase.kind": "repair",
        F + "phase.committed": True,
        "gen_ai.response.model": "gpt-5.6-sol",
    }
    assert by_name[F + "turn"] == {
        F + "pattern": "cascade",
        F + "compound": True,
        F + "outcome": "completed",
        F + "policy": "max",
        "gen_ai.response.model": "gpt-5.6-sol",
    }
    assert by_name[F + "route.seconds"] == {F + "route_source": "capi_plan", F + "policy": "max"}


def test_an_open_turn_has_no_sample() -> None:
    assert turn_points(CASCADE._replace(state="open"), LABELS) == []


def test_what_is_not_known_is_no_sample_and_zero_is_one() -> None:
    samples = found(turn_points(turn("f1", leg(nano_aiu=None), leg("b", index=1, nano_aiu=0), routing_latency_ms=None), LABELS))
    assert samples["leg.credits"] == [(TEN + 2_001, 0.0)]
    assert "route.seconds" not in samples


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1.0])
def test_a_number_that_is_none_is_no_sample(bad: float) -> None:
    samples = found(turn_points(turn("f1", leg(duration_ms=bad, input_tokens=2**63, nano_aiu=bad)), LABELS))
    assert not {"leg.seconds", "leg.input_tokens", "leg.credits"} & samples.keys()
    assert samples["leg"] == [(TEN + 2_000, 1)]


def test_a_failed_route_is_a_turn_and_a_routing_attempt_but_no_time_of_a_turn() -> None:
    failed = turn("a1", route_failure="router_timeout", outcome=None, state="failed", pattern=None, ended_at=TEN + 200)
    samples = turn_points(failed, LABELS)
    assert found(samples) == {"turn": [(TEN + 200, 1)], "route.seconds": [(TEN + 200, 0.2)]}
    assert dict(samples[1].point.attributes or {})["error.type"] == "router_timeout"


def test_a_turn_that_was_given_up_counts_at_what_was_last_heard_and_its_legs_cost() -> None:
    given_up = turn("f1", leg(), state="abandoned", outcome=None, ended_at=None, duration_ms=None, last_event_at=TEN + 2_500)
    samples = found(turn_points(given_up, LABELS))
    assert samples["turn"] == [(TEN + 2_500, 1)]
    assert samples["turn.seconds"] == [(TEN + 2_500, 2.5)]
    assert samples["leg.credits"] == [(TEN + 2_000, 0.5)]


def test_of_a_turn_that_goes_on_only_new_legs_are_sampled() -> None:
    before = {(part.phase_id, part.attempt) for part in CASCADE.legs[:2]}
    samples = found(turn_points(CASCADE, LABELS, root_sent=True, sent_legs=before))
    assert samples["leg.credits"] == [(1_788_921_850_256, 11.68696)]
    assert not {"turn", "turn.seconds", "route.seconds"} & samples.keys()


def test_parallel_legs_that_end_together_have_a_millisecond_each_in_log_order() -> None:
    critics = [leg(f"c{index}", index=index, kind="critic", nano_aiu=index * 10**9) for index in range(3)]
    samples = found(turn_points(turn("f1", *critics, leg("p", index=3)), LABELS))
    assert samples["leg.credits"] == [(TEN + 2_000, 0.0), (TEN + 2_001, 1.0), (TEN + 2_002, 2.0), (TEN + 2_000, 0.5)]


def test_a_leg_that_is_sent_later_has_the_stamp_it_has_among_all() -> None:
    made = turn("f1", leg("a"), leg("b", index=1))
    assert found(turn_points(made, LABELS, root_sent=True, sent_legs={("a", 0)}))["leg"] == [(TEN + 2_001, 1)]


def test_turns_that_end_together_are_kept_apart_and_asking_again_changes_nothing() -> None:
    stamps = Stamps()
    first, second = turn("f1", leg()), turn("f2", leg())
    once = [found(turn_points(made, LABELS, stamps)) for made in (first, second)]
    again = [found(turn_points(made, LABELS, stamps)) for made in (second, first)]
    assert once == again[::-1]
    assert [samples["turn"] for samples in once] == [[(TEN + 9_000, 1)], [(TEN + 9_001, 1)]]
    assert [samples["leg"] for samples in once] == [[(TEN + 2_000, 1)], [(TEN + 2_001, 1)]]
    assert [samples["route.seconds"][0][0] for samples in once] == [TEN + 200, TEN + 201]


def test_a_new_run_that_knows_the_claims_of_earlier_ones_gives_the_same_stamps() -> None:
    first, second = turn("f1", leg()), turn("f2", leg())
    before = Stamps()
    once = [found(turn_points(made, LABELS, before)) for made in (first, second)]

    def known(series: int, at: int) -> list[Claim]:
        here = {claim.at: claim for claim in before.fresh if claim.series == series}
        return [here[ms] for ms in itertools.takewhile(here.__contains__, itertools.count(at))]

    again = Stamps(known)
    assert [found(turn_points(made, LABELS, again)) for made in (second, first)] == once[::-1]
    assert again.fresh == []
    assert found(turn_points(turn("f3", leg()), LABELS, again))["turn"] == [(TEN + 9_002, 1)]


ends = st.lists(st.integers(TEN, TEN + 4), min_size=1, max_size=8)


@given(ends, st.randoms())
def test_the_milliseconds_in_use_do_not_depend_on_the_order_of_reading(times: list[int], random: Any) -> None:
    made = [turn(f"f{index}", leg(ended_at=at), ended_at=at) for index, at in enumerate(times)]
    shuffled = random.sample(made, len(made))

    def in_use(of: list[Turn]) -> set[tuple[Any, ...]]:
        stamps = Stamps()
        samples = [sample for one in of for sample in turn_points(one, LABELS, stamps)]
        return {(metric.name, point.time_unix_nano, str(point.attributes)) for metric, point in samples}

    assert in_use(made) == in_use(shuffled)


@given(st.lists(turns(), max_size=4, unique_by=lambda made: made.fusion_id))
@hostile
def test_any_turns_encode_and_no_two_samples_of_a_series_share_a_moment(made: list[Turn]) -> None:
    stamps = Stamps()
    samples = list(itertools.chain.from_iterable(turn_points(one, LABELS, stamps) for one in made))
    arrived = arrived_metrics(sample_data(samples, metric_resource("/root", "host")))
    for name, metric in arrived.items():
        points = metric.gauge.data_points
        places = [(series(point), point.time_unix_nano) for point in points]
        # past the year 2262 there is no further millisecond to move on to
        places = [place for place in places if place[1] < 9_223_372_036_854_000_000]
        assert len(set(places)) == len(places), name
        assert all(point.time_unix_nano % 10**6 == 0 for point in points)
        assert [point.time_unix_nano for point in points] == sorted(point.time_unix_nano for point in points)
    assert arrived.keys() <= {metric.name for metric in names.SAMPLES}


def test_data_has_our_scope_without_a_version_and_the_constant_resource() -> None:
    data = sample_data(turn_points(CASCADE, LABELS), metric_resource("/root", "host"))
    (part,) = data.resource_metrics
    (scoped,) = part.scope_metrics
    assert set(part.resource.attributes) == {"service.name", "service.instance.id"}
    assert (scoped.scope.name, scoped.scope.version) == ("fusionscope", None)
    assert {metric.unit for metric in scoped.metrics} == {""}


def test_a_thousand_sessions_and_many_models_are_a_bounded_number_of_series() -> None:
    def one(number: int) -> Turn:
        parts: list[Leg] = [
            leg("p", model=f"m{number % 5}"),
            leg("j", index=1, kind="judge", model="m0", verdict=("accept", "reject")[number % 2]),
            leg("r", index=2, kind="repair", model=f"m{number % 3}", is_answer=True),
        ]
        return turn(f"f{number}", *parts, session_id=f"s{number}", pattern="cascade")

    stamps, labels = Stamps(), Labels([f"m{number}" for number in range(5)])
    samples = [sample for number in range(1_000) for sample in turn_points(one(number), labels, stamps)]
    assert len({(metric.name, str(point.attributes)) for metric, point in samples}) <= 500
    assert sum(point.value for metric, point in samples if metric is names.LEG_CREDITS) == 1_500.0
