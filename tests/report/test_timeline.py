from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fusionscope.model import Turn
from fusionscope.report.timeline import Span, Timeline, columns, gaps, timeline
from tests.report.strategies import some, turns
from tests.turns import CASCADE, TEN, leg, turn


def test_a_leg_starts_at_its_end_minus_its_duration() -> None:
    line = timeline(CASCADE)
    # The stamps of the log: 774,729 is the start; the legs ended at 797,139, 807,960 and 850,256.
    assert line.spans == (Span(250, 22_410), Span(22_504, 33_231), Span(33_234, 75_527))
    assert (line.begin_ms, line.end_ms, line.length_ms) == (0, 75_613, 75_613)
    assert not line.clock_moved


def test_parallel_critics_keep_their_overlap() -> None:
    line = timeline(
        turn(
            "f1",
            leg(kind="draft", ended_at=TEN + 3_000, duration_ms=3_000),
            leg("f1:c1", kind="critic", ended_at=TEN + 5_000, duration_ms=2_000),
            leg("f1:c2", kind="critic", ended_at=TEN + 6_000, duration_ms=3_000),
        )
    )
    assert line.spans == (Span(0, 3_000), Span(3_000, 5_000), Span(3_000, 6_000))


def test_a_clock_that_moved_back_puts_the_legs_one_after_the_other_in_log_order() -> None:
    two_hours = 7_200_000
    line = timeline(
        turn(
            "f1",
            leg(ended_at=TEN + 2_200, duration_ms=2_000),
            leg("f1:p1", kind="judge", ended_at=TEN + 3_300 - two_hours, duration_ms=1_000),
            leg("f1:p2", kind="repair", ended_at=TEN + 7_400 - two_hours, duration_ms=4_000),
            ended_at=TEN + 7_500 - two_hours,
            duration_ms=7_500.0,
        )
    )
    assert line.clock_moved
    assert line.spans == (Span(200, 2_200), Span(2_200, 3_200), Span(3_200, 7_200))
    assert (line.begin_ms, line.end_ms) == (0, 7_500)


def _moved(turned: Turn) -> bool:
    return timeline(turned).clock_moved


def test_a_clock_that_moved_back_within_the_turn_is_noticed() -> None:
    first = leg(ended_at=TEN + 60_000, duration_ms=60_000)
    second = leg("f1:p1", ended_at=TEN + 45_000, duration_ms=5_000)
    assert _moved(turn("f1", first, second, ended_at=TEN + 60_000, duration_ms=60_000.0))


def test_a_leg_that_ended_after_its_turn_is_a_clock_that_moved_unless_work_went_on() -> None:
    late = leg(ended_at=TEN + 60_000)
    assert _moved(turn("f1", late))
    assert not _moved(turn("f1", late, awaiting_background_work=True))
    assert not _moved(turn("f1", late._replace(background_work=True)))
    assert not _moved(turn("f1", late._replace(kind="follow_up")))


def test_a_turn_that_ended_before_it_began_is_a_clock_that_moved() -> None:
    assert _moved(turn("f1", ended_at=TEN - 1))


def test_stamps_less_than_a_second_apart_are_no_news() -> None:
    first = leg(ended_at=TEN + 9_500)
    second = leg("f1:p1", ended_at=TEN + 9_000)
    assert not _moved(turn("f1", first, second))


def test_a_leg_that_ran_longer_than_its_turn_widens_the_axis() -> None:
    line = timeline(turn("f1", leg(ended_at=TEN + 8_000, duration_ms=30_000)))
    assert not line.clock_moved
    assert line.spans == (Span(-22_000, 8_000),)
    assert (line.begin_ms, line.end_ms, line.length_ms) == (-22_000, 9_000, 31_000)


def test_an_open_turn_ends_at_its_newest_moment() -> None:
    line = timeline(turn("f1", leg(), state="open", ended_at=None, duration_ms=None, last_event_at=TEN + 4_000))
    assert (line.begin_ms, line.end_ms) == (0, 4_000)


def test_a_turn_without_legs_has_an_axis_and_no_spans() -> None:
    assert timeline(turn("f1")) == Timeline((), 0, 9_000, False)


def test_columns_are_parts_of_the_axis_and_touch_where_spans_touch() -> None:
    line = Timeline((), 0, 100, False)
    assert columns(line, Span(0, 25), 8) == range(2)
    assert columns(line, Span(25, 100), 8) == range(2, 8)


def test_a_span_too_short_for_a_column_has_one() -> None:
    line = Timeline((), 0, 1_000_000, False)
    assert columns(line, Span(0, 1), 10) == range(1)
    assert columns(line, Span(999_999, 1_000_000), 10) == range(9, 10)
    assert columns(line, Span(5, 5), 10) == range(1)


def test_columns_begin_where_the_axis_begins() -> None:
    assert columns(Timeline((), -50, 50, False), Span(-50, 0), 10) == range(5)


def test_an_axis_without_length_gives_all_columns() -> None:
    assert columns(Timeline((), 0, 0, False), Span(0, 0), 4) == range(4)


@some
@given(turns(), st.integers(1, 300))
def test_every_leg_has_columns_within_the_axis(turned: Turn, width: int) -> None:
    line = timeline(turned)
    assert len(line.spans) == len(turned.legs)
    for span in line.spans:
        assert line.begin_ms <= span.start_ms <= span.end_ms <= line.end_ms
        cells = columns(line, span, width)
        assert 0 <= cells.start < cells.stop <= width


def test_gaps_are_where_no_leg_ran_and_nothing_was_routed() -> None:
    # routed until 246.5; the legs ran from 250 to 22,410, to 33,231 from 22,504, to 75,527 from 33,234; the end is 75,613
    assert gaps(CASCADE, timeline(CASCADE)) == [
        Span(CASCADE.routing_latency_ms or 0.0, 250), Span(22_410, 22_504), Span(33_231, 33_234), Span(75_527, 75_613),
    ]  # fmt: skip


def test_nothing_is_said_of_an_open_turn_after_its_last_leg() -> None:
    waiting = turn(
        "f1", leg(), state="open", ended_at=None, duration_ms=None, last_event_at=TEN + 9_000, routing_latency_ms=None
    )
    assert gaps(waiting, timeline(waiting)) == []
    ended = turn("f1", leg(), routing_latency_ms=None)
    assert gaps(ended, timeline(ended)) == [Span(2_000, 9_000)]


@some
@given(turns())
def test_gaps_and_legs_never_overlap(turned: Turn) -> None:
    line = timeline(turned)
    for gap in gaps(turned, line):
        assert line.begin_ms <= gap.start_ms < gap.end_ms <= line.end_ms
        assert not any(span.start_ms < gap.end_ms and gap.start_ms < span.end_ms for span in line.spans)
