"""One log, brought into the store in a bounded time: for whoever has no time to look at all of them."""

from __future__ import annotations

import sqlite3
import time

from fusionscope.ingest.find import Found
from fusionscope.ingest.log import read_log
from fusionscope.store.database import transaction
from fusionscope.store.forget import forgotten_sessions
from fusionscope.store.write import Batch, StaleLogError, enter_logs, log_state

__all__ = ["read_one"]


def read_one(connection: sqlite3.Connection, root: str, log: Found, seconds: float) -> None:
    """Read what is new in one log below ``root``, for about so many seconds: what is left is read the next time.

    A session that is to be forgotten is not read. What another process reads at the same time is left to it.

    Raises:
        OSError: the log cannot be read.
    """
    if log.session_id in forgotten_sessions(connection):
        return
    until = time.monotonic() + seconds
    if log_state(connection, log.path) is None:
        with transaction(connection):
            enter_logs(connection, [(log.path, root, log.session_id)])
    more = True
    while more and time.monotonic() < until:
        state = log_state(connection, log.path)
        if state is None:
            return  # forgotten meanwhile
        batch = _HurriedBatch(until)
        now = read_log(state, batch)
        more = batch.full and (now.offset, now.generation) != (state.offset, state.generation)
        if batch.empty:
            return
        try:
            with transaction(connection):
                batch.write(connection)
        except StaleLogError:
            return


class _HurriedBatch(Batch):
    """A batch that is full when the time is over."""

    def __init__(self, until: float) -> None:
        super().__init__()
        self._until = until

    @property
    def full(self) -> bool:
        return super().full or time.monotonic() > self._until
