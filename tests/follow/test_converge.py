"""Whatever happens to the logs, the store that followed them is the one that a cold read of all that was visible gives.

Random scripts over the happenings of ``world.py`` with polls in between. ``FUSIONSCOPE_CONVERGE=1000`` runs so many scripts,
``FUSIONSCOPE_CONVERGE_SEED=17`` only that of seed 17. A failure prints its seed and what happened.
"""

from __future__ import annotations

import os
import random
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import pytest

from fusionscope.ingest import log as ingest_log
from fusionscope.model import Turn
from fusionscope.report.files import turn_object
from fusionscope.store import read
from fusionscope.store import write as store_write
from fusionscope.store.facts import TABLE_OF, SessionFact
from fusionscope.store.ordinary import ordinary_turns
from tests.follow.oracle import Oracle
from tests.follow.poller import Poller, PowerCutError
from tests.follow.world import World

_SCRIPTS = int(os.environ.get("FUSIONSCOPE_CONVERGE", "150"))
_GROUPS = 10
_CLOCK_TICK_S = 0.006  # how long the clock of a file system may stand still
_HOUR_NS = 3_600 * 10**9


class Script:
    """One script: things happen, polls look, and what a poll may say and do is checked each time."""

    def __init__(self, seed: int, directory: Path, patch: pytest.MonkeyPatch) -> None:
        self.rng = random.Random(seed)
        self.directory = directory
        self.world = World(directory, self.rng)
        self.oracle = Oracle()
        # small sizes bring the places where one block or one commit ends, and the next begins, among a few lines
        if self.rng.random() < 0.5:
            patch.setattr(ingest_log, "_BLOCK", self.rng.choice([700, 1_500, 4_096]))
            patch.setattr(ingest_log, "_GUARD_BYTES", self.rng.choice([64, 500]))
        patch.setattr(store_write, "_FACTS_A_COMMIT", self.rng.choice([1, 7, 10_000]))
        self.later_ns = 0
        patch.setattr(ingest_log, "time", SimpleNamespace(time_ns=lambda: time.time_ns() + self.later_ns))
        database = directory / "db" / "fusionscope.db"
        self.pollers = [Poller(database, self.world, self.rng) for _ in range(self.rng.choice([1, 1, 2]))]

    def run(self) -> None:
        try:
            for _ in range(self.rng.choice([8, 15, 30])):
                for _ in range(self.rng.choice([1, 1, 1, 2, 4])):
                    self.world.step()
                if self.rng.random() < 0.6:
                    self.poll()
            self.poll()
            self.check_the_end()
        finally:
            for poller in self.pollers:
                poller.connection.close()

    def poll(self) -> None:
        """Poll, with one of the things that can come in between; afterwards all is read that is visible."""
        poller = self.rng.choice(self.pollers)
        if self.rng.random() < 0.2:
            poller.restart()
        happens = self.rng.random()
        if happens < 0.1:
            self._poll_while_somebody_writes(poller)
        elif happens < 0.2:
            self._die_in_a_poll(poller)
        elif happens < 0.4:
            self._poll_some(poller)
        elif happens < 0.45:
            self._poll_without_a_root(poller)
        self._poll_all(poller)
        if self.rng.random() < 0.2:
            poller.send()
        if self.rng.random() < 0.3:
            self._poll_for_nothing(poller)

    def _poll_all(self, poller: Poller) -> None:
        self.world.journal.append("-- poll")
        if self.rng.random() < 0.2:  # an hour after the last write: from here on the times of a file tell whether it changed
            time.sleep(_CLOCK_TICK_S)
            self.later_ns = _HOUR_NS
        self.oracle.look(self.world.visible())
        before = self.world.listing()
        assert poller.poll().problems == []
        assert self.world.listing() == before, "something below a root was touched"
        self.later_ns = 0
        self._check_bad_records(poller)

    def _poll_some(self, poller: Poller) -> None:
        some = [key for key in self.oracle.logs() if self.rng.random() < 0.5]
        self.world.journal.append(f"-- poll of {len(some)} logs")
        paths = [self.world.path(key) for key in some]
        if poller.knows(paths):
            self.oracle.look({key: path.read_bytes() for key, path in zip(some, paths, strict=True) if path.is_file()})
            assert poller.poll(paths).problems == []
        else:
            self.oracle.look(self.world.visible())
            assert poller.poll().problems == []
        self._check_bad_records(poller)
        for _ in range(self.rng.choice([0, 1, 2])):
            self.world.step()

    def _poll_while_somebody_writes(self, poller: Poller) -> None:
        self.world.journal.append("-- poll, meanwhile:")
        self.oracle.look(self.world.visible())
        writes = iter([self.world.write_on] * self.rng.choice([1, 2, 4]))
        poller.meanwhile = lambda: next(writes, lambda: None)()
        assert poller.poll().problems == []
        poller.meanwhile = None
        for write in writes:
            write()

    def _die_in_a_poll(self, poller: Poller) -> None:
        left = iter(range(self.rng.choice([0, 1, 2, 5])))

        def die() -> None:
            if next(left, None) is None:
                raise PowerCutError

        self.world.journal.append("-- poll that may die")
        poller.meanwhile = die
        try:
            poller.poll()
        except PowerCutError:
            poller.restart()
        poller.meanwhile = None

    def _poll_without_a_root(self, poller: Poller) -> None:
        """A root that is not there, a disk not mounted, is not one whose sessions were deleted."""
        self.world.journal.append("-- poll without the second root")
        with self.world.without(self.world.roots[1]):
            self.oracle.look(self.world.visible())
            (problem,) = poller.poll().problems
            assert str(self.world.roots[1]) in problem

    def _poll_for_nothing(self, poller: Poller) -> None:
        before = poller.rows()
        again = poller.poll()
        assert (again.new_bytes, again.turns, again.problems) == (0, [], [])
        assert poller.rows() == before

    def _check_bad_records(self, poller: Poller) -> None:
        bad = self.oracle.bad_records()
        found = Counter(Path(os.fsdecode(record.path)).parent.name for record in read.skipped_records(poller.connection))
        assert found == Counter({session_id: len(records) for session_id, records in bad.items() if records}), bad

    def check_the_end(self) -> None:
        store = self.pollers[-1].connection
        turns = read.turns(store)
        with closing(self.oracle.cold_read(self.directory / "cold")) as cold:
            expected = read.turns(cold)
            assert [_shown(turn) for turn in turns] == [_shown(turn) for turn in expected]
            # and what `turns --json` does not show: handoffs, versions, plans
            assert [turn._replace(rewound=False) for turn in turns] == [turn._replace(rewound=False) for turn in expected]
            assert read.sessions(store) == read.sessions(cold)
            assert _session_facts(store) == _session_facts(cold)
            assert ordinary_turns(store) == ordinary_turns(cold)
        amounts = self.oracle.amounts()
        assert len(turns) == len(amounts)
        assert {turn.fusion_id: turn.nano_aiu for turn in turns} == amounts
        assert sum(turn.nano_aiu or 0 for turn in turns) == sum(amount or 0 for amount in amounts.values())
        assert {turn.fusion_id for turn in turns if turn.rewound} == self.oracle.rewound()
        assert read.unknown_types(store).get("session.fusion_debated", 0) == self.oracle.unknown_events()
        assert self.pollers[0].there() == {self.world.path(key) for key in self.world.visible()}
        split = self.oracle.split()
        # where the clock went back and a log has only a part of a turn, nothing tells which part was first
        self.check_order([turn for turn in turns if not (self.world.clock.went_back and turn.fusion_id in split)])
        # an attempt that comes to light when a later one at the same leg was sent takes its number
        self.check_sent([turn for turn in turns if turn.fusion_id not in split or not _has_attempts(turn)])

    def check_order(self, turns: Sequence[Turn]) -> None:
        """Legs stand in the order in which they ran."""
        ran = self.oracle.legs(self.world.clock.order)
        for turn in turns:
            assert [(leg.phase_id, leg.status) for leg in turn.legs] == ran[turn.fusion_id]

    def check_sent(self, turns: Sequence[Turn]) -> None:
        """Every part of a turn that ended was sent, and none twice, however often the turn seemed to end."""
        while any(poller.send() for poller in self.pollers):
            pass
        sent = [part for poller in self.pollers for part in poller.sent]
        for turn in turns:
            parts = {(turn.fusion_id, "root", 0)} | {(turn.fusion_id, leg.phase_id, leg.attempt) for leg in turn.legs}
            ended = [call for call in turn.tool_calls if call.ended_at is not None]
            parts |= {(turn.fusion_id, f"tool {call.tool_call_id}", call.ended_at or 0) for call in ended}
            went = [part for part in sent if part[0] == turn.fusion_id]
            assert len(went) == len(set(went))
            assert turn.is_open or set(went) == parts


def _session_facts(store: sqlite3.Connection) -> list[set[tuple[object, ...]]]:
    return [set(store.execute(f"SELECT * FROM {TABLE_OF[fact]}")) for fact in get_args(SessionFact)]


def _shown(turn: Turn) -> dict[str, Any]:
    shown = turn_object(turn)
    del shown["rewound"]
    return shown


def _has_attempts(turn: Turn) -> bool:
    return any(leg.attempt for leg in turn.legs)


def _seeds() -> list[range]:
    if seed := os.environ.get("FUSIONSCOPE_CONVERGE_SEED"):
        return [range(int(seed), int(seed) + 1)]
    return [range(_SCRIPTS * n // _GROUPS, _SCRIPTS * (n + 1) // _GROUPS) for n in range(_GROUPS)]


@pytest.mark.parametrize("seeds", _seeds(), ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")
def test_following_converges_to_a_cold_read_of_everything_that_was_ever_visible(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        with tempfile.TemporaryDirectory(dir=tmp_path) as directory, pytest.MonkeyPatch.context() as patch:
            script = Script(seed, Path(directory), patch)
            try:
                script.run()
            except BaseException:
                print(f"FUSIONSCOPE_CONVERGE_SEED={seed}", *script.world.journal, sep="\n  ")
                raise
