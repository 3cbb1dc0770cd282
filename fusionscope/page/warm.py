"""Looking at the usual ranges once, before anybody does: the first visitor finds what the second one would."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from threading import Event

from fusionscope.page import chosen
from fusionscope.page.filters import RANGES, Filters
from fusionscope.page.memory import Memory, Recall
from fusionscope.page.moment import drift_of
from fusionscope.page.source import Source
from fusionscope.store.database import DamagedError

__all__ = ["warm_up"]

#: between two looks the interpreter is free for requests, and the database for whoever writes (seconds)
_REST_S = 0.02


def warm_up(source: Source, memory: Memory, over: Event) -> None:
    """Look at each of the usual ranges part by part, and at what every view says; ends early when ``over`` is set.

    A part is found in a moment of its own: what changed since is looked at again by whoever asks. A store that cannot be read
    now is left to the first visitor, who is told.
    """
    with suppress(sqlite3.Error, DamagedError):
        for look in _looks(source, memory):
            look()
            if over.wait(_REST_S):
                return


def _looks(source: Source, memory: Memory) -> Iterator[partial[None]]:
    yield partial(_drift, source, memory)
    now = datetime.now().astimezone()
    for name in RANGES:
        with _recall(source, memory) as recall:
            found = chosen.choose(recall.connection, Filters(range=name), now)
        for part in range(len(found.parts)):
            yield partial(_sums, source, memory, found, part)
        yield partial(_whole, source, memory, found, now)


@contextmanager
def _recall(source: Source, memory: Memory) -> Iterator[Recall]:
    with source.read() as connection:
        yield memory.of(connection)


def _drift(source: Source, memory: Memory) -> None:
    with _recall(source, memory) as recall:
        drift_of(recall)


def _sums(source: Source, memory: Memory, found: chosen.Chosen, part: int) -> None:
    with _recall(source, memory) as recall:
        chosen.sums(recall, found.selection, found.parts[part : part + 1])


def _whole(source: Source, memory: Memory, found: chosen.Chosen, now: datetime) -> None:
    with _recall(source, memory) as recall:
        chosen.sums(recall, found.selection, found.parts)
        chosen.before(recall, found.selection, now)
