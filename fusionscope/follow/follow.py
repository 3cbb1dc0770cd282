"""Following the logs until told to stop: at a notice at once, and by looking, which is what makes it certain."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence

from fusionscope.follow.index import Indexer, Pass, without_log
from fusionscope.follow.notice import Notices
from fusionscope.ingest.find import Root
from fusionscope.store.quiet import give_up_quiet_turns
from fusionscope.store.write import LogState

__all__ = ["Follower"]

#: how often to look (s): at logs written within the last hour, at the roots for new directories, at every known log where
#: changes are noticed and where they are not, at all there is
_ACTIVE_S, _ROOTS_S, _NOTICED_S, _UNNOTICED_S, _EVERYTHING_S = 1.0, 5.0, 60.0, 5.0, 600.0
_RECENT_NS = 3_600 * 10**9
_QUIET_LOOK_S = 60.0
#: a change that was found by looking is noticed within so long (s), or notices do not come here
_NOTICE_WITHIN_S = 3.0
#: how long to leave a database alone that cannot be written (s)
_TROUBLE_S = 5.0


class Follower:
    """Keeps the store up with the logs below ``roots``.

    ``wrote`` is called with the ids of turns that are new or changed their state, ``touched`` also with those of turns that
    grew, ``say`` with sentences for a person. An open turn whose last event is older than ``quiet_ms`` is given up. Everything
    runs in the thread that calls ``run``.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        roots: Sequence[Root],
        *,
        wrote: Callable[[list[str]], None],
        say: Callable[[str], None],
        quiet_ms: int,
        service_text: bool = False,
        touched: Callable[[Iterable[str]], None] = lambda fusion_ids: None,
    ) -> None:
        self._connection = connection
        self._roots = roots
        self._indexer = Indexer(connection, roots, wrote=wrote, touched=touched, service_text=service_text)
        self._notices = Notices(roots, say)
        self._wrote = wrote
        self._touched = touched
        self._say = say
        self._quiet_ms = quiet_ms
        self._stopping = False
        self._unnoticed: dict[bytes, float] = {}
        self._awaited: list[bytes] = []
        self._problems: set[str] = set()
        self._active: set[bytes] = set()
        looks = (self._look_at_active, self._look_at_roots, self._look_at_known, self._look_at_everything, self._look_at_quiet)
        self._due = dict.fromkeys(looks, 0.0)
        self._root_times: list[int | None] = []

    def stop(self) -> None:
        """Make ``run`` return within a second. May be called from anywhere, also from a signal handler: it takes no lock."""
        self._stopping = True

    def run(self) -> None:
        """Follow until stopped."""
        self._notices.start()
        try:
            self._run()
        finally:
            self._notices.stop()

    def _run(self) -> None:
        trouble = None
        while not self._stopping:
            try:
                self._turn_of_the_wheel()
                if trouble:
                    self._say("The database can be written again; reading goes on.")
                trouble = None
            except sqlite3.OperationalError as error:
                # a full disk, or somebody who holds the lock: the logs wait, nothing is lost
                if str(error) != trouble:
                    self._say(f"Reading pauses: the database cannot be written ({error}).")
                trouble = str(error)
                until = time.monotonic() + _TROUBLE_S
                while time.monotonic() < until and not self._stopping:
                    time.sleep(0.05)

    def _turn_of_the_wheel(self) -> None:
        now = time.monotonic()
        for look, due in self._due.items():
            if due <= now and not self._stopping:
                self._due[look] = now + look()
        paths, everywhere = self._notices.wait(max(0.0, min(self._due.values()) - time.monotonic()))
        if everywhere:
            self._due[self._look_at_everything] = 0.0
        for path in paths:
            self._unnoticed.pop(path, None)
        if paths:
            self._active |= paths
            self._report(self._indexer.some(paths))

    def _look_at_active(self) -> float:
        self._look_at(self._active)
        self._find_active(self._active)
        return _ACTIVE_S

    def _look_at_roots(self) -> float:
        """A directory's own time changes when something is made in it, also where nothing is noticed."""
        times = [_modified_ns(root) for root in self._roots]
        changed = times != self._root_times
        if changed or any(os.path.exists(path) for path in self._awaited):  # noqa: PTH110 - bytes
            self._due[self._look_at_everything] = 0.0
        self._root_times = times
        return _ROOTS_S

    def _look_at_known(self) -> float:
        self._look_at(self._indexer.states)
        self._find_active(self._indexer.states)
        return _NOTICED_S if self._notices.available else _UNNOTICED_S

    def _look_at_everything(self) -> float:
        self._report(self._indexer.everything())
        self._find_active(self._indexer.states)
        self._awaited = [path for root in self._roots for path in without_log(root)]
        return _EVERYTHING_S

    def _find_active(self, among: Iterable[bytes]) -> None:
        recent, states = time.time_ns() - _RECENT_NS, self._indexer.states
        self._active = {path for path in among if path in states and _written_after(states[path], recent)}

    def _look_at_quiet(self) -> float:
        given_up = give_up_quiet_turns(self._connection, time.time_ns() // 10**6 - self._quiet_ms)
        if given_up:
            self._wrote(given_up)
            self._touched(given_up)
        return _QUIET_LOOK_S

    def _look_at(self, paths: Iterable[bytes]) -> None:
        """Look at logs of which nothing was noticed. What has grown must be noticed soon, or nothing ever is."""
        now = time.monotonic()
        if self._notices.available and any(since < now - _NOTICE_WITHIN_S for since in self._unnoticed.values()):
            self._notices.give_up("some were not")
            self._due[self._look_at_known] = 0.0
        done = self._indexer.some(paths)
        for path in done.grown:
            self._unnoticed.setdefault(path, now)
        self._active |= done.grown
        self._report(done)

    def _report(self, done: Pass) -> None:
        """Say each problem once, and again only after it was gone."""
        for problem in done.problems:
            if problem not in self._problems:
                self._say(problem)
        self._problems = set(done.problems) | (self._problems if done.logs < len(self._indexer.states) else set())


def _written_after(state: LogState, moment_ns: int) -> bool:
    """Whether a log was written after a moment; one that is not settled was written just now."""
    if state.gone:
        return False
    return state.signature is None or int(state.signature.split()[1]) > moment_ns


def _modified_ns(root: Root) -> int | None:
    try:
        return root.path.stat().st_mtime_ns
    except OSError:
        return None
