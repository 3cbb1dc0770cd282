"""A follower that polls when it is told to, and can die: what it knows afterwards is in its database."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fusionscope.follow.index import Indexer, Pass
from fusionscope.ingest.find import Root
from fusionscope.store import outbox
from fusionscope.store.database import connect, transaction
from tests.follow.world import World

__all__ = ["Poller", "PowerCutError"]


class PowerCutError(Exception):
    """The follower dies in the middle of a poll."""


class Poller:
    """One process. ``meanwhile`` is called in the middle of a poll; ``sent`` are the parts of turns that went out."""

    def __init__(self, database: Path, world: World, rng: random.Random) -> None:
        self.meanwhile: Callable[[], None] | None = None
        self.sent: list[tuple[str, str, int]] = []
        self._database = database
        self._world = world
        self._rng = rng
        self._start()

    def _start(self) -> None:
        self.connection = connect(self._database)
        self.connection.execute("PRAGMA synchronous = OFF")
        roots = [Root(root, "a test") for root in self._world.roots]
        self._indexer = Indexer(self.connection, roots, lambda done, total: self._interrupt(), lambda ids: self._interrupt())

    def restart(self) -> None:
        """Begin again with nothing but the database."""
        self._world.journal.append("restart of the follower")
        self.connection.close()
        self._start()

    def poll(self, some: list[Path] | None = None) -> Pass:
        """Look at all logs, or at some that are known."""
        if some is None:
            return self._indexer.everything()
        return self._indexer.some([os.fsencode(path) for path in some])

    def knows(self, logs: list[Path]) -> bool:
        """Whether this process has heard of all these logs."""
        return all(os.fsencode(path) in self._indexer.states for path in logs)

    def send(self) -> int:
        """Send turns that have ended, as an exporter does; returns how many."""
        items = outbox.waiting(self.connection, "traces", self._rng.choice([1, 100]))
        for item in items:
            parts = {(leg.phase_id, leg.attempt) for leg in item.turn.legs} - item.sent_legs
            parts |= set() if item.root_sent else {("root", 0)}
            calls = {(call.tool_call_id, call.ended_at) for call in item.turn.tool_calls if call.ended_at is not None}
            parts |= {(f"tool {call}", at) for call, at in calls - item.sent_tools}
            self.sent += [(item.turn.fusion_id, *part) for part in sorted(parts)]
        with transaction(self.connection):
            outbox.mark_sent(self.connection, "traces", items)
        return len(items)

    def rows(self) -> dict[str, list[Any]]:
        """Everything in the store, but for when a file was last looked at and whether it was there."""
        tables = [row[0] for row in self.connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        rows = {table: self.connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in tables}
        columns = [row[1] for row in self.connection.execute("PRAGMA table_info(log)")]
        rest = ", ".join(column for column in columns if column not in ("signature", "gone"))
        rows["log"] = self.connection.execute(f"SELECT {rest} FROM log ORDER BY id").fetchall()
        return rows

    def there(self) -> set[Path]:
        """The logs that are on disk, as far as the store knows."""
        return {Path(os.fsdecode(path)) for (path,) in self.connection.execute("SELECT path FROM log WHERE NOT gone")}

    def _interrupt(self) -> None:
        if self.meanwhile:
            self.meanwhile()
