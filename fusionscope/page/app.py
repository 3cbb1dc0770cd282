"""The application: the views, the files, the live events, behind the guard."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio.to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from fusionscope.page import views
from fusionscope.page.files import Files
from fusionscope.page.guard import Guard
from fusionscope.page.live import Live
from fusionscope.page.memory import Memory
from fusionscope.page.settings import PageSettings
from fusionscope.page.source import Source
from fusionscope.page.warm import warm_up
from fusionscope.store.database import DamagedError

__all__ = ["create_app"]

#: views made at a time: each takes the interpreter from the follower, and a reader waits as long for two as for one after one
_VIEWS_AT_ONCE = 2
#: for the look that the warm-up is at when the page stops
_STOP_S = 1.0


def create_app(settings: PageSettings, live: Live | None = None, failed: Callable[[str], None] | None = None) -> ASGIApp:
    """Return the page as an ASGI application.

    A view finds in ``request.app.state``: ``store`` (``Source``), ``settings`` (``PageSettings``), ``live`` (``Live``),
    ``memory`` (``Memory``).

    Args:
        live: who is told of changes; without it nothing ever changes.
        failed: gets a sentence about a request that failed. Without it the error goes to the caller, as tests want it.
    """
    live = live or Live()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = _VIEWS_AT_ONCE
        live.begin()
        over = threading.Event()
        warm = threading.Thread(target=warm_up, args=(app, over), name="warm-up", daemon=True)
        warm.start()
        yield
        over.set()
        warm.join(_STOP_S)

    app = Starlette(
        routes=[
            *views.routes(),
            Route("/live", live.endpoint),
            Route("/static/{name}", Files().endpoint),
            Route("/healthz", _healthz),
        ],
        exception_handlers={sqlite3.Error: _unreadable, DamagedError: _unreadable},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.store = Source(settings.database)
    app.state.settings = settings
    app.state.live = live
    app.state.memory = Memory()
    return Guard(app, settings, failed)


async def _healthz(request: Request) -> Response:
    return PlainTextResponse("ok\n")


def _unreadable(request: Request, error: Exception) -> Response:
    """The follower sets a damaged database aside and makes it again: what cannot be read now can be read soon."""
    return PlainTextResponse(f"The database cannot be read now ({error}). Try again in a moment.\n", 503, {"retry-after": "2"})
