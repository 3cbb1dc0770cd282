"""Which day a turn belongs to, and how long a leg took whatever its turn says. Faults of kind J."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from fusionscope.options import moment
from fusionscope.store import read
from fusionscope.store.read import Selection
from tests.conftest import Stage
from tests.logs import Log, place


def in_zone(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()


def on(stage: Stage, day: str) -> list[str]:
    """The turns of one day, as ``--since DAY --until DAY`` selects them."""
    now = datetime.now(UTC)
    whole_day = Selection(since=moment(day, now), until=moment(day, now, end_of_day=True))
    return [turn.fusion_id for turn in read.turns(stage.connection, whole_day)]


def test_an_evening_turn_belongs_to_the_local_day(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log("evening", "2026-11-30T04:08:00")
    place(stage.root, log.turn("f1"))
    stage.index()
    try:
        in_zone("America/Los_Angeles", monkeypatch)
        assert (on(stage, "2026-11-29"), on(stage, "2026-11-30")) == (["f1"], [])
        in_zone("UTC", monkeypatch)
        assert (on(stage, "2026-11-29"), on(stage, "2026-11-30")) == ([], ["f1"])
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(("day", "hours"), [("2026-03-29", 23), ("2026-10-25", 25), ("2026-06-01", 24)])
def test_the_day_of_a_clock_change_has_its_own_length(monkeypatch: pytest.MonkeyPatch, day: str, hours: int) -> None:
    try:
        in_zone("Europe/Berlin", monkeypatch)
        now = datetime.now(UTC)
        assert moment(day, now, end_of_day=True) - moment(day, now) == hours * 3_600_000
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_turn_that_straddles_midnight_belongs_whole_to_the_day_it_began_on(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Log("late", "2026-11-30T23:59:58")
    log.turn("f1")  # begins 23:59:57, its last leg ends 00:00:04
    place(stage.root, log)
    place(stage.root, Log("next", "2026-12-01T00:30:00").turn("f2"))
    stage.index()
    try:
        in_zone("UTC", monkeypatch)
        assert (on(stage, "2026-11-30"), on(stage, "2026-12-01")) == (["f1"], ["f2"])
    finally:
        monkeypatch.undo()
        time.tzset()
    (turn, _) = stage.shown()
    assert (turn["started_at"], turn["ended_at"]) == ("2026-11-30T23:59:57.000Z", "2026-12-01T00:00:06.000Z")


def test_legs_that_took_longer_than_their_turn_keep_their_own_time(stage: Stage) -> None:
    log = Log()
    log.resolved("f1", "critique")
    for n in range(3):
        log.leg("f1", n, "critic", "m", 1, durationMs=60_000)
    log.completed("f1", 2, "m", "critique")
    place(stage.root, log)
    stage.index()
    (turn,) = stage.shown()
    assert (turn["duration_ms"], [leg["duration_ms"] for leg in turn["legs"]]) == (9_000, [60_000] * 3)
    assert [leg["started_at"] for leg in turn["legs"]] == [
        "2026-11-30T09:59:02.000Z", "2026-11-30T09:59:03.000Z", "2026-11-30T09:59:04.000Z",
    ]  # fmt: skip
