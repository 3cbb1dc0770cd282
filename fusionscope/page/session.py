"""One session: a timeline of its turns, with Fusion and without, and what it spent outside its Fusion turns."""

from __future__ import annotations

from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from fusionscope.model import OrdinaryTurn, Turn
from fusionscope.page import colours
from fusionscope.page.missing import missing
from fusionscope.page.moment import moment
from fusionscope.page.render import render
from fusionscope.page.turns import rows
from fusionscope.report import figures, ordinary, words
from fusionscope.report.ledger_words import COUNTED, difference_name, level_rows, outside_rows, says_something, signed
from fusionscope.report.outside import outside_of
from fusionscope.report.reconcile import Difference, differences
from fusionscope.report.text import credits
from fusionscope.store import listing, read
from fusionscope.store.ledger import ledger

__all__ = ["session"]

#: of a session with more turns the newest are shown; the list of turns has all
_TURNS = 200

#: the least width of a turn on the axis of its session, in per cent: two pixels on a telephone
_LEAST = 0.6

#: what is said of ordinary turns beside the colours of the patterns
WITHOUT_FUSION = "without Fusion"


class Mark(NamedTuple):
    """One turn on the axis of its session: place and width in per cent, height in per cent of the dearest turn's credits.

    ``fusion_id`` is ``None`` of an ordinary turn, which has no view of its own.
    """

    fusion_id: str | None
    label: str
    x: str
    width: str
    y: str
    height: str
    colour: str


class Told(NamedTuple):
    """A difference between two levels in words: its name, and its reasons with amount and number of parts."""

    name: str
    reasons: list[tuple[str, str, str]]


class OrdinaryRow(NamedTuple):
    """One ordinary turn, and what of its cost the log says."""

    turn: OrdinaryTurn
    credits: str


class _Span(NamedTuple):
    """A turn of either kind, as far as the axis cares (ms, nano-AIU)."""

    fusion_id: str | None
    label: str
    begin: int
    end: int
    nano_aiu: int | None
    colour: str


def session(request: Request) -> Response:
    """``/sessions/{session_id}``."""
    wanted = request.path_params["session_id"]
    with moment(request) as recall:
        connection = recall.connection
        facts = read.session(connection, wanted)
        money = ledger(connection, wanted) if facts else None
        if facts is None or money is None:
            return missing(request, "No such session", "No session has this id, or it was forgotten.")
        turns = listing.of_session(connection, wanted, _TURNS)
        paint, shade = colours.of_models(connection), colours.of_patterns(connection)
    without = money.ordinary[-_TURNS:]
    spans = [_of_fusion(turn, shade) for turn in turns] + [_of_ordinary(turn) for turn in without]
    return render(
        request,
        "session.html",
        session=facts,
        rows=rows(turns),
        marks=_marks(spans),
        patterns=[(name, shade(name)) for name in dict.fromkeys(turn.pattern for turn in turns)],
        begins=min((span.begin for span in spans), default=None),
        ends=max((span.end for span in spans), default=None),
        paint=paint,
        nano_aiu=figures.known_nano_aiu(turns),
        older=facts.turns > len(turns),
        ordinary=[OrdinaryRow(turn, _cost(turn)) for turn in without],
        ordinary_left_out=len(money.ordinary) - len(without),
        outside=outside_of(money),
        outside_rows=outside_rows(money),
        levels=level_rows(money) if says_something(money) else [],
        differences=[_told(difference) for difference in differences(money)],
        counted=COUNTED,
    )


def _told(difference: Difference) -> Told:
    reasons = [(reason.name, signed(reason.nano_aiu), str(reason.parts)) for reason in difference.reasons]
    if difference.unexplained_nano_aiu and difference.nano_aiu is not None:
        reasons.append(("unexplained", signed(difference.unexplained_nano_aiu), ""))
    return Told(difference_name(difference), reasons)


def _cost(turn: OrdinaryTurn) -> str:
    """What one cost; where the log says it of some calls only, that it cost more."""
    if turn.nano_aiu is None:
        return "unknown"
    return credits(turn.nano_aiu) if ordinary.is_known(turn) else f"{credits(turn.nano_aiu)} and more"


def _of_fusion(turn: Turn, shade: colours.Paint) -> _Span:
    end = max(turn.started_at, turn.ended_at or turn.last_event_at)
    return _Span(turn.fusion_id, words.pattern(turn), turn.started_at, end, turn.nano_aiu, shade(turn.pattern))


def _of_ordinary(turn: OrdinaryTurn) -> _Span:
    return _Span(None, WITHOUT_FUSION, turn.started_at, max(turn.started_at, turn.ended_at), turn.nano_aiu, "ordinary")


def _marks(spans: list[_Span]) -> list[Mark]:
    if not spans:
        return []
    begin, end = min(span.begin for span in spans), max(span.end for span in spans)
    length = max(1, end - begin)
    dearest = max((span.nano_aiu or 0 for span in spans), default=0) or 1
    found = []
    for span in spans:
        width = max(_LEAST, (span.end - span.begin) / length * 100)
        x = min((span.begin - begin) / length * 100, 100 - width)
        height = max(3.0, (span.nano_aiu or 0) / dearest * 100)
        cost = "cost unknown" if span.nano_aiu is None else f"{credits(span.nano_aiu)} credits"
        found.append(
            Mark(
                span.fusion_id, f"{span.label}, {cost}", f"{max(0.0, x):.2f}%", f"{min(width, 100):.2f}%",
                f"{100 - height:.1f}%", f"{height:.1f}%", span.colour,
            )
        )  # fmt: skip
    return found
