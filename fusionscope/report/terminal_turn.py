"""One turn for the terminal: header, waterfall, notes, tokens."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from fusionscope.model import Turn
from fusionscope.report import words
from fusionscope.report.calls import MOST_CALLS, total
from fusionscope.report.terminal_canvas import GAP, Canvas, Cell, Column, fit, headings, lay_out
from fusionscope.report.terminal_waterfall import Tools, folds, leg_label, waterfall
from fusionscope.report.text import SHORT_ID, count, local_time, milliseconds, money
from fusionscope.report.timeline import timeline
from fusionscope.report.words import Note

__all__ = ["turn_lines"]


def turn_lines(
    canvas: Canvas, turn: Turn, short_id: str | None = None, tools: Tools = Tools.NONE, *, brief: bool = False
) -> list[Text]:
    """Return the lines of one turn; ``short_id`` is the beginning of its id that tells it from all others.

    ``brief``: without the tokens, and without how to see more and where it came from.
    """
    line = timeline(turn)
    lines = _header(canvas, turn, short_id or turn.fusion_id[:SHORT_ID])
    if drawn := waterfall(canvas, turn, line, tools):
        lines += [Text(), *drawn]
    if not turn.legs and turn.route_failure is None:
        lines += [Text(), Text("no leg in the log yet" if turn.is_open else "no leg in the log")]
    notes = [*words.notes(turn, line), *([] if brief else _of_tools(turn, tools))]
    if notes:
        lines.append(Text())
    for text, warning in notes:
        lines += canvas.wrapped(text, "! " if warning else "  ", "bold" if warning else "")
    if brief:
        return lines
    if turn.legs:
        lines += [Text(), *_tokens(canvas, turn)]
    return [*lines, Text(), *_footer(canvas, turn)]


def _of_tools(turn: Turn, tools: Tools) -> list[Note]:
    """Say how to see the calls that are not shown, or that there are none."""
    said = total(turn)
    if tools is Tools.NONE:
        return [Note(f"{said}: --tools shows them", False)] if said else []
    if not said:
        return [Note("no tool call in the log is tied to this turn", False)]
    if folds(turn, tools):
        said += f", folded by tool where a leg has more than {MOST_CALLS}: --tools=all or --json has each"
    return [Note(said, False)]


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


def _tokens(canvas: Canvas, turn: Turn) -> list[Text]:
    legs = turn.legs
    layout = [Column(gap=1), Column("tokens", least=6, middle=True), Column(least=4)]
    rows: list[list[Cell]] = [[(" ", ""), *leg_label(canvas, turn, leg)] for leg in legs]
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
        *(f"follow-up {canvas.log_text(of, 20)}: {canvas.log_text(action, 20)}" for of, action in turn.follow_up),
        f"session {canvas.log_text(turn.session_id, 40)}",
    ]
    return canvas.facts(facts, style="dim")
