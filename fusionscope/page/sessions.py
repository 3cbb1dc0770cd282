"""The list of sessions, and one session as a timeline of its turns."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from fusionscope.model import Turn
from fusionscope.page import colours
from fusionscope.page.missing import missing
from fusionscope.page.render import render
from fusionscope.page.turns import rows
from fusionscope.report import figures, words
from fusionscope.store import listing, read

__all__ = ["session", "sessions"]

_ROWS = 50

#: of a session with more turns the newest are shown; the list of turns has all
_TURNS = 200

#: the least width of a turn on the axis of its session, in per cent: two pixels on a telephone
_LEAST = 0.6


class Mark(NamedTuple):
    """One turn on the axis of its session: place and width in per cent, height in per cent of the dearest turn's credits."""

    turn: Turn
    label: str
    x: str
    width: str
    y: str
    height: str
    colour: str


def sessions(request: Request) -> Response:
    """``/sessions``: those with turns, the newest first."""
    before = _place(request.query_params.get("before", ""))
    with request.app.state.store.read() as connection:
        recall = request.app.state.memory.of(connection)
        found = recall.find(("sessions", before), partial(listing.sessions, connection, _ROWS + 1, before))
        with_turns = recall.find("sessions", partial(listing.sessions_count, connection))
        logs = listing.logs_count(connection)
        facts = {each.session_id: read.session(connection, each.session_id) for each in found[:_ROWS]}
    more, found = len(found) > _ROWS, found[:_ROWS]
    return render(
        request,
        "sessions.html",
        sessions=found,
        facts=facts,
        with_turns=with_turns,
        without=max(0, logs - with_turns),
        older=f"?before={found[-1].last_at}.{found[-1].session_id}" if more else None,
        first="" if before is None else "/sessions",
    )


def session(request: Request) -> Response:
    """``/sessions/{session_id}``."""
    wanted = request.path_params["session_id"]
    with request.app.state.store.read() as connection:
        facts = read.session(connection, wanted)
        if facts is None:
            return missing(request, "No such session", "No session has this id, or it was forgotten.")
        turns = listing.of_session(connection, wanted, _TURNS)
        paint, shade = colours.of_models(connection), colours.of_patterns(connection)
    return render(
        request,
        "session.html",
        session=facts,
        rows=rows(turns),
        marks=_marks(turns, shade),
        patterns=[(name, shade(name)) for name in dict.fromkeys(turn.pattern for turn in turns)],
        begins=turns[0].started_at if turns else None,
        ends=max(map(_end, turns), default=None),
        paint=paint,
        nano_aiu=figures.known_nano_aiu(turns),
        older=facts.turns > len(turns),
    )


def _marks(turns: list[Turn], shade: colours.Paint) -> list[Mark]:
    if not turns:
        return []
    begin, end = turns[0].started_at, max(map(_end, turns))
    length = max(1, end - begin)
    dearest = max((turn.nano_aiu or 0 for turn in turns), default=0) or 1
    found = []
    for turn in turns:
        width = max(_LEAST, (_end(turn) - turn.started_at) / length * 100)
        x = min((turn.started_at - begin) / length * 100, 100 - width)
        height = max(3.0, (turn.nano_aiu or 0) / dearest * 100)
        found.append(
            Mark(
                turn, words.pattern(turn), f"{max(0.0, x):.2f}%", f"{min(width, 100):.2f}%", f"{100 - height:.1f}%",
                f"{height:.1f}%", shade(turn.pattern),
            )
        )  # fmt: skip
    return found


def _end(turn: Turn) -> int:
    return max(turn.started_at, turn.ended_at or turn.last_event_at)


def _place(text: str) -> tuple[int, str] | None:
    last, _, session_id = text.partition(".")
    digits = last.removeprefix("-")
    return (int(last), session_id) if digits.isascii() and digits.isdigit() and len(digits) < 16 and session_id else None
