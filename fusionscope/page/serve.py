"""The page's server: a thread with an event loop of its own, beside whatever the program does."""

from __future__ import annotations

import logging
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterable
from ipaddress import ip_address
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
    """Listens from the beginning, and serves the page as long as the block lasts.

    A page that others than this machine can reach gets a token of its own. ``say`` gets sentences about what failed, from the
    server's thread. ``live`` has the numbers of changes.

    Raises:
        AddressError: it cannot listen there.
    """

    def __init__(self, settings: PageSettings, say: Callable[[str], None]) -> None:
        self._listener = settings.address.listen()
        # a name has become an address, and port 0 a real one
        host, port, *_ = self._listener.getsockname()
        address = settings.address._replace(port=port)
        token = None if ip_address(host.partition("%")[0]).is_loopback else secrets.token_urlsafe(_TOKEN_BYTES)
        self._settings = settings._replace(address=address, token=token)
        self._say = say
        self.live = Live()
        _be_silent()
        app = create_app(self._settings, self.live, say)
        self._server = _Server(
            uvicorn.Config(
                app, loop="asyncio", http="h11", ws="none", lifespan="on", interface="asgi3", log_config=None, access_log=False,
                proxy_headers=False, server_header=False, backlog=_BACKLOG, timeout_graceful_shutdown=_GRACE_S,
                h11_max_incomplete_event_size=_LONGEST_HEAD,
            ),
            self.live,
        )  # fmt: skip
        self._thread = threading.Thread(target=self._run, name="page", daemon=True)

    def __enter__(self) -> PageServer:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()
        self._thread.join(_STOP_S)

    @property
    def port(self) -> int:
        """Where it listens, also when it was to be any free port."""
        return self._settings.address.port

    @property
    def sentence(self) -> str:
        """Where the page is, and what to know of that."""
        # no mark directly after the address: it would be copied with the token
        warning = " (whoever has this address can read the page, and the way there is not encrypted)"
        return f"The page: {self.url}{warning if self._settings.token else ''}"

    @property
    def url(self) -> str:
        """The address to open, with the token where there is one."""
        url = self._settings.address.url
        return f"{url}?token={self._settings.token}" if self._settings.token else url

    def changed(self, fusion_ids: Iterable[str]) -> None:
        """Tell the open pages that these turns are new or different. Does not wait."""
        self.live.tell(fusion_ids)

    def open(self) -> None:
        """Show the page in the person's browser. Does not wait for it."""
        threading.Thread(target=webbrowser.open, args=(self.url,), daemon=True).start()

    def stop(self) -> None:
        """Begin to stop. Only sets a flag: may be called in a signal handler."""
        self._server.should_exit = True

    def _run(self) -> None:
        try:
            self._server.run([self._listener])
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
