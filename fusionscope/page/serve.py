"""The page's server: a thread with an event loop of its own, beside whatever the program does."""

from __future__ import annotations

import logging
import secrets
import socket
import threading
from collections.abc import Callable, Iterable
from types import TracebackType

import uvicorn

from fusionscope.page.app import create_app
from fusionscope.page.live import Live
from fusionscope.page.settings import PageSettings

__all__ = ["PageServer"]

_BACKLOG = 128
#: seconds: for answers that are under way when it stops, and for the thread after that
_GRACE_S, _STOP_S = 1, 3.0
_LONGEST_HEAD = 32 * 1024  # bytes of a request's line and headers
_TOKEN_BYTES = 24


class PageServer:
    """Serves the page as long as the block lasts.

    A page that others than this machine can reach gets a token of its own. ``say`` gets sentences about what failed, from the
    server's thread.

    Raises:
        AddressError: on entering: it cannot listen there.
    """

    def __init__(self, settings: PageSettings, say: Callable[[str], None]) -> None:
        token = None if settings.address.is_loopback else secrets.token_urlsafe(_TOKEN_BYTES)
        self._settings = settings._replace(token=token)
        self._say = say
        self._live = Live()
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> PageServer:
        listener = self._settings.address.listen()
        # port 0 has become a real one
        address = self._settings.address._replace(port=listener.getsockname()[1])
        self._settings = self._settings._replace(address=address)
        _be_silent()
        app = create_app(self._settings, self._live, self._say)
        self._server = _Server(
            uvicorn.Config(
                app, loop="asyncio", http="h11", ws="none", lifespan="on", interface="asgi3", log_config=None, access_log=False,
                proxy_headers=False, server_header=False, backlog=_BACKLOG, timeout_graceful_shutdown=_GRACE_S,
                h11_max_incomplete_event_size=_LONGEST_HEAD,
            ),
            self._live,
        )  # fmt: skip
        self._thread = threading.Thread(target=self._run, args=(self._server, listener), name="page", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()
        if self._thread:
            self._thread.join(_STOP_S)

    @property
    def url(self) -> str:
        """The address to open, with the token where there is one."""
        url = self._settings.address.url
        return f"{url}?token={self._settings.token}" if self._settings.token else url

    def changed(self, fusion_ids: Iterable[str]) -> None:
        """Tell the open pages that these turns are new or different. Does not wait."""
        self._live.tell(fusion_ids)

    def stop(self) -> None:
        """Begin to stop. Only sets a flag: may be called in a signal handler."""
        if self._server:
            self._server.should_exit = True

    def _run(self, server: _Server, listener: socket.socket) -> None:
        try:
            server.run([listener])
        except Exception as error:
            self._say(f"The page has stopped: {error}.")


class _Server(uvicorn.Server):
    """A server that lets its live readers go when it stops: it would wait for them."""

    def __init__(self, config: uvicorn.Config, live: Live) -> None:
        super().__init__(config)
        self._live = live

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, end the live events, finish the answers that are under way."""
        self._live.end()
        await super().shutdown(sockets)


def _be_silent() -> None:
    """What a client sends wrong is its own affair, and what fails here is said by the guard, once and in a sentence."""
    for name in ("uvicorn", "uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
