"""Following live: what is written is noticed, by the platform or by looking, and trouble passes."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fusionscope.follow import follow, notice
from fusionscope.ingest import log as ingest_log
from fusionscope.ingest.log import read_log
from fusionscope.store.write import Batch, LogState
from tests.conftest import Stage
from tests.follow.live import DAY_MS, Following, until
from tests.logs import CREDIT, Log, a_turn, place

WHOLE = 25 * CREDIT // 2


def _states(stage: Stage) -> list[str]:
    return [turn.state for turn in stage.turns()]


def test_a_turn_is_followed_from_its_first_event_to_its_last(stage: Stage) -> None:
    lines = a_turn().lines
    with Following(stage) as following:
        path = place(stage.root, b"".join(lines[:4]))
        until(lambda: _states(stage) == ["open"])
        with path.open("ab") as file:
            file.write(b"".join(lines[4:]))
        until(lambda: _states(stage) == ["completed"])
        assert set(following.wrote) == {"f1"}
    assert stage.nano_aiu() == WHOLE


def test_a_root_that_is_made_later_is_followed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "_ROOTS_S", 0.1)
    shutil.rmtree(stage.root)
    with Following(stage) as following:
        until(lambda: bool(following.said))
        stage.root.mkdir()
        place(stage.root, a_turn())
        until(lambda: _states(stage) == ["completed"])
        assert [sentence.startswith(f"Cannot read {stage.root}") for sentence in following.said] == [True]


def test_where_nothing_is_noticed_the_follower_says_so_once_and_looks(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_more_watches(*paths: Path, **options: object) -> Iterator[set[object]]:
        raise OSError(errno.ENOSPC, "OS file watch limit reached.")

    monkeypatch.setattr(notice, "watch", no_more_watches)
    with Following(stage) as following:
        path = place(stage.root, a_turn())
        until(lambda: len(stage.turns()) == 1)
        with path.open("ab") as file:
            file.write(bytes(Log("other").turn("f2")))
        until(lambda: len(stage.turns()) == 2)
        path.with_name("x").write_bytes(bytes(Log("another").turn("f3")))
        os.replace(path.with_name("x"), path)  # noqa: PTH105 - what the CLI does
        until(lambda: len(stage.turns()) == 3)
        assert [("are not noticed at once here" in sentence) for sentence in following.said] == [True]


def test_ten_rewinds_in_a_row_end_in_the_right_state(stage: Stage) -> None:
    log = a_turn()
    path = place(stage.root, log)
    with Following(stage):
        for n in range(10):
            longer = bytes(log) + bytes(Log(f"s{n}").turn(f"r{n}"))
            for content in (longer, bytes(log)):
                path.with_name("events.jsonl.tmp.1").write_bytes(content)
                os.replace(path.with_name("events.jsonl.tmp.1"), path)  # noqa: PTH105
            place(stage.root, longer)
        until(lambda: "r9" in {turn.fusion_id for turn in stage.turns()})
    rewound = {turn.fusion_id for turn in stage.turns() if turn.rewound}
    assert not rewound & {"f1", "r9"}
    assert stage.nano_aiu() == len(stage.turns()) * WHOLE


def test_a_log_that_grows_without_a_pause_is_read_to_its_end(stage: Stage) -> None:
    log = Log()
    for n in range(50):
        log.turn(f"f{n}")
    path = place(stage.root, b"")
    with Following(stage), path.open("ab", buffering=0) as file:
        for line in log.lines:
            file.write(line)
            time.sleep(0.005)
        until(lambda: _states(stage) == ["completed"] * 50)
    assert stage.nano_aiu() == 50 * WHOLE


def test_five_hundred_sessions_deleted_at_once_stay_and_cost(stage: Stage) -> None:
    for n in range(500):
        place(stage.root, bytes(Log(f"s{n}").turn(f"f{n}")), f"session-{n}")
    with Following(stage) as following:
        until(lambda: len(stage.turns()) == 500)
        for directory in stage.root.iterdir():
            shutil.rmtree(directory)
        until(lambda: stage.connection.execute("SELECT sum(gone) FROM log").fetchone() == (500,))
        assert following.said == []
    assert stage.nano_aiu() == 500 * WHOLE
    assert not any(turn.rewound for turn in stage.turns())


def test_an_unreadable_log_is_named_once_and_read_when_it_can_be(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    place(stage.root, a_turn("f2"), "readable")
    locked = place(stage.root, a_turn("f1"), "locked")
    refused = True
    opened = ingest_log._open

    def refuse(path: bytes) -> object:
        # root may open everything, so the kernel's answer is given here
        if refused and path == os.fsencode(locked):
            raise PermissionError(errno.EACCES, "Permission denied")
        return opened(path)

    monkeypatch.setattr(ingest_log, "_open", refuse)
    monkeypatch.setattr(follow, "_ACTIVE_S", 0.05)
    with Following(stage) as following:
        until(lambda: len(stage.turns()) == 1)
        locked.touch()
        until(lambda: len(following.said) == 1)
        locked.touch()
        refused = False
        until(lambda: len(stage.turns()) == 2)
        assert following.said == [f"Cannot read {locked}: permission denied."]


def test_a_full_disk_pauses_reading_and_loses_nothing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "_TROUBLE_S", 0.05)
    (pages,) = stage.connection.execute("PRAGMA page_count").fetchone()
    with Following(stage, pages=pages + 2) as following:
        log = Log()
        for n in range(300):
            log.turn(f"f{n}")
        place(stage.root, log)
        until(lambda: len(stage.turns()) == 300)
        until(lambda: len(following.said) == 2)
        assert following.said == [
            "Reading pauses: the database cannot be written (database or disk is full).",
            "The database can be written again; reading goes on.",
        ]


def test_an_open_turn_that_is_quiet_for_too_long_is_given_up_and_open_again_when_it_goes_on(stage: Stage) -> None:
    lines = Log("s", "2020-01-01T00:00:00").turn().lines
    path = place(stage.root, b"".join(lines[:4]))
    with Following(stage, quiet_ms=DAY_MS) as following:
        until(lambda: _states(stage) == ["abandoned"])
        with path.open("ab") as file:
            file.write(lines[5])
        until(lambda: len(stage.turn().legs) == 2)
        with path.open("ab") as file:
            file.write(b"".join(lines[6:]))
        until(lambda: _states(stage) == ["completed"])
        assert following.wrote[0] == "f1"


def test_a_turn_given_up_for_its_silence_goes_on(stage: Stage) -> None:
    from fusionscope.store.quiet import give_up_quiet_turns

    lines = a_turn().lines
    path = place(stage.root, b"".join(lines[:4]))
    stage.index()
    last = stage.turn().last_event_at
    assert give_up_quiet_turns(stage.connection, last) == []
    assert give_up_quiet_turns(stage.connection, last + 1) == ["f1"]
    assert stage.turn().state == "abandoned"
    path.write_bytes(b"".join(lines[:5]))
    stage.index()
    assert stage.turn().state == "open"


def test_no_log_stays_open(stage: Stage) -> None:
    path = place(stage.root, a_turn())
    with Following(stage):
        until(lambda: len(stage.turns()) == 1)
        descriptors = Path("/proc/self/fd")
        targets = [os.readlink(link) for link in descriptors.iterdir() if link.exists()] if descriptors.exists() else []  # noqa: PTH115
        assert str(path) not in targets


def test_a_pipe_that_takes_the_place_of_a_log_does_not_stop_the_follower(stage: Stage) -> None:
    path = place(stage.root, a_turn())
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(OSError, match="not a regular file"):
        read_log(LogState(1, os.fsencode(path), "", "s"), Batch())
