"""The list of sessions."""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from fusionscope.page.moment import moment
from fusionscope.page.render import render
from fusionscope.store import listing, read

__all__ = ["sessions"]

_ROWS = 50


def sessions(request: Request) -> Response:
    """``/sessions``: those with turns, the newest first."""
    before = _place(request.query_params.get("before", ""))
    with moment(request) as recall:
        connection = recall.connection
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


def _place(text: str) -> tuple[int, str] | None:
    last, _, session_id = text.partition(".")
    digits = last.removeprefix("-")
    return (int(last), session_id) if digits.isascii() and digits.isdigit() and len(digits) < 16 and session_id else None
