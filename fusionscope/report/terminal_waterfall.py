"""The waterfall of one turn for the terminal: a line a leg, its tool calls below it where asked, and what never ran."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from fusionscope.model import Leg, ToolCall, Turn
from fusionscope.report import words
from fusionscope.report.calls import MOST_CALLS, CallRow, call_remark, calls_by_leg, folded
from fusionscope.report.plan import NotRun, not_run
from fusionscope.report.terminal_canvas import BAR_STYLES, GAP, Canvas, Cell, Column, fit, headings, lay_out
from fusionscope.report.text import credits, duration
from fusionscope.report.timeline import Span, Timeline, columns
from fusionscope.report.words import Fate

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["Tools", "folds", "leg_label", "waterfall"]

# What names and remarks are cut for, so that the bars have it.
_WANTED_LANE = 14

# Bars in less room say nothing: then the words take it.
_LEAST_LANE = 10

# As long as the longest verb of ours, "followed up".
_VERB = 11

# Columns a call stands further in than the leg or the call above it, and how often.
_INDENT = 2
_DEEPEST = 4

_BEFORE = (Column(gap=1), Column(least=12, middle=True), Column())
_AFTER = (Column("time", right=True), Column("credits", right=True), Column(least=12))


class Tools(Enum):
    """Which tool calls a waterfall shows."""

    NONE = "none"
    #: each, but folded by tool where a leg has many
    SOME = "some"
    ALL = "all"


class _Row(NamedTuple):
    """One line: the cells before and after its bar, and the bar; or a ``text`` across all of them."""

    left: list[Cell]
    right: list[Cell]
    span: Span | None = None
    sign: str = ""
    style: str = ""
    text: str = ""


def folds(turn: Turn, tools: Tools) -> bool:
    """Whether the waterfall has fewer lines than there are calls to show."""
    by_leg, loose = calls_by_leg(turn)
    return tools is Tools.SOME and any(len(rows) > MOST_CALLS for rows in [*by_leg, loose])


def waterfall(canvas: Canvas, turn: Turn, line: Timeline, tools: Tools = Tools.NONE) -> list[Text]:
    """Return the lines of the waterfall; none of a turn that has nothing to draw."""
    rows = list(_rows(canvas, turn, line, tools))
    cells = [row.left + row.right for row in rows if not row.text]
    if not rows:
        return []
    widths = fit([*_BEFORE, *_AFTER], cells, canvas.width - _WANTED_LANE - GAP)
    lane = canvas.width - sum(widths) - sum(column.gap for column in (*_BEFORE, *_AFTER))
    if lane < _LEAST_LANE:
        return [found for row in rows for found in _laid_out(canvas, [*_BEFORE, *_AFTER], widths, row, row.left + row.right)]
    layout = [*_BEFORE, Column(), *_AFTER]
    room = [*widths[: len(_BEFORE)], lane, *widths[len(_BEFORE) :]]
    axis: Cell = (_axis(canvas, line, lane), "")
    lines = [lay_out(canvas, layout, room, [*headings(_BEFORE), axis, *headings(_AFTER)])]
    for row in rows:
        lines += _laid_out(canvas, layout, room, row, [*row.left, _bar(line, row, lane), *row.right])
    return lines


def leg_label(canvas: Canvas, turn: Turn, leg: Leg, style: str = "") -> list[Cell]:
    """Return who and what: the same two columns in the waterfall and in the tokens."""
    verb = canvas.cut(canvas.encodable(words.verb(turn, leg)), _VERB)
    return [(canvas.log_text(leg.model), style), (verb, style)]


def _rows(canvas: Canvas, turn: Turn, line: Timeline, tools: Tools) -> Iterator[_Row]:
    by_leg, loose = calls_by_leg(turn)
    for leg, fate, span, calls in zip(turn.legs, words.fates(turn), line.spans, by_leg, strict=True):
        yield _leg(canvas, turn, leg, fate, span)
        yield from _calls(canvas, turn, line, calls, tools)
    yield from (_planned(canvas, planned) for planned in not_run(turn))
    if loose and tools is not Tools.NONE:
        yield _Row([], [], text="  tool calls of no leg in the log:")
        yield from _calls(canvas, turn, line, loose, tools)


def _leg(canvas: Canvas, turn: Turn, leg: Leg, fate: Fate, span: Span) -> _Row:
    style = _word_style(fate)
    answer = canvas.signs.answer if fate is Fate.ANSWER else " "
    remark = canvas.encodable(words.remark(leg, fate))
    return _Row(
        [(answer, "bold"), *leg_label(canvas, turn, leg, style)],
        [(duration(leg.duration_ms), style), (credits(leg.nano_aiu), style), (remark, style)],
        span,
        canvas.signs.bars[fate],
        BAR_STYLES[fate],
    )


def _planned(canvas: Canvas, found: NotRun) -> _Row:
    """A leg that never ran has no bar, no time and no money, and in words why."""
    kind = canvas.cut(canvas.log_text(found.planned.kind, 20), _VERB)
    model = canvas.log_text(found.model) if found.model else "(planned)"
    return _Row([(" ", ""), (model, "dim"), (kind, "dim")], [("", ""), ("", ""), (found.word, "dim")])


def _calls(canvas: Canvas, turn: Turn, line: Timeline, rows: list[CallRow], tools: Tools) -> Iterator[_Row]:
    if tools is Tools.NONE:
        return
    if tools is Tools.SOME and len(rows) > MOST_CALLS:
        yield from (_Row([], [], text=f"{' ' * 2 * _INDENT}{canvas.encodable(text)}") for text in folded(rows))
        return
    for call, depth in rows:
        style = "red" if call.failed else ""
        name = " " * _INDENT * (1 + min(depth, _DEEPEST)) + canvas.log_text(call.name, 60)
        time = "" if call.duration_ms is None else duration(call.duration_ms)
        yield _Row(
            [(" ", ""), (name, style), ("", "")],
            [(time, style), ("", ""), (canvas.encodable(call_remark(turn, call)), style)],
            _span(line, turn, call),
            canvas.signs.bars[Fate.FAILED] if call.failed else canvas.signs.call,
            style,
        )


def _span(line: Timeline, turn: Turn, call: ToolCall) -> Span | None:
    """When a call ran, as far as the axis goes; one without an end is a point, one outside or of a moved clock is nowhere."""
    start = call.started_at - turn.started_at
    end = start + (call.duration_ms or 0)
    if line.clock_moved or start > line.end_ms or end < line.begin_ms:
        return None
    return Span(max(start, line.begin_ms), min(end, line.end_ms))


def _word_style(fate: Fate) -> str:
    if fate is Fate.ANSWER:
        return "bold"
    return "red" if fate in (Fate.FAILED, Fate.CANCELLED) else ""


def _bar(line: Timeline, row: _Row, lane: int) -> Cell:
    if row.span is None:
        return "", ""
    cells = columns(line, row.span, lane)
    return " " * cells.start + row.sign * len(cells), row.style


def _axis(canvas: Canvas, line: Timeline, lane: int) -> str:
    """Return the axis: 0, its length, and a rule between them."""
    end = duration(line.length_ms)
    return f"0 {canvas.signs.axis * (lane - cell_len(end) - 3)} {end}"


def _laid_out(canvas: Canvas, layout: list[Column], widths: list[int], row: _Row, cells: list[Cell]) -> list[Text]:
    if not row.text:
        return [lay_out(canvas, layout, widths, cells)]
    text = row.text.lstrip(" ")
    return canvas.wrapped(text, " " * (len(row.text) - len(text)))
