"""One turn: its waterfall, its legs, why it was routed that way, and the way to the turns beside it."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from fusionscope.model import Leg, Turn
from fusionscope.page import colours
from fusionscope.page.addresses import grafana_address, trace_of, turn_address
from fusionscope.page.calls import calls_of
from fusionscope.page.missing import missing
from fusionscope.page.moment import moment
from fusionscope.page.render import as_json, render
from fusionscope.page.route import elsewhere, route
from fusionscope.page.waterfall import waterfall
from fusionscope.report import figures, files, words
from fusionscope.report.timeline import timeline
from fusionscope.store import listing, read

__all__ = ["turn", "turn_json"]


class LegRow(NamedTuple):
    """One leg of the table: what it did, and what a second of it cost (nano-AIU)."""

    leg: Leg
    verb: str
    nano_aiu_per_second: int | None


def turn(request: Request) -> Response:
    """``/turns/{fusion_id}``; the beginning of an id leads to the turn."""
    wanted = request.path_params["fusion_id"]
    with moment(request) as recall:
        connection = recall.connection
        found = _exactly(connection, wanted)
        if found is None:
            return _elsewhere(request, connection, wanted)
        before, after = listing.beside(connection, found)
        paint = colours.of_models(connection)
    line = timeline(found)
    by_leg, loose = calls_of(found)
    return render(
        request,
        "turn.html",
        turn=found,
        pattern=words.pattern(found),
        state=words.state(found),
        time=words.time_taken(found),
        notes=words.notes(found, line),
        paint=paint,
        waterfall=waterfall(found, line, paint),
        legs=[LegRow(leg, words.verb(found, leg), figures.cost_per_second(leg)) for leg in found.legs],
        tokens=figures.tokens([found]),
        efforts=any(leg.reasoning_effort for leg in found.legs),
        calls=by_leg,
        loose_calls=loose,
        route=route(found),
        elsewhere=elsewhere(found),
        trace=trace_of(found),
        grafana=grafana_address(request.app.state.settings.grafana_url, found),
        before=before,
        after=after,
    )


def turn_json(request: Request) -> Response:
    """``/api/turns/{fusion_id}``: the turn as ``show --json`` writes it."""
    with request.app.state.store.read() as connection:
        found = _exactly(connection, request.path_params["fusion_id"])
    if found is None:
        return as_json({"error": "No turn has this id."}, 404)
    return as_json(files.turn_details(found))


def _exactly(connection: sqlite3.Connection, fusion_id: str) -> Turn | None:
    found = read.turns_by_id(connection, [fusion_id])
    # for SQLite's JSON a text ends at its first NUL
    return found[0] if found and found[0].fusion_id == fusion_id else None


def _elsewhere(request: Request, connection: sqlite3.Connection, beginning: str) -> Response:
    try:
        found = read.find_turn(connection, beginning)
    except read.AmbiguousIdError as error:
        fits = [(fusion_id, turn_address(fusion_id)) for fusion_id in error.fits]
        return missing(request, "More than one turn begins like this", "Which one is it?", fits)
    if found is None:
        return missing(request, "No such turn", "No turn's id begins like this. Its session may have been forgotten.")
    return RedirectResponse(turn_address(found.fusion_id), 302)
