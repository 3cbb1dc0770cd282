"""Telling every open page that something has changed, by server-sent events.

``/live`` sends ``event: change`` with ``{"turns": [fusion ids] or null, "at": ms}`` (null: more than are worth naming), at most
four times a second, and the number of the change as its id. A page that was rendered at change N asks for ``/live?since=N`` and
misses nothing. Whoever reads slowly is told less often, and of more at once: a reader costs the same memory however slow it is.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

__all__ = ["MOST_READERS", "Live"]

MOST_READERS = 256

_BETWEEN_S = 0.25
_HEARTBEAT_S = 15.0
_RETRY_MS = 1_000
#: so many turns are named in one change, and so many changes remembered for who comes late
_MANY = 100
_REMEMBERED = 64


class Live:
    """The changes, numbered, and everyone who waits for the next one.

    ``tell`` may be called from any thread and does not wait; everything else belongs to the event loop of the server.
    """

    def __init__(self) -> None:
        #: of the newest change; begins anew with every process, and above all numbers of the one before
        self.number = time.time_ns() // 10**6
        self.readers = 0
        self._told: deque[str] = deque(maxlen=_MANY + 1)
        self._recent: deque[tuple[int, frozenset[str] | None]] = deque(maxlen=_REMEMBERED)
        self._news = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._published_at = float("-inf")
        self._over = False

    def tell(self, fusion_ids: Iterable[str]) -> None:
        """Note that these turns are new or different."""
        self._told.extend(fusion_ids)
        if self._loop:
            with suppress(RuntimeError):  # the loop ends with the page, which nobody needs to be told of any more
                self._loop.call_soon_threadsafe(self._soon)

    def begin(self) -> None:
        """Run in the current event loop from now on."""
        self._loop = asyncio.get_running_loop()
        if self._told:
            self._soon()

    def end(self) -> None:
        """Let every reader go."""
        self._over = True
        self._news.set()

    async def endpoint(self, request: Request) -> Response:
        """The answer to ``/live``."""
        if self._over or self.readers >= MOST_READERS:
            return PlainTextResponse("Too many pages listen.\n", 503, {"retry-after": "30"})
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        since = request.headers.get("last-event-id") or request.query_params.get("since", "")
        seen = int(since) if since.isascii() and since.isdigit() and len(since) < 20 else self.number
        return StreamingResponse(self._events(seen), media_type="text/event-stream", headers={"cache-control": "no-store"})

    async def _events(self, seen: int) -> AsyncIterator[str]:
        self.readers += 1
        try:
            yield f"retry: {_RETRY_MS}\n\n"
            while not self._over:
                if seen != self.number:
                    changed, seen = self._since(seen), self.number
                    data = json.dumps({"turns": changed, "at": time.time_ns() // 10**6})
                    yield f"id: {seen}\nevent: change\ndata: {data}\n\n"
                    continue
                try:
                    await asyncio.wait_for(self._news.wait(), _HEARTBEAT_S)
                except TimeoutError:
                    yield ": still here\n\n"
        finally:
            self.readers -= 1

    def _since(self, seen: int) -> list[str] | None:
        """The turns that changed after change ``seen``, or ``None`` for all of them."""
        if seen > self.number or not self._recent or seen < self._recent[0][0] - 1:
            return None
        found: set[str] = set()
        for number, turns in self._recent:
            if number > seen:
                if turns is None:
                    return None
                found |= turns
        return sorted(found) if len(found) <= _MANY else None

    def _soon(self) -> None:
        if not self._timer and self._loop:
            wait = max(0.0, self._published_at + _BETWEEN_S - self._loop.time())
            self._timer = self._loop.call_later(wait, self._publish, self._loop)

    def _publish(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer, self._published_at = None, loop.time()
        told = [self._told.popleft() for _ in range(len(self._told))]
        self.number += 1
        self._recent.append((self.number, frozenset(told) if len(told) <= _MANY else None))
        news, self._news = self._news, asyncio.Event()
        news.set()
