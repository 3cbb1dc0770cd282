"""Turns without Fusion for the terminal: a table of them, and their section below the figures of the Fusion turns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from rich.text import Text

from fusionscope.model import OrdinaryTurn
from fusionscope.report import ordinary
from fusionscope.report.ordinary import Median, ModelFigures
from fusionscope.report.terminal_canvas import Canvas, Cell, Column, fit, headings, lay_out
from fusionscope.report.text import count, credits, local_day, money, plural, seconds, short_ids
from fusionscope.store.ledger import Ledger

__all__ = ["ordinary_lines", "section_lines"]

_UNKNOWN = "unknown"
_SHORT_SESSION = 8

_TABLE = (
    Column("began"),
    Column("session"),
    Column("models", least=12, middle=True),
    Column("calls", right=True),
    Column("tools", right=True),
    Column("time", right=True),
    Column("input", right=True),
    Column("output", right=True),
    Column("credits", right=True),
)

_SECTION = (
    Column("answered by", least=12, middle=True),
    Column("turns", right=True),
    Column("calls", right=True),
    Column("input", right=True),
    Column("output", right=True),
    Column("credits", right=True),
    Column("median", right=True),
    Column("known", right=True, least=5),
)


def ordinary_lines(canvas: Canvas, turns: Sequence[OrdinaryTurn]) -> list[Text]:
    """Return a table of turns without Fusion, newest last, in days of the canvas' zone."""
    if not turns:
        return [Text("no turns without Fusion")]
    days = [local_day(turn.started_at, canvas.zone) for turn in turns]
    short = short_ids((turn.session_id for turn in turns), _SHORT_SESSION)
    rows = [_row(canvas, turn, short[turn.session_id], day[1]) for turn, day in zip(turns, days, strict=True)]
    widths = fit(_TABLE, rows, canvas.width)
    facts = ["turns without Fusion", plural(len(turns), "turn"), _spent(turns)]
    lines = [*canvas.facts(facts, style="bold"), lay_out(canvas, _TABLE, widths, headings(_TABLE))]
    for day, places in groupby(range(len(turns)), key=lambda place: (days[place][0], days[place][2])):
        lines.append(Text(" ".join(filter(None, day)), "bold"))
        lines += [lay_out(canvas, _TABLE, widths, rows[place]) for place in places]
    return lines


def section_lines(canvas: Canvas, turns: Sequence[OrdinaryTurn], fusion: Median, ledgers: Iterable[Ledger]) -> list[Text]:
    """Return the section of the summary on turns without Fusion, ``fusion`` beside their medians.

    Nothing where there is no such turn, nor a total of a session.
    """
    totals = ordinary.without_fusion(ledgers)
    if not turns and not totals.sessions:
        return []
    lines = canvas.wrapped("Without Fusion (not in the figures above)", style="bold")
    if turns:
        lines += [*canvas.facts([plural(len(turns), "turn"), plural(ordinary.sessions(turns), "session"), _spent(turns)])]
        lines += [Text(), *_by_model(canvas, turns, fusion), Text()]
    if totals.sessions:
        metered = f"{count(totals.metered)} of {plural(totals.sessions, 'session')}"
        calls = "" if totals.requests is None else plural(totals.requests, "call")
        lines += canvas.facts(
            [f"shutdown totals of sessions without a Fusion turn: {_credits(totals.nano_aiu)}", f"{metered} metered", calls]
        )
    return lines


def _row(canvas: Canvas, turn: OrdinaryTurn, session: str, clock: str) -> list[Cell]:
    failed = f" ({turn.failed_tool_calls} failed)" if turn.failed_tool_calls else ""
    return [
        (clock, ""),
        (canvas.log_text(session, 40), ""),
        (", ".join(canvas.log_text(model) for model in turn.models), ""),
        (count(turn.calls, 8), ""),
        (f"{count(turn.tool_calls, 8)}{failed}", ""),
        (seconds(turn.ended_at - turn.started_at), ""),
        (_tokens(turn.input_tokens), ""),
        (_tokens(turn.output_tokens), ""),
        (_credits(turn.nano_aiu) + ("" if turn.nano_aiu is None or ordinary.is_known(turn) else "+"), ""),
    ]


def _by_model(canvas: Canvas, turns: Sequence[OrdinaryTurn], fusion: Median) -> list[Text]:
    named: list[tuple[str, ModelFigures]] = [(canvas.log_text(model), each) for model, each in ordinary.by_model(turns).items()]
    if several := ordinary.of_several_models(turns):
        named.append(("several models", several))
    rows: list[list[Cell]] = [
        [
            (name, ""),
            (count(each.turns), ""),
            (count(each.calls), ""),
            (_tokens(each.tokens and each.tokens.input), ""),
            (_tokens(each.tokens and each.tokens.output), ""),
            (_credits(each.nano_aiu), ""),
            *_median(each.median),
        ]
        for name, each in named
    ]
    if fusion.turns:
        beside: list[Cell] = [("beside them: Fusion", ""), (count(fusion.turns), "")]
        rows.append([*beside, *[("", "")] * 4, *_median(fusion)])
    widths = fit(_SECTION, rows, canvas.width)
    return [lay_out(canvas, _SECTION, widths, row) for row in [headings(_SECTION, "bold"), *rows]]


def _median(found: Median) -> list[Cell]:
    return [(_credits(found.nano_aiu), ""), (f"{count(found.known)} of {count(found.turns)}", "")]


def _spent(turns: Sequence[OrdinaryTurn]) -> str:
    known = ordinary.nano_aiu(turns)
    if known is None:
        return "credits unknown: the logs do not say them"
    unknown = len(turns) - ordinary.median_of(turns).known
    return money(known) + (f", {plural(unknown, 'turn')} of unknown cost" if unknown else "")


def _credits(nano_aiu: int | None) -> str:
    return _UNKNOWN if nano_aiu is None else credits(nano_aiu)


def _tokens(number: int | None) -> str:
    return _UNKNOWN if number is None else count(number, 9)
