"""From logs to the store: what is new in all logs, or in some of them."""

from __future__ import annotations

import gc
import os
import random
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from fusionscope.ingest.find import LOG_NAME, Found, Root, find_logs, signature
from fusionscope.store.database import transaction
from fusionscope.store.forget import forgotten_sessions
from fusionscope.store.write import Batch, LogState, StaleLogError, enter_logs, log_states, mark_gone

__all__ = ["Indexer", "Pass", "index", "without_log"]

_LONGEST_WAIT_S = 0.05


class Pass(NamedTuple):
    """What one pass did.

    ``logs``: how many were looked at. ``turns``: the ids of those that are new or changed their state. ``problems``: sentences
    for a person about directories and logs that could not be read. ``grown``: the logs that had something new. ``unreadable``:
    the logs that could not be read, with the reason for each.
    """

    logs: int
    new_bytes: int
    turns: list[str]
    problems: list[str]
    grown: set[bytes]
    unreadable: dict[bytes, str]


def index(
    connection: sqlite3.Connection,
    roots: Sequence[Root],
    progress: Callable[[int, int], None] = lambda done, total: None,
    wrote: Callable[[list[str]], None] = lambda fusion_ids: None,
    service_text: bool = False,
) -> Pass:
    """Read what is new in every log below ``roots``. Running it again changes nothing.

    Args:
        progress: called with the bytes read so far and those there are to read.
        wrote: called after each commit with the ids of turns that are new or changed their state.
        service_text: keep the router's hint and the name of its rule.
    """
    return Indexer(connection, roots, progress, wrote, service_text).everything()


class Indexer:
    """Brings the store up to date with the logs below some roots, again and again.

    It remembers how far each log was read, as the store has it, until another connection writes to the store: what that one
    read may be gone by the next look. After each commit ``wrote`` gets the ids of turns that are new or changed their state,
    ``touched`` those of all turns of which something was read.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        roots: Sequence[Root],
        progress: Callable[[int, int], None] = lambda done, total: None,
        wrote: Callable[[list[str]], None] = lambda fusion_ids: None,
        service_text: bool = False,
        touched: Callable[[set[str]], None] = lambda fusion_ids: None,
    ) -> None:
        self._connection = connection
        self._roots = roots
        self._progress = progress
        self._wrote = wrote
        self._service_text = service_text
        self._touched = touched
        self._states: dict[bytes, LogState] | None = None
        self._version: int | None = None
        self._passed_over: set[bytes] = set()
        self._seen: dict[bytes, tuple[int, int, int, int]] = {}
        self._batch = Batch()
        self._turns: list[str] = []
        self._problems: list[str] = []
        self._grown: set[bytes] = set()
        self._unreadable: dict[bytes, str] = {}
        self._new_bytes = 0
        self._grew = False

    @property
    def states(self) -> dict[bytes, LogState]:
        """How far each log was read, by path."""
        if self._states is None:
            self._states = log_states(self._connection)
        return self._states

    def everything(self) -> Pass:
        """Look at every log below the roots, also for those that are new or no longer there."""
        return self._retried(self._everything)

    def some(self, paths: Iterable[bytes]) -> Pass:
        """Look at these logs; a path that is not known yet asks for a look at everything."""
        known = [path for path in paths if path in self.states or path not in self._passed_over]
        if any(path not in self.states for path in known):
            done = self.everything()
            # another name of a log, or a forgotten session's: no reason to look everywhere each time it is written
            self._passed_over |= {path for path in known if path not in self.states and os.path.exists(path)}  # noqa: PTH110
            return done
        return self._retried(lambda: self._some(known))

    def _retried(self, attempt: Callable[[], int]) -> Pass:
        self._turns, self._problems, self._new_bytes, self._grown, self._unreadable = [], [], 0, set(), {}
        while True:
            self._batch, committed = Batch(self._service_text), self._new_bytes
            try:
                self._catch_up()
                looked_at = attempt()
                problems = list(dict.fromkeys(self._problems))
                return Pass(looked_at, self._new_bytes, self._turns, problems, self._grown, self._unreadable)
            except BaseException as error:
                # what the store has is what counts: nothing of this attempt may be believed
                self._forget()
                if not isinstance(error, StaleLogError):
                    raise
                # another process reads the same logs, and came further: it can do so only as long as there is something new
                self._new_bytes = committed
                time.sleep(random.uniform(0, _LONGEST_WAIT_S))  # noqa: S311 - so that two do not go on in step

    def _catch_up(self) -> None:
        """Forget what is remembered when the store was written since, and not by this connection."""
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        if version != self._version:
            self._forget()
        self._version = version

    def _forget(self) -> None:
        self._states = None
        self._seen.clear()

    def _everything(self) -> int:
        found = {root.path: self._find(root) for root in self._roots}
        logs = {log.path: log for listing in found.values() for log in listing or ()}
        self._enter_and_leave(found, logs)
        self._read_changed([(self.states[path], log) for path, log in logs.items()])
        return len(logs)

    def _some(self, paths: Sequence[bytes]) -> int:
        states, seen, changed = self.states, self._seen, []
        for path in paths:
            try:
                status = os.stat(path)  # noqa: PTH116 - bytes
            except OSError:
                continue
            if path not in states:
                continue  # forgotten meanwhile
            # the same as at the last look, which is nearly always so, is told without a word
            glance = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            if seen.get(path) != glance:
                changed.append((states[path], Found(path, states[path].session_id, signature(status), status.st_size)))
                seen[path] = glance
        self._read_changed(changed)
        return len(changed)

    def _find(self, root: Root) -> list[Found] | None:
        try:
            forgotten = forgotten_sessions(self._connection)
            return [log for log in find_logs(root) if log.session_id not in forgotten]
        except OSError as error:
            self._problems.append(f"Cannot read {root.path} ({root.why}): {_why(error)}.")
            return None

    def _enter_and_leave(self, found: dict[Path, list[Found] | None], logs: dict[bytes, Found]) -> None:
        """Enter the logs that are new, and note those that are gone."""
        fresh = [
            (log.path, _name(root), log.session_id)
            for root, listing in found.items()
            for log in listing or ()
            if log.path not in self.states
        ]
        listed = {_name(root) for root, listing in found.items() if listing is not None}
        gone = [state.id for path, state in self.states.items() if path not in logs and state.root in listed and not state.gone]
        if fresh or gone:
            with transaction(self._connection):
                enter_logs(self._connection, fresh)
                mark_gone(self._connection, gone)
            self._states = None

    def _read_changed(self, looked_at: Sequence[tuple[LogState, Found]]) -> None:
        changed = [(state, log) for state, log in looked_at if state.signature != log.signature]
        total = sum(max(0, log.size - state.offset) for state, log in changed)
        with _without_garbage_collection():
            for state, _ in changed:
                self._read(state)
                self._progress(min(self._new_bytes, total), total)
                while self._batch.full and self._grew:
                    self._commit()
                    self._read(self.states[state.path])
            self._commit()

    def _read(self, state: LogState) -> None:
        self._grew = False
        # most commands find nothing new: they need no decoder, and start in half the time without it
        from fusionscope.ingest.log import read_log

        try:
            now = read_log(state, self._batch)
        except FileNotFoundError:
            return  # deleted meanwhile; the next look at everything notes it
        except OSError as error:
            self._seen.pop(state.path, None)
            self._unreadable[state.path] = _why(error)
            self._problems.append(f"Cannot read {state.path.decode(errors='backslashreplace')}: {_why(error)}.")
            return
        if now.signature is None:
            self._seen.pop(state.path, None)
        self._grew = (now.offset, now.generation) != (state.offset, state.generation)
        if self._grew:
            self._grown.add(state.path)
        self._new_bytes += now.offset - (state.offset if now.generation == state.generation else 0)
        self.states[state.path] = now

    def _commit(self) -> None:
        if self._batch.empty:
            return
        with transaction(self._connection):
            turns = self._batch.write(self._connection)
        touched, self._batch = self._batch.touched, Batch(self._service_text)
        self._turns += turns
        if turns:
            self._wrote(turns)
        if touched:
            self._touched(touched)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Facts are tuples of text and numbers, which nothing can tie into a ring: looking for rings costs a tenth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def without_log(root: Root) -> list[bytes]:
    """Where the logs will be of the session directories that have none yet: the CLI writes it with the first prompt."""
    try:
        with os.scandir(os.fsencode(root.path)) as entries:
            paths = [os.path.join(entry.path, LOG_NAME) for entry in entries if entry.is_dir()]  # noqa: PTH118 - bytes
    except OSError:
        return []
    return [path for path in paths if not os.path.exists(path)]  # noqa: PTH110 - bytes


def _name(root: Path) -> str:
    """The root as text, which its path need not be."""
    return os.fsencode(root).decode(errors="backslashreplace")


def _why(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
