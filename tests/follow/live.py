"""A follower that runs in a thread of the test, and waiting for what it does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing
from types import TracebackType

from fusionscope.follow.follow import Follower
from fusionscope.ingest.find import Root
from fusionscope.store.database import connect
from tests.conftest import Stage

__all__ = ["Following", "until"]

_PATIENCE_S = 20.0
DAY_MS = 86_400_000


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds; fail when it does not come true."""
    deadline = time.monotonic() + _PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)


class Following:
    """A follower of a stage's root with a connection of its own, as long as the block lasts.

    With ``pages``, its database is full at so many pages until it first complains.
    """

    def __init__(self, stage: Stage, quiet_ms: int = 10_000 * DAY_MS, pages: int | None = None) -> None:
        self.said: list[str] = []
        self.wrote: list[str] = []
        self.pages = pages
        self._stage = stage
        self._quiet_ms = quiet_ms
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._error: BaseException | None = None

    def __enter__(self) -> Following:
        self._thread.start()
        assert self._ready.wait(_PATIENCE_S)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.follower.stop()
        self._thread.join(_PATIENCE_S)
        assert not self._thread.is_alive()
        assert self._error is None, self._error

    def _written(self, fusion_ids: list[str]) -> None:
        self.wrote += fusion_ids

    def _heard(self, sentence: str) -> None:
        self.said.append(sentence)
        if self.pages:
            # said by the thread that has the connection
            self._connection.execute("PRAGMA max_page_count = 1000000")

    def _run(self) -> None:
        with closing(connect(self._stage.database)) as connection:
            if self.pages:
                connection.execute(f"PRAGMA max_page_count = {self.pages}")
            self.follower = Follower(
                connection,
                [Root(self._stage.root, "a test")],
                wrote=self._written,
                say=self._heard,
                quiet_ms=self._quiet_ms,
            )
            self._connection = connection
            self._ready.set()
            try:
                self.follower.run()
            except BaseException as error:
                self._error = error
