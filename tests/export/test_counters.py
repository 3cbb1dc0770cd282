from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.metrics.v1.metrics_pb2 import AGGREGATION_TEMPORALITY_CUMULATIVE

from fusionscope.export import names
from fusionscope.export.counters import Totals
from fusionscope.export.identity import metric_resource
from fusionscope.export.labels import Labels
from fusionscope.export.points import metrics_data
from fusionscope.model import Turn
from tests.export.strategies import hostile, turns
from tests.export.wire import arrived_metrics, series
from tests.turns import CASCADE, TEN, leg, turn

if TYPE_CHECKING:
    from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric

LABELS = Labels(["mai-code-1.1-flash", "gpt-5.6-sol", "m-small"])
F = "github.copilot.fusion."


def totals(of: Iterable[Turn]) -> dict[str, Metric]:
    counted = Totals()
    for made in of:
        counted.count(made, LABELS)
    # kept and read again, as between two runs
    counted = Totals.read(counted.written())
    data = metrics_data(counted.data(TEN, TEN + 60_000), metric_resource("/root", "host"))
    return {name.removeprefix(F): metric for name, metric in arrived_metrics(data).items()}


def sums(metric: Metric, label: str) -> dict[Any, float]:
    found: dict[Any, float] = {}
    for point in metric.sum.data_points:
        key = dict(series(point))[label]
        found[key] = found.get(key, 0) + getattr(point, point.WhichOneof("value"))
    return found


def test_totals_are_sums_of_the_legs_by_their_labels() -> None:
    found = totals([CASCADE, turn("f2", leg(is_answer=True))])
    assert sums(found["turn.count"], F + "pattern") == {"cascade": 1, "single": 1}
    assert sums(found["phase.count"], F + "phase.verdict") == {"none": 3, "reject": 1}
    assert sums(found["credits"], F + "phase.committed") == pytest.approx({False: 3.032636, True: 12.18696})
    assert sums(found["usage.input_tokens"], "gen_ai.response.model") == {
        "mai-code-1.1-flash": 15_819, "gpt-5.6-sol": 42_041, "m-small": 100,
    }  # fmt: skip
    assert sums(found["usage.output_tokens"], F + "phase.kind") == {"primary": 2_764, "judge": 644, "repair": 1_866}
    assert sums(found["usage.cache_read.input_tokens"], F + "pattern") == {"cascade": 29_827, "single": 0}
    assert sums(found["usage.cache_write.input_tokens"], F + "pattern") == {"cascade": 16_170, "single": 0}
    assert sums(found["inference_calls"], F + "phase.kind") == {"primary": 2, "judge": 1, "repair": 3}


def test_sums_are_monotonic_and_cumulative_since_the_given_start() -> None:
    for metric in totals([CASCADE]).values():
        data = metric.sum if metric.HasField("sum") else metric.histogram
        assert data.aggregation_temporality == AGGREGATION_TEMPORALITY_CUMULATIVE
        assert metric.histogram.data_points or metric.sum.is_monotonic
        for point in data.data_points:
            assert (point.start_time_unix_nano, point.time_unix_nano) == (TEN * 10**6, (TEN + 60_000) * 10**6)


def test_a_duration_that_is_a_bound_belongs_below_it() -> None:
    legs = [leg(str(ms), index=ms, duration_ms=ms) for ms in (100, 101, 500_000)]
    (point,) = totals([turn("f1", *legs, duration_ms=60_000.0)])["phase.duration"].histogram.data_points
    assert list(point.bucket_counts) == [1, 1, *[0] * 11, 1]
    assert list(point.explicit_bounds)[:3] == [0.1, 0.2, 0.4]
    assert (point.count, point.sum, point.min, point.max) == (3, 500.201, 0.1, 500.0)


def test_the_durations_of_turns_and_routes_have_their_own_bounds() -> None:
    found = totals([CASCADE])
    (whole,) = found["turn.duration"].histogram.data_points
    assert list(whole.bucket_counts) == [0, 0, 0, 0, 0, 1, *[0] * 6]
    (route,) = found["route.duration"].histogram.data_points
    assert (route.count, route.sum, list(route.bucket_counts)[5]) == (1, 0.246496, 1)


def test_credits_add_up_without_rounding() -> None:
    made = [turn(f"f{number}", leg(nano_aiu=100_000_000)) for number in range(10)]
    assert sums(totals(made)["credits"], F + "pattern") == {"single": 1.0}


def test_an_open_turn_and_an_unknown_price_add_nothing() -> None:
    found = totals([CASCADE._replace(state="open"), turn("f2", leg(nano_aiu=None))])
    assert sums(found["turn.count"], F + "pattern") == {"single": 1}
    assert "credits" not in found


def test_a_turn_that_was_given_up_and_goes_on_adds_only_its_new_legs_and_no_total_falls() -> None:
    counted = Totals()
    given_up = CASCADE._replace(state="abandoned", outcome=None, legs=CASCADE.legs[:2], answer_phase_id=None)
    counted.count(given_up, LABELS)
    counted.count(CASCADE, LABELS, root_sent=True, sent_legs={(part.phase_id, part.attempt) for part in given_up.legs})
    found = arrived_metrics(metrics_data(counted.data(TEN, TEN), metric_resource("/root", "host")))
    assert sums(found[F + "turn.count"], F + "outcome") == {"abandoned": 1}
    assert sums(found[F + "credits"], F + "pattern") == pytest.approx({"cascade": 14.719596})
    assert sums(found[F + "phase.count"], F + "phase.kind") == {"primary": 1, "judge": 1, "repair": 1}


def test_only_what_has_changed_is_written_and_what_a_later_version_counts_is_left_alone() -> None:
    counted = Totals()
    counted.count(CASCADE, LABELS)
    kept = counted.written()
    again = Totals.read({**kept, ("github.copilot.fusion.new", "[]"): "1"})
    assert again.written() == {}
    again.count(turn("f2"), LABELS)
    assert {name for name, _ in again.written()} == {F + "turn.count", F + "turn.duration", F + "route.duration"}


def test_no_turns_are_no_metrics() -> None:
    assert totals([]) == {}


@given(st.lists(turns(), max_size=4), st.randoms())
@hostile
def test_any_turns_encode_and_their_order_does_not_matter(made: list[Turn], random: Any) -> None:
    def shown(of: list[Turn]) -> set[tuple[str, bytes]]:
        return {
            (name, point.SerializeToString())
            for name, metric in totals(of).items()
            for point in (*metric.sum.data_points, *metric.histogram.data_points)
        }

    assert shown(made) == shown(random.sample(made, len(made)))
    assert {F + name for name, _ in shown(made)} <= {metric.name for metric in names.TOTALS}
