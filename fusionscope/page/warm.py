"""Looking at the usual views once, before anybody does: the first visitor finds what the second one would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from threading import Event

from starlette.applications import Starlette
from starlette.requests import Request

from fusionscope.page import chosen
from fusionscope.page.filters import RANGES, Filters
from fusionscope.page.health import health
from fusionscope.page.overview import overview
from fusionscope.page.sessions import sessions
from fusionscope.page.turns import turns

__all__ = ["warm_up"]

#: between two looks the interpreter is free for requests, and the database for whoever writes (seconds)
_REST_S = 0.02

_VIEWS = {"/": overview, "/turns": turns, "/sessions": sessions, "/health": health}


def warm_up(app: Starlette, over: Event) -> None:
    """Look at each of the usual ranges, part by part, and then at the views of it; ends early when ``over`` is set.

    Each look is a moment of its own: what changes meanwhile is looked at again by whoever asks.
    """
    with suppress(Exception):  # what fails here fails for the first visitor too, and then somebody is told
        for look in _looks(app):
            if over.wait(_REST_S):
                return
            look()


def _looks(app: Starlette) -> Iterator[Callable[[], object]]:
    now = datetime.now().astimezone()
    for name in RANGES:
        with app.state.store.read() as connection:
            found = chosen.choose(connection, Filters(range=name), now)
        yield from (partial(_add_up, app, found, part) for part in range(len(found.parts)))
        yield partial(overview, _request(app, "/", f"range={name}"))
    yield from (partial(view, _request(app, path)) for path, view in _VIEWS.items())


def _add_up(app: Starlette, found: chosen.Chosen, part: int) -> None:
    with app.state.store.read() as connection:
        chosen.sums(app.state.memory.of(connection), found.selection, found.parts[part : part + 1])


def _request(app: Starlette, path: str, query: str = "") -> Request:
    return Request({
        "type": "http", "method": "GET", "path": path, "query_string": query.encode(), "headers": [], "app": app,
    })  # fmt: skip
