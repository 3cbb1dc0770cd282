"""Sums that are kept between requests: of a past day nothing changes, so it need not be added up again."""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Sequence
from itertools import accumulate
from threading import Lock

from fusionscope.report.summed import Sums, add_up
from fusionscope.store.read import Selection
from fusionscope.store.sums import DAY_MS, day_changes

__all__ = ["Ledger"]

#: what two long ranges, each looked at in a few ways, have
_KEPT = 1_000


class Ledger:
    """The sums of parts of time, by what else is selected. May be used by several threads.

    A part is added up again when the store has noted a change of any turn that started on its days. A part that is being added
    up by two threads is added up twice, with the same result.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, Selection], tuple[int, Sums]] = OrderedDict()
        self._lock = Lock()

    def sums(self, connection: sqlite3.Connection, selection: Selection, parts: Sequence[tuple[int, int]]) -> list[Sums]:
        """The sums of the selected turns in each of ``parts``: from its first moment (ms UTC) to before its second."""
        (store,) = connection.execute("SELECT coalesce(max(created_at), 0) FROM origin").fetchone()
        changes = day_changes(connection)
        days, so_far = list(changes), [0, *accumulate(changes.values())]
        found = []
        for since, until in parts:
            first, behind = bisect_left(days, since // DAY_MS), bisect_left(days, -(-until // DAY_MS))
            mark = so_far[behind] - so_far[first]
            part = selection._replace(since=since, until=until)
            found.append(self._part(connection, (store, part), mark) if mark else Sums({}, {}, {}, {}))
        return found

    def _part(self, connection: sqlite3.Connection, key: tuple[int, Selection], mark: int) -> Sums:
        with self._lock:
            kept = self._kept.get(key)
            if kept and kept[0] == mark:
                self._kept.move_to_end(key)
                return kept[1]
        sums = add_up(connection, key[1])
        with self._lock:
            self._kept[key] = mark, sums
            self._kept.move_to_end(key)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return sums
