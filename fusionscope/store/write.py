"""Writing what was read: the effects of lines and the new offset of their log, in one transaction."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import chain
from typing import Any, NamedTuple

from fusionscope.store.assemble import assemble
from fusionscope.store.facts import TABLE_OF, Fact, LegEnd, Route, SessionFact, SessionMark, TurnFact, UnknownWord

__all__ = ["Batch", "LogState", "Skip", "StaleLogError", "enter_logs", "log_state", "log_states", "mark_gone"]


_FACTS_A_COMMIT = 8_000


class StaleLogError(Exception):
    """Another process advanced the same log since its state was read: nothing was written, read the state again."""


class LogState(NamedTuple):
    """How far one log has been read, and how to tell that it is still the same one.

    ``offset``: bytes read. ``guard``: hash of the last bytes before it. ``signature``: the file's size, times and inode when
    it was last read to its end; ``None`` asks to look again. ``line_start``: where the line starts that the offset stands in,
    when its rest is of no interest; ``guard`` then covers what stands around that place too. ``generation`` counts how often
    the file turned out to be another one; ``place`` is that of the last event read; ``gone``: the file is no longer on disk;
    ``client`` wrote it.
    """

    id: int
    path: bytes
    root: str
    session_id: str
    signature: str | None = None
    offset: int = 0
    guard: bytes = b""
    line_start: int | None = None
    generation: int = 0
    place: int = 0
    gone: bool = False
    client: str | None = None


class Skip(NamedTuple):
    """A record that could not be used: where it stands (byte offset), its length in bytes so far, a hash, and why."""

    position: int
    length: int
    digest: bytes
    reason: str


def log_states(connection: sqlite3.Connection) -> dict[bytes, LogState]:
    """Every log that was ever read, by path."""
    columns = ", ".join(LogState._fields)
    rows = map(LogState._make, connection.execute(f"SELECT {columns} FROM log"))
    return {state.path: state._replace(gone=bool(state.gone)) for state in rows}


def log_state(connection: sqlite3.Connection, path: bytes) -> LogState | None:
    """How far the log at ``path`` was read; ``None`` where it is not known."""
    row = connection.execute(f"SELECT {', '.join(LogState._fields)} FROM log WHERE path = ?", (path,)).fetchone()
    return LogState._make(row)._replace(gone=bool(row[-2])) if row else None


def enter_logs(connection: sqlite3.Connection, logs: list[tuple[bytes, str, str]]) -> None:
    """Enter logs (path, root, session id) that were not known before; others are left alone."""
    connection.executemany("INSERT OR IGNORE INTO log (path, root, session_id) VALUES (?, ?, ?)", logs)


def mark_gone(connection: sqlite3.Connection, log_ids: list[int]) -> None:
    """Note that these logs are no longer on disk. What was read from them stays."""
    connection.executemany("UPDATE log SET gone = 1, signature = NULL WHERE id = ?", [(log_id,) for log_id in log_ids])


class Batch:
    """Facts of some lines, written by ``write`` in the caller's transaction.

    Facts may be added in any order and more than once. ``service_text``: keep the router's hint and the name of its rule.
    """

    def __init__(self, service_text: bool = False) -> None:
        self._service_text = service_text
        self._facts: dict[type[TurnFact], list[TurnFact]] = defaultdict(list)
        self._session_facts: dict[type[SessionFact], list[SessionFact]] = defaultdict(list)
        self._words: list[UnknownWord] = []
        self._leg_places: list[int] = []
        self._places: dict[int, int] = {}
        self._sightings: dict[tuple[str, int], int] = {}
        self._logs: dict[int, tuple[LogState, LogState]] = {}
        self._skips: list[tuple[int, int, Skip]] = []
        self._unknown: Counter[tuple[int, int, str]] = Counter()
        self._restarted: set[int] = set()
        self.size = 0
        #: after ``write``: the ids of all turns whose row was written again, whether that changed their state or not
        self.touched: set[str] = set()

    @property
    def full(self) -> bool:
        """Whether there is enough to write: what waits here takes memory."""
        return self.size >= _FACTS_A_COMMIT

    @property
    def empty(self) -> bool:
        """Whether there is nothing to write, not even that a log was looked at."""
        return not self._logs and not self.size

    def add(self, log: LogState, fact: Fact) -> None:
        """Add one fact read from ``log``, after those before it there."""
        self.size += 1
        if isinstance(fact, SessionFact):
            self._session_facts[fact.__class__].append(fact)
            return
        if isinstance(fact, Route) and not self._service_text:
            fact = fact._replace(rule_name=None, hint=None)
        # a time of its own for every event, that grows along the log also when the clock goes back
        place = self._places[log.id] = max(fact.at, self._places.get(log.id, log.place) + 1)
        self._facts[fact.__class__].append(fact)
        if fact.__class__ is LegEnd:
            self._leg_places.append(place)
        self._sightings[fact.fusion_id, log.id] = log.generation

    def word(self, word: UnknownWord) -> None:
        """Note what a Fusion event says that this release does not know. It makes no turn."""
        self._words.append(word)

    def skip(self, log: LogState, skip: Skip) -> None:
        """Count one bad record of ``log``."""
        self.size += 1
        self._skips.append((log.id, log.generation, skip))

    def unknown(self, log: LogState, event_type: str) -> None:
        """Count one event of a type nobody has told us about."""
        self._unknown[log.id, log.generation, event_type] += 1

    def restart(self, log: LogState) -> None:
        """Note that ``log`` (already of its new generation) is read again from its first byte."""
        self._restarted.add(log.id)
        self._places[log.id] = 0

    def advance(self, before: LogState, now: LogState) -> LogState:
        """Note that a log was read from the state ``before`` to the state ``now``; returns the latter as it will be stored."""
        first, _ = self._logs.get(now.id, (before, before))
        now = now._replace(place=self._places.get(now.id, now.place))
        if now != before:
            self._logs[now.id] = first, now
        return now

    def write(self, connection: sqlite3.Connection) -> list[str]:
        """Write everything; must run in a transaction. Returns the ids of turns that are new or changed their state.

        Raises:
            StaleLogError: the state a log was read from is no longer the one in the store.
        """
        for before, now in self._logs.values():
            _write_log(connection, before, now)
        for kind, facts in self._facts.items():
            rows: Iterable[tuple[Any, ...]] = facts
            if kind is LegEnd:
                rows = [(*leg, place) for leg, place in zip(facts, self._leg_places, strict=True)]
            connection.executemany(_insert(kind), rows)
        for of, session_facts in self._session_facts.items():
            connection.executemany(_insert(of), session_facts)
        connection.executemany(_insert(UnknownWord), self._words)
        connection.executemany(
            "INSERT INTO sighting (fusion_id, log_id, generation) VALUES (?, ?, ?)"
            " ON CONFLICT DO UPDATE SET generation = excluded.generation",
            [(*key, generation) for key, generation in self._sightings.items()],
        )
        for log_id, generation, skip in self._skips:
            _write_skip(connection, log_id, generation, skip)
        connection.executemany(
            "INSERT INTO unknown_type (log_id, generation, type, events) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
            " events = excluded.events + iif(generation = excluded.generation, events, 0), generation = excluded.generation",
            [(*key, count) for key, count in self._unknown.items()],
        )
        self.touched = self._touches(connection)
        return assemble(connection, self.touched, chain.from_iterable(self._facts.values()))

    def _touches(self, connection: sqlite3.Connection) -> set[str]:
        touched = {fusion_id for fusion_id, _ in self._sightings}
        for log_id in self._restarted:
            # what the new content no longer holds was rewound
            touched.update(row[0] for row in connection.execute("SELECT fusion_id FROM sighting WHERE log_id = ?", (log_id,)))
        for session_id in {mark.session_id for mark in self._session_facts[SessionMark]}:
            # a mark can change who owns a turn, which version ran it, and whether an open one was given up
            query = "SELECT fusion_id FROM sighting JOIN log ON log.id = log_id WHERE session_id = ?"
            touched.update(row[0] for row in connection.execute(query, (session_id,)))
        # a session's new turn ends its unended ones, also where only a fork's log has the start of the new one
        query = """
            SELECT DISTINCT turn.fusion_id FROM json_each(?) JOIN sighting ON sighting.fusion_id = value
            JOIN log ON log.id = log_id JOIN turn USING (session_id) WHERE state IN ('open', 'abandoned')"""
        ids = json.dumps([fusion_id for fusion_id, _ in self._sightings])
        touched.update(row[0] for row in connection.execute(query, (ids,)))
        return touched


def _write_log(connection: sqlite3.Connection, before: LogState, now: LogState) -> None:
    moved = connection.execute(
        "UPDATE log SET signature = ?, offset = ?, guard = ?, line_start = ?, generation = ?, place = ?, client = ?, gone = 0"
        " WHERE id = ? AND offset = ? AND generation = ? AND guard = ?",
        (now.signature, now.offset, now.guard, now.line_start, now.generation, now.place, now.client,
         now.id, before.offset, before.generation, before.guard),
    )  # fmt: skip
    if moved.rowcount != 1:
        raise StaleLogError(now.id)


def _insert(kind: type[Fact]) -> str:
    """An insert that keeps the fact it finds; of the places of a leg the largest, whatever was read first."""
    columns = (*kind._fields, "place") if kind is LegEnd else kind._fields
    insert = f"INSERT INTO {TABLE_OF[kind]} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    if kind is LegEnd:
        insert += " ON CONFLICT (fusion_id, event_id) DO UPDATE SET place = excluded.place WHERE excluded.place > place"
    return insert + " ON CONFLICT DO NOTHING"


def _write_skip(connection: sqlite3.Connection, log_id: int, generation: int, skip: Skip) -> None:
    """Write one skipped record, or move it when a file that is read again still has it: it is one record all the same."""
    here = {"log": log_id, "generation": generation, **skip._asdict()}
    moved = connection.execute(
        """
        UPDATE OR IGNORE skipped SET generation = :generation, position = :position
        WHERE (log_id, generation, position, digest) = (
            SELECT log_id, generation, position, digest FROM skipped
            WHERE log_id = :log AND generation < :generation AND digest = :digest AND length = :length LIMIT 1)""",
        here,
    )
    if moved.rowcount == 0:
        connection.execute(
            "INSERT INTO skipped (log_id, generation, position, length, digest, reason)"
            " VALUES (:log, :generation, :position, :length, :digest, :reason) ON CONFLICT DO NOTHING",
            here,
        )
