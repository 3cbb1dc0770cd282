"""What was worked out for one request and is still true for the next: of a past day hardly anything changes."""

from __future__ import annotations

import sqlite3
import time
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Hashable
from itertools import accumulate
from threading import Lock
from typing import Any, TypeVar, cast

from fusionscope.store.sums import DAY_MS, day_changes

__all__ = ["Memory", "Recall"]

#: what two long ranges, each looked at in a few ways, have
_KEPT = 1_000

_Found = TypeVar("_Found")


class Memory:
    """Answers by question, each with how much had changed when it was found. May be used by several threads.

    An answer is found again when the store has noted a change of any turn that started on the days it is about. One that two
    threads look for at a time is found twice, with the same result.
    """

    def __init__(self) -> None:
        #: the beginning of the day (UTC) on which it began (ms)
        self.began_at = time.time_ns() // 10**6 // DAY_MS * DAY_MS
        self._kept: OrderedDict[Hashable, tuple[int, Any]] = OrderedDict()
        self._lock = Lock()

    def of(self, connection: sqlite3.Connection) -> Recall:
        """What is remembered, as far as it is true at the moment that ``connection`` sees."""
        return Recall(self, connection)

    def get(self, question: Hashable, mark: int) -> tuple[bool, Any]:
        """Whether there is an answer that was found at ``mark`` changes, and the answer."""
        with self._lock:
            kept = self._kept.get(question)
            if not kept or kept[0] != mark:
                return False, None
            self._kept.move_to_end(question)
            return True, kept[1]

    def put(self, question: Hashable, mark: int, answer: object) -> None:
        """Keep an answer; the one that nobody asked for longest makes room."""
        with self._lock:
            self._kept[question] = mark, answer
            self._kept.move_to_end(question)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)


class Recall:
    """The memory at one moment of the store."""

    def __init__(self, memory: Memory, connection: sqlite3.Connection) -> None:
        self._memory = memory
        self.connection = connection
        # a database that was set aside and made again counts its changes from the beginning
        (self._store,) = connection.execute("SELECT max(created_at) FROM origin").fetchone()
        changes = day_changes(connection)
        self._days, self._so_far = list(changes), [0, *accumulate(changes.values())]
        self.began_at = memory.began_at

    def days(self, since: int) -> list[int]:
        """The days (counted from 1970, UTC) from the moment ``since`` on, on which turns started."""
        return self._days[bisect_left(self._days, since // DAY_MS) :]

    def changes(self, since: int | None, until: int | None) -> int:
        """How often turns changed that started on the days from ``since`` to before ``until`` (ms UTC); 0: there are none."""
        first = 0 if since is None else bisect_left(self._days, since // DAY_MS)
        behind = len(self._days) if until is None else bisect_left(self._days, -(-until // DAY_MS))
        return self._so_far[behind] - self._so_far[first] if behind > first else 0

    def find(
        self, question: Hashable, look: Callable[[], _Found], since: int | None = None, until: int | None = None
    ) -> _Found:
        """The answer to ``question`` about turns that started from ``since`` to before ``until``: a kept one, or ``look``'s."""
        mark = self.changes(since, until)
        known, answer = self._memory.get((self._store, question), mark)
        if not known:
            answer = look()
            self._memory.put((self._store, question), mark, answer)
        return cast("_Found", answer)
