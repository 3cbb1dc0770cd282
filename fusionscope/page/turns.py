"""The list of turns: filters, order, pages."""

from __future__ import annotations

import base64
import json
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from fusionscope.model import ENDED_STATES, UNKNOWN, Turn
from fusionscope.page import colours
from fusionscope.page.filters import RANGES, Filters
from fusionscope.page.moment import moment
from fusionscope.page.render import as_json, render
from fusionscope.report import files, words
from fusionscope.store import listing, totals
from fusionscope.store.listing import ORDERS, Place

__all__ = ["Row", "rows", "turns", "turns_json"]

_ROWS = 50

#: a program that asks for JSON gets so many turns at a time
_OBJECTS = 500

STATES = ("open", *ENDED_STATES)


class Row(NamedTuple):
    """One turn of a list, and what is said of it in words."""

    turn: Turn
    pattern: str
    result: str
    review_share: float | None


class Column(NamedTuple):
    """A column that turns can be ordered by: where a click on it leads, and how it is ordered now."""

    query: str
    sorted: str


class _Asked(NamedTuple):
    """What was asked for beside the filters."""

    order: str
    least_first: bool
    after: Place | None
    before: Place | None


def turns(request: Request) -> Response:
    """``/turns``."""
    filters, asked = Filters.of(request.query_params), _asked(request)
    selection = filters.selection(datetime.now().astimezone().date())
    with moment(request) as recall:
        connection = recall.connection
        page = listing.page(
            connection, selection, asked.order, asked.least_first, _ROWS, after=asked.after, before=asked.before
        )
        context: dict[str, Any] = {
            "extent": recall.find(("extent", selection), partial(listing.selected, connection, selection)),
            "known": {
                "pattern": [*totals.patterns(connection), UNKNOWN],
                "model": totals.models(connection),
                "state": STATES,
                "repository": totals.repositories(connection),
                "client": totals.clients(connection),
            },
            "paint": colours.of_models(connection),
        }
    order = (
        {"sort": ("-" if asked.least_first else "") + asked.order}
        if (asked.order, asked.least_first) != ("when", False)
        else {}
    )
    return render(
        request,
        "turns.html",
        **context,
        filters=filters,
        ranges=RANGES,
        rows=rows(page.turns),
        columns={name: _column(filters, name, asked) for name in ORDERS},
        sort=order.get("sort", ""),
        newer=filters.query(**order, before=_cursor(page.before)) if page.before else None,
        older=filters.query(**order, after=_cursor(page.after)) if page.after else None,
    )


def turns_json(request: Request) -> Response:
    """``/api/turns``: the newest of the selected turns as ``turns --json`` writes them, oldest first.

    ``limit`` of them, 500 at most.
    """
    selection = Filters.of(request.query_params).selection(datetime.now().astimezone().date())
    wanted = request.query_params.get("limit", "")
    limit = min(int(wanted), _OBJECTS) if wanted.isascii() and wanted.isdigit() and len(wanted) < 9 else _OBJECTS
    with request.app.state.store.read() as connection:
        found = listing.page(connection, selection, limit=limit).turns
    return as_json([files.turn_object(turn) for turn in reversed(found)])


def rows(found: list[Turn]) -> list[Row]:
    """Return turns with their words."""
    return [_row(turn) for turn in found]


def _row(turn: Turn) -> Row:
    spent = turn.nano_aiu
    return Row(turn, words.pattern(turn), words.result(turn), turn.review_nano_aiu / spent if spent else None)


def _asked(request: Request) -> _Asked:
    query = request.query_params
    sort = query.get("sort", "")
    order = sort.removeprefix("-")
    if order not in ORDERS:
        sort = order = "when"
    after, before = _place(query.get("after", "")), _place(query.get("before", ""))
    return _Asked(order, sort.startswith("-"), None if before else after, before)


def _column(filters: Filters, name: str, asked: _Asked) -> Column:
    """A click on the column that the turns are ordered by turns the order round."""
    if name != asked.order:
        return Column(filters.query(sort=name), "none")
    turned = name if asked.least_first else f"-{name}"
    return Column(filters.query(sort="" if turned == "when" else turned), "ascending" if asked.least_first else "descending")


def _cursor(place: Place) -> str:
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def _place(cursor: str) -> Place | None:
    """The place that a cursor names; what is none begins at the beginning."""
    if not cursor or len(cursor) > 1_000:
        return None
    try:
        value, started_at, fusion_id = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        fusion_id.encode()
        known = type(value) in (int, float) and type(started_at) is int and abs(value) < 2**63 > abs(started_at)
        return Place(value, started_at, fusion_id) if known else None
    except (ValueError, TypeError, AttributeError):
        return None
