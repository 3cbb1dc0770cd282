"""A turn as bars on one time axis: geometry in per cent of the axis, so that the bars grow with the window and texts do not."""

from __future__ import annotations

from typing import NamedTuple

from fusionscope.model import Leg, PlannedLeg, Turn
from fusionscope.page.colours import Paint
from fusionscope.report import words
from fusionscope.report.plan import not_run
from fusionscope.report.text import duration
from fusionscope.report.timeline import Span, Timeline, gaps

__all__ = ["Bar", "Lane", "Tick", "Waterfall", "waterfall"]

#: how long an outline is that stands for a leg that never ran, in per cent of the axis
_OUTLINE = 7.0

#: no bar is drawn narrower, in per cent of the axis
_LEAST = 0.25

#: shorter pauses are drawn and not told (ms)
_WORTH_A_WORD_MS = 1_000

_STEPS_MS = (
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000,
    1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000, 86_400_000,
)  # fmt: skip
_MOST_TICKS = 5


class Bar(NamedTuple):
    """A stretch of the axis: where it begins and how long it is, in per cent."""

    x: str
    width: str


class Tick(NamedTuple):
    """A moment of the axis, in per cent, with its words and the side of it that they stand on.

    The words of a ``late`` one would touch those of the end where there is little room.
    """

    x: str
    label: str
    anchor: str
    late: bool


class Lane(NamedTuple):
    """One row: a leg that ran, or a planned one (``leg`` is ``None``); its bar, and the classes of its look.

    ``model`` of a planned one is the model that the route named for it, if any.
    """

    leg: Leg | None
    planned: PlannedLeg | None
    model: str | None
    verb: str
    remark: str
    bar: Bar
    fate: str
    colour: str


class Waterfall(NamedTuple):
    """All of it. ``routing`` is the time that routing took; in ``gaps`` no leg ran, and ``gap_words`` say how long."""

    lanes: list[Lane]
    ticks: list[Tick]
    routing: Bar | None
    gaps: list[Bar]
    gap_words: str


def waterfall(turn: Turn, line: Timeline, paint: Paint) -> Waterfall:
    """Return the drawing of ``turn``; ``paint`` gives the class of a model's colour."""
    fates = words.fates(turn)
    lanes = [
        Lane(
            leg, None, leg.model, words.verb(turn, leg), words.remark(leg, fate), _bar(line, span),
            f"fate-{fate.name.lower()}", paint(leg.model),
        )
        for leg, fate, span in zip(turn.legs, fates, line.spans, strict=True)
    ]  # fmt: skip
    behind = max((span.end_ms for span in line.spans), default=line.begin_ms)
    outline = Bar(_percent(min(100 - _OUTLINE, _place(line, behind))), _percent(_OUTLINE))
    lanes += [
        Lane(
            None, found.planned, found.model, found.planned.kind, f"planned, {found.word}", outline, "fate-planned", "other"
        )
        for found in not_run(turn)
    ]  # fmt: skip
    idle_spans = [
        gap for gap in gaps(turn, line) if line.length_ms and (gap.end_ms - gap.start_ms) / line.length_ms * 100 >= _LEAST
    ]
    idle = sum(gap.end_ms - gap.start_ms for gap in idle_spans)
    latency = turn.routing_latency_ms or 0
    return Waterfall(
        lanes,
        _ticks(line),
        _bar(line, Span(0, latency)) if latency > 0 and not line.clock_moved else None,
        [_bar(line, gap) for gap in idle_spans],
        f"no leg ran for {duration(idle)} of {duration(line.length_ms)}" if idle >= _WORTH_A_WORD_MS else "",
    )


def _bar(line: Timeline, span: Span) -> Bar:
    begin = min(_place(line, span.start_ms), 100 - _LEAST)
    return Bar(_percent(begin), _percent(min(100 - begin, max(_LEAST, _place(line, span.end_ms) - begin))))


def _place(line: Timeline, moment: float) -> float:
    return (moment - line.begin_ms) / line.length_ms * 100 if line.length_ms > 0 else 0.0


def _percent(value: float) -> str:
    return f"{value:.2f}%"


def _ticks(line: Timeline) -> list[Tick]:
    """Round moments on the axis; those too near to the end of it would touch its words."""
    length = line.length_ms
    if length <= 0:
        return []
    step = next((step for step in _STEPS_MS if length / step <= _MOST_TICKS), None)
    if step is None:
        step = _STEPS_MS[-1] * (int(length / _STEPS_MS[-1] / _MOST_TICKS) + 1)
    moments = [number * step for number in range(int(length / step) + 1)]
    ticks = [
        Tick(_percent(moment / length * 100), _words(moment), "middle" if moment else "start", moment / length > 0.55)
        for moment in moments
        if moment / length < 0.85
    ]
    return [*ticks, Tick("100.00%", duration(length), "end", False)]


def _words(moment: int) -> str:
    """A round moment without the unit that it has nothing of."""
    return duration(moment).replace(".0 s", " s").removesuffix(" 0 s").removesuffix(" 0 min") if moment else "0"
