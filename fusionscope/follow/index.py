"""One pass over all logs: what is new in them goes into the store."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from fusionscope.ingest.find import Found, Root, find_logs
from fusionscope.ingest.log import read_log
from fusionscope.store.database import transaction
from fusionscope.store.write import Batch, LogState, StaleLogError, enter_logs, log_states, mark_gone

__all__ = ["Pass", "index"]

_FACTS_A_COMMIT = 5_000
_ATTEMPTS = 5


class Pass(NamedTuple):
    """What one pass did.

    ``logs``: how many there are. ``turns``: the ids of those that are new or changed their state. ``problems``: sentences for a
    person about directories and logs that could not be read.
    """

    logs: int
    new_bytes: int
    turns: list[str]
    problems: list[str]


def index(
    connection: sqlite3.Connection,
    roots: Sequence[Root],
    progress: Callable[[int, int], None] = lambda done, total: None,
    wrote: Callable[[list[str]], None] = lambda fusion_ids: None,
) -> Pass:
    """Read what is new in every log below ``roots``. Running it again changes nothing.

    Args:
        progress: called with the bytes read so far and those there are to read.
        wrote: called after each commit with the ids of turns that are new or changed their state.
    """
    for attempt in range(_ATTEMPTS):
        try:
            return _Indexing(connection, progress, wrote).run(roots)
        except StaleLogError:
            # another process read the same logs meanwhile: start from what it wrote
            if attempt == _ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


class _Indexing:
    def __init__(
        self,
        connection: sqlite3.Connection,
        progress: Callable[[int, int], None],
        wrote: Callable[[list[str]], None],
    ) -> None:
        self._connection = connection
        self._progress = progress
        self._wrote = wrote
        self._batch = Batch()
        self._turns: list[str] = []
        self._problems: list[str] = []

    def run(self, roots: Sequence[Root]) -> Pass:
        found = {root.path: self._find(root) for root in roots}
        logs = {log.path: log for listing in found.values() for log in listing or ()}
        states = self._states(found, logs)
        changed = [(states[path], log) for path, log in logs.items() if states[path].signature != log.signature]
        total = sum(max(0, log.size - state.offset) for state, log in changed)
        done = 0
        for state, _ in changed:
            done += self._read(state)
            self._progress(min(done, total), total)
            if self._batch.size >= _FACTS_A_COMMIT:
                self._commit()
        self._commit()
        return Pass(len(logs), done, self._turns, self._problems)

    def _find(self, root: Root) -> list[Found] | None:
        try:
            return list(find_logs(root))
        except OSError as error:
            self._problems.append(f"Cannot read {root.path} ({root.why}): {_why(error)}.")
            return None

    def _states(self, found: dict[Path, list[Found] | None], logs: dict[bytes, Found]) -> dict[bytes, LogState]:
        """The state of every log, with those entered that are new and those noted that are gone."""
        states = log_states(self._connection)
        fresh = [
            (log.path, str(root), log.session_id)
            for root, listing in found.items()
            for log in listing or ()
            if log.path not in states
        ]
        listed = {str(root) for root, listing in found.items() if listing is not None}
        gone = [state.id for path, state in states.items() if path not in logs and state.root in listed and not state.gone]
        if fresh or gone:
            with transaction(self._connection):
                enter_logs(self._connection, fresh)
                mark_gone(self._connection, gone)
            states = log_states(self._connection)
        return states

    def _read(self, state: LogState) -> int:
        """Read what is new in one log; returns the number of bytes."""
        try:
            now = read_log(state, self._batch)
        except OSError as error:
            self._problems.append(f"Cannot read {state.path.decode(errors='backslashreplace')}: {_why(error)}.")
            return 0
        return now.offset - (state.offset if now.generation == state.generation else 0)

    def _commit(self) -> None:
        with transaction(self._connection):
            turns = self._batch.write(self._connection)
        self._batch = Batch()
        self._turns += turns
        if turns:
            self._wrote(turns)


def _why(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
