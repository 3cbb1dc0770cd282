"""The views: what each address shows."""

from __future__ import annotations

from starlette.routing import Route

from fusionscope.page.health import health
from fusionscope.page.overview import overview
from fusionscope.page.session import session
from fusionscope.page.sessions import sessions
from fusionscope.page.summary import summary_json
from fusionscope.page.turn import turn, turn_json
from fusionscope.page.turns import turns, turns_json

__all__ = ["routes"]


def routes() -> list[Route]:
    """Every view with its address. Ids are looked up in the store; one with a slash in it has no view."""
    return [
        Route("/", overview),
        Route("/turns", turns),
        Route("/turns/{fusion_id}", turn),
        Route("/sessions", sessions),
        Route("/sessions/{session_id}", session),
        Route("/health", health),
        Route("/api/turns", turns_json),
        Route("/api/turns/{fusion_id}", turn_json),
        Route("/api/summary", summary_json),
    ]
