"""One turn for the terminal: header, waterfall with a line a leg, notes, tokens."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from fusionscope.model import Leg, Turn
from fusionscope.report import words
from fusionscope.report.terminal_canvas import BAR_STYLES, GAP, Canvas, Cell, Column, fit, headings, lay_out
from fusionscope.report.text import SHORT_ID, count, credits, duration, local_time, milliseconds, money
from fusionscope.report.timeline import Timeline, columns, timeline
from fusionscope.report.words import Fate

__all__ = ["turn_lines"]

# What names and remarks are cut for, so that the bars have it.
_WANTED_LANE = 14

# Bars in less room say nothing: then the words take it.
_LEAST_LANE = 10

# As long as the longest verb of ours, "followed up".
_VERB = 11


def turn_lines(canvas: Canvas, turn: Turn, short_id: str | None = None, *, brief: bool = False) -> list[Text]:
    """Return the lines of one turn; ``short_id`` is the beginning of its id that tells it from all others.

    ``brief``: without the tokens, and without where it came from.
    """
    line = timeline(turn)
    lines = _header(canvas, turn, short_id or turn.fusion_id[:SHORT_ID])
    if turn.legs:
        lines += [Text(), *_waterfall(canvas, turn, line)]
    elif turn.route_failure is None:
        lines += [Text(), Text("no leg in the log yet" if turn.is_open else "no leg in the log")]
    notes = words.notes(turn, line)
    if notes:
        lines.append(Text())
    for text, warning in notes:
        lines += canvas.wrapped(text, "! " if warning else "  ", "bold" if warning else "")
    if brief:
        return lines
    if turn.legs:
        lines += [Text(), *_tokens(canvas, turn)]
    return [*lines, Text(), *_footer(canvas, turn)]


def _header(canvas: Canvas, turn: Turn, short_id: str) -> list[Text]:
    left = Text(canvas.encodable(words.pattern(turn)), "bold")
    left.append(f"  {canvas.log_text(short_id, 43)}", "not bold")
    if state := canvas.encodable(words.state(turn)):
        left.append(f"  {state}", "bold")
    moment = local_time(turn.started_at, canvas.zone)
    gap = canvas.width - left.cell_len - cell_len(moment)
    if gap < GAP:
        first = [left, Text(moment)]
    else:
        left.append(" " * gap + moment, "not bold")
        first = [left]
    asked = f"asked for {canvas.log_text(turn.synthetic_model, 60)}" if turn.synthetic_model else ""
    time = "" if turn.route_failure is not None else words.time_taken(turn)
    return [*first, *canvas.facts([time, money(turn.nano_aiu), asked])]


def _waterfall(canvas: Canvas, turn: Turn, line: Timeline) -> list[Text]:
    before = (Column(gap=1), Column(least=12, middle=True), Column())
    after = (Column("time", right=True), Column("credits", right=True), Column(least=12))
    fates = words.fates(turn)
    left: list[list[Cell]] = []
    right: list[list[Cell]] = []
    for leg, fate in zip(turn.legs, fates, strict=True):
        style = _word_style(fate)
        left.append([(canvas.signs.answer if fate is Fate.ANSWER else " ", "bold"), *_label(canvas, turn, leg, style)])
        remark = canvas.encodable(words.remark(leg, fate))
        right.append([(duration(leg.duration_ms), style), (credits(leg.nano_aiu), style), (remark, style)])

    rows = [one + other for one, other in zip(left, right, strict=True)]
    widths = fit([*before, *after], rows, canvas.width - _WANTED_LANE - GAP)
    lane = canvas.width - sum(widths) - sum(column.gap for column in (*before, *after))
    if lane < _LEAST_LANE:
        return [lay_out(canvas, [*before, *after], widths, row) for row in rows]

    bars = [_bar(canvas, line, place, lane, fate) for place, fate in enumerate(fates)]
    axis: Cell = (_axis(canvas, turn, line, lane), "")
    head = [*headings(before), axis, *headings(after)]
    layout = [*before, Column(), *after]
    room = [*widths[: len(before)], lane, *widths[len(before) :]]
    lines = [lay_out(canvas, layout, room, head)]
    for one, bar, other in zip(left, bars, right, strict=True):
        lines.append(lay_out(canvas, layout, room, [*one, bar, *other]))
    return lines


def _label(canvas: Canvas, turn: Turn, leg: Leg, style: str) -> list[Cell]:
    """Return who and what: the same two columns in the waterfall and in the tokens."""
    verb = canvas.cut(canvas.encodable(words.verb(turn, leg)), _VERB)
    return [(canvas.log_text(leg.model), style), (verb, style)]


def _word_style(fate: Fate) -> str:
    if fate is Fate.ANSWER:
        return "bold"
    return "red" if fate in (Fate.FAILED, Fate.CANCELLED) else ""


def _bar(canvas: Canvas, line: Timeline, place: int, lane: int, fate: Fate) -> Cell:
    cells = columns(line, line.spans[place], lane)
    return " " * cells.start + canvas.signs.bars[fate] * len(cells), BAR_STYLES[fate]


def _axis(canvas: Canvas, turn: Turn, line: Timeline, lane: int) -> str:
    """Return the axis: 0, its length, and a rule between them."""
    end = duration(line.length_ms)
    return f"0 {canvas.signs.axis * (lane - cell_len(end) - 3)} {end}"


def _tokens(canvas: Canvas, turn: Turn) -> list[Text]:
    legs = turn.legs
    layout = [Column(gap=1), Column("tokens", least=6, middle=True), Column(least=4)]
    rows: list[list[Cell]] = [[(" ", ""), *_label(canvas, turn, leg, "")] for leg in legs]
    if any(leg.reasoning_effort for leg in legs):
        layout.append(Column("effort", least=6))
        for row, leg in zip(rows, legs, strict=True):
            row.append((canvas.log_text(leg.reasoning_effort or "", 20), ""))
    if len(legs) > 1:
        rows.append([("", ""), ("turn", ""), *[("", "")] * (len(layout) - 2)])
    for heading, values, whole in (
        ("fresh", [leg.fresh_tokens for leg in legs], None),
        ("cached", [leg.cached_tokens for leg in legs], None),
        ("cache-written", [leg.cache_write_tokens for leg in legs], None),
        ("output", [leg.output_tokens for leg in legs], None),
        ("calls", [leg.requests for leg in legs], turn.requests),
    ):
        layout.append(Column(heading, right=True))
        column = [*values, sum(values) if whole is None else whole]
        for row, value in zip(rows, column, strict=False):
            row.append((count(value, 8), ""))
    widths = fit(layout, rows, canvas.width)
    return [lay_out(canvas, layout, widths, row) for row in [headings(layout), *rows]]


def _footer(canvas: Canvas, turn: Turn) -> list[Text]:
    """Return where this turn came from: nothing anyone needs in order to understand it."""
    latency = turn.routing_latency_ms
    facts = [
        f"policy {canvas.log_text(turn.policy, 40)}" if turn.policy else "",
        f"route {canvas.log_text(turn.route_source, 40)}" if turn.route_source else "",
        f"routing {milliseconds(latency)}" if latency is not None else "",
        f"CLI {canvas.log_text(turn.cli_version, 40)}" if turn.cli_version else "",
        f"sub-agent {canvas.log_text(turn.agent_id, 40)}" if turn.agent_id else "",
        f"session {canvas.log_text(turn.session_id, 40)}",
    ]
    return canvas.facts(facts, style="dim")
