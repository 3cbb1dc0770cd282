"""What ``watch`` shows on one screen: the newest turn leg by leg, the turns before it, what the session and the day cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from fusionscope.model import Turn
from fusionscope.report.terminal_canvas import Canvas
from fusionscope.report.terminal_turn import turn_lines
from fusionscope.report.terminal_turns import turns_lines
from fusionscope.report.text import clean, credits, dollars, plural, short_ids

__all__ = ["Frame", "watch_lines"]

_LEAST_TABLE = 4  # lines: the headings, a day, two turns


class Frame(NamedTuple):
    """Everything that a picture is made of.

    ``turns``: the newest ones, oldest first. ``session`` and ``day``: how many turns, and what they cost (nano-AIU, ``None``
    where nothing is known). ``drift``: a sentence on what the logs say that this release does not know. ``trouble``: one, if
    something went wrong. ``empty``: why there is no turn. ``source`` is who reads the logs, ``keys`` what can be pressed.
    """

    turns: Sequence[Turn]
    session: tuple[int, int | None]
    day: tuple[int, int | None]
    drift: str | None
    source: str
    trouble: str | None = None
    empty: str = ""
    keys: str = "q quits"


def watch_lines(canvas: Canvas, frame: Frame, height: int) -> list[Text]:
    """Return the picture in exactly ``height`` lines that fit the canvas.

    The newest turn comes first; the turns before it have what is left, the newest of them last.
    """
    top = _head(canvas, frame)
    bottom = [*_drift(canvas, frame), _foot(canvas, frame)]
    room = max(0, height - len(top) - len(bottom))
    body = _body(canvas, frame, room) if frame.turns else canvas.wrapped(clean(frame.empty))
    body = body[:room] + [Text()] * (room - len(body))
    return [*top, *body, *bottom][-height:]


def _head(canvas: Canvas, frame: Frame) -> list[Text]:
    parts = [_spent("session", *frame.session)] if frame.turns else []
    return [*canvas.facts([*parts, _spent("today", *frame.day)], style="bold"), Text()]


def _spent(name: str, turns: int, nano_aiu: int | None) -> str:
    amount = f"{credits(nano_aiu)} credits ({dollars(nano_aiu)})" if nano_aiu is not None else "no credits known"
    return f"{name} {amount} in {plural(turns, 'turn')}" if turns else f"{name} no turn"


def _body(canvas: Canvas, frame: Frame, room: int) -> list[Text]:
    newest, before = frame.turns[-1], frame.turns[:-1]
    short = short_ids(turn.fusion_id for turn in frame.turns)
    drawn = turn_lines(canvas, newest, short[newest.fusion_id], brief=True)
    table = _table(canvas, before, room - len(drawn) - 1)
    return [*drawn, Text(), *table] if table else drawn


def _table(canvas: Canvas, turns: Sequence[Turn], room: int) -> list[Text]:
    """The newest of ``turns``, as many as fit with the days they began on."""
    if room < _LEAST_TABLE:
        return []
    for number in range(min(len(turns), room - 2), 0, -1):  # below the headings there is a day at least
        table = turns_lines(canvas, turns[-number:], sums=False)
        if len(table) <= room:
            return table
    return []


def _drift(canvas: Canvas, frame: Frame) -> list[Text]:
    return canvas.wrapped(frame.drift, "! ", "bold") if frame.drift else []


def _foot(canvas: Canvas, frame: Frame) -> Text:
    if frame.trouble:
        return Text(canvas.cut(canvas.encodable(f"! {clean(frame.trouble)}"), canvas.width), "bold")
    left, right = frame.source, frame.keys
    gap = canvas.width - cell_len(left) - cell_len(right)
    return Text(f"{left}{' ' * gap}{right}" if gap > 0 else canvas.cut(left, canvas.width), "dim")
