"""Whatever happens to the logs, the store that followed them is the one that a cold read of all that was visible gives.

Random scripts over the operations of ``world.py`` with polls in between. ``FUSIONSCOPE_CONVERGE=1000`` runs so many scripts,
``FUSIONSCOPE_CONVERGE_SEED=17`` only that of seed 17. A failure prints its seed and what happened.
"""

from __future__ import annotations

import os
import random
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fusionscope.follow import index as follow_index
from fusionscope.follow.index import Indexer
from fusionscope.ingest import log as ingest_log
from fusionscope.ingest.find import Root
from fusionscope.model import Turn
from fusionscope.report.files import turn_object
from fusionscope.store import outbox, read
from fusionscope.store.database import connect, transaction
from tests.follow.oracle import Oracle
from tests.follow.world import World

_SCRIPTS = int(os.environ.get("FUSIONSCOPE_CONVERGE", "150"))
_GROUPS = 10


def _seeds() -> list[range]:
    if seed := os.environ.get("FUSIONSCOPE_CONVERGE_SEED"):
        return [range(int(seed), int(seed) + 1)]
    return [range(_SCRIPTS * n // _GROUPS, _SCRIPTS * (n + 1) // _GROUPS) for n in range(_GROUPS)]


class _PowerCutError(Exception):
    """The follower dies in the middle of a poll."""


class Follower:
    """A process that polls; it can die and be started again, with nothing but the database."""

    def __init__(self, database: Path, world: World, rng: random.Random) -> None:
        self._database = database
        self._world = world
        self._rng = rng
        self._roots = [Root(root, "a test") for root in world.roots]
        self.meanwhile = "nothing"
        self.sent: list[tuple[str, str, int]] = []
        self.start()

    def start(self) -> None:
        self.connection = connect(self._database)
        self.connection.execute("PRAGMA synchronous = OFF")
        self._indexer = Indexer(self.connection, self._roots, self._progress, self._wrote)

    def restart(self) -> None:
        self.connection.close()
        self.start()

    def poll(self, some: list[Path] | None = None) -> follow_index.Pass:
        if some is not None:
            return self._indexer.some([os.fsencode(path) for path in some])
        return self._indexer.everything()

    def known(self) -> list[Path]:
        return [Path(os.fsdecode(path)) for path in sorted(self._indexer.states)]

    def send(self) -> int:
        """Send what has ended, as an exporter does, and note every part that goes."""
        items = outbox.waiting(self.connection, "traces", self._rng.choice([1, 100]))
        for item in items:
            parts = {(leg.phase_id, leg.attempt) for leg in item.turn.legs} - item.sent_legs
            self.sent += [(item.turn.fusion_id, *part) for part in sorted(parts)]
            if not item.root_sent:
                self.sent.append((item.turn.fusion_id, "root", 0))
        with transaction(self.connection):
            outbox.mark_sent(self.connection, "traces", items)
        return len(items)

    def rows(self) -> dict[str, list[Any]]:
        """Everything in the store, but for when a file was last looked at."""
        tables = [row[0] for row in self.connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        rows = {table: self.connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in tables}
        columns = "path, root, session_id, offset, guard, inside_line, generation, gone"
        rows["log"] = self.connection.execute(f"SELECT {columns} FROM log ORDER BY path").fetchall()
        return rows

    def _progress(self, done: int, total: int) -> None:
        if self.meanwhile == "write":
            self._world.quiet_append()
        elif self.meanwhile == "die" and self._rng.random() < 0.5:
            raise _PowerCutError

    def _wrote(self, fusion_ids: list[str]) -> None:
        if self.meanwhile == "die" and self._rng.random() < 0.5:
            raise _PowerCutError


class Script:
    """One script: steps and polls, checked after every poll and at the end."""

    def __init__(self, seed: int, directory: Path, patch: pytest.MonkeyPatch) -> None:
        self.rng = random.Random(seed)
        self.directory = directory
        self.world = World(directory, self.rng)
        self.oracle = Oracle()
        # small sizes bring the places where one block or one commit ends, and the next begins, among a few lines
        if self.rng.random() < 0.5:
            patch.setattr(ingest_log, "_BLOCK", self.rng.choice([700, 1_500, 4_096]))
            patch.setattr(ingest_log, "_GUARD_BYTES", self.rng.choice([64, 500]))
        patch.setattr(follow_index, "_FACTS_A_COMMIT", self.rng.choice([1, 7, 5_000]))
        self.followers = [Follower(directory / "db" / "f.db", self.world, self.rng) for _ in range(self.rng.choice([1, 1, 2]))]

    def run(self) -> None:
        try:
            for _ in range(self.rng.choice([10, 20, 40])):
                for _ in range(self.rng.choice([1, 1, 1, 2, 4])):
                    self.world.step()
                if self.rng.random() < 0.6:
                    self.poll()
            self.poll()
            self.poll()
            self.check_the_end()
        finally:
            for follower in self.followers:
                follower.connection.close()

    def poll(self) -> None:
        follower = self.rng.choice(self.followers)
        if self.rng.random() < 0.2:
            follower.restart()
            self.world.journal.append("restart of the follower")
        follower.meanwhile = self.rng.choice(["nothing"] * 8 + ["write", "die"])
        if follower.meanwhile == "write":
            self._look(follower)
        elif follower.meanwhile == "die":
            try:
                follower.poll()
            except _PowerCutError:
                self.world.journal.append("the follower dies in a poll")
                follower.restart()
        elif self.rng.random() < 0.25:
            self._look_at_some(follower)
        follower.meanwhile = "nothing"
        self._look(follower)
        if self.rng.random() < 0.2:
            follower.send()
        if self.rng.random() < 0.3:
            before = follower.rows()
            again = follower.poll()
            assert (again.new_bytes, again.turns, again.problems) == (0, [], [])
            if len(self.followers) == 1: assert follower.rows() == before

    def _look(self, follower: Follower) -> None:
        self.world.journal.append("-- poll")
        self.oracle.look(self.world.visible())
        before = self.world.listing()
        done = follower.poll()
        assert done.problems == []
        if follower.meanwhile == "nothing":
            assert self.world.listing() == before
            assert read.skipped_count(follower.connection) == self.oracle.bad_records(), self.oracle.all_bad()

    def _look_at_some(self, follower: Follower) -> None:
        some = [path for path in follower.known() if self.rng.random() < 0.5]
        self.world.journal.append("-- poll of some")
        self.oracle.look(self.world.contents(some))
        assert follower.poll(some).problems == []
        assert read.skipped_count(follower.connection) == self.oracle.bad_records(), self.oracle.all_bad()
        for _ in range(self.rng.choice([0, 1, 2])):
            self.world.step()

    def check_the_end(self) -> None:
        store = self.followers[-1].connection
        turns = read.turns(store)
        with closing(self.oracle.cold_read(self.directory / "cold")) as cold:
            expected = read.turns(cold)
            assert [_shown(turn) for turn in turns] == [_shown(turn) for turn in expected]
            assert [turn._replace(rewound=False) for turn in turns] == [turn._replace(rewound=False) for turn in expected]
            assert read.sessions(store) == read.sessions(cold)
        amounts = self.oracle.amounts()
        assert {turn.fusion_id: turn.nano_aiu for turn in turns} == amounts
        assert len(turns) == len(amounts)
        assert {turn.fusion_id for turn in turns if turn.rewound} == self.oracle.rewound()
        # where the clock went back and no log has all of a turn, nothing tells which part was first
        unsure = self.oracle.split() if self.world.clock.went_back else set()
        self.check_order([turn for turn in turns if turn.fusion_id not in unsure])
        self.check_sent([turn for turn in turns if turn.fusion_id not in unsure])

    def check_order(self, turns: list[Turn]) -> None:
        """Legs stand in the order in which they ran."""
        ran = self.oracle.legs(self.world.clock.order)
        for turn in turns:
            assert [(leg.phase_id, leg.status) for leg in turn.legs] == ran[turn.fusion_id]

    def check_sent(self, turns: list[Turn]) -> None:
        """Every part of an ended turn was sent once, however often it seemed to end."""
        while any(follower.send() for follower in self.followers):
            pass
        sent = [part for follower in self.followers for part in follower.sent]
        for turn in turns:
            parts = [(turn.fusion_id, "root", 0)] + [(turn.fusion_id, leg.phase_id, leg.attempt) for leg in turn.legs]
            went = [part for part in sent if part[0] == turn.fusion_id]
            assert len(went) == len(set(went))
            assert turn.is_open or set(went) == set(parts)


def _shown(turn: Turn) -> dict[str, Any]:
    shown = turn_object(turn)
    del shown["rewound"]
    return shown


@pytest.mark.parametrize("seeds", _seeds(), ids=str)
def test_following_converges_to_a_cold_read_of_everything_that_was_ever_visible(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        with tempfile.TemporaryDirectory(dir=tmp_path) as directory, pytest.MonkeyPatch.context() as patch:
            script = Script(seed, Path(directory), patch)
            try:
                script.run()
            except BaseException:
                print(f"FUSIONSCOPE_CONVERGE_SEED={seed}", *script.world.journal, sep="\n  ")
                raise
