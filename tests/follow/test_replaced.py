"""A log that is replaced, shortened or made anew: what was seen stays, once. Faults of kinds A and B."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from fusionscope.follow.index import Indexer
from fusionscope.ingest import log as ingest_log
from fusionscope.ingest.find import Root
from fusionscope.store import read
from fusionscope.store.database import connect
from tests.conftest import Stage
from tests.follow.files import age, append, replace, rewound
from tests.logs import CREDIT, Log, a_turn, place

WHOLE = 25 * CREDIT // 2


def generation(stage: Stage) -> int:
    """How often the only log turned out to be another one."""
    ((found,),) = stage.connection.execute("SELECT generation FROM log")
    return int(found)


def three_turns() -> Log:
    log = a_turn("f1")
    log.turn("f2")
    return log.turn("f3")


def test_a_rewind_marks_the_turns_it_took_and_their_money_stays(stage: Stage) -> None:
    log = three_turns()
    path = place(stage.root, log)
    stage.index()
    # kept records are written anew: 200.0 becomes 200
    kept = [json.dumps(json.loads(line, parse_float=lambda text: int(float(text)))).encode() + b"\n" for line in log.lines[:9]]
    rewind = Log("rewind")
    rewind.event("session.info", infoType="rewind", message="x")
    replace(path, b"".join([*kept, *rewind.lines]))
    done = stage.index()
    assert [(turn.fusion_id, turn.state, turn.rewound) for turn in stage.turns()] == [
        ("f1", "completed", False), ("f2", "completed", True), ("f3", "completed", True),
    ]  # fmt: skip
    assert (stage.nano_aiu(), sum(len(turn.legs) for turn in stage.turns()), stage.skipped()) == (3 * WHOLE, 9, 0)
    assert (generation(stage), done.turns) == (1, [])
    (session,) = read.sessions(stage.connection)
    assert (session.turns, session.resumes) == (3, 0)


def test_a_log_that_outgrew_its_old_size_after_a_rewind_is_read_from_its_start(stage: Stage) -> None:
    path = place(stage.root, three_turns())
    stage.index()
    after = a_turn("f1")
    for n in range(4, 8):
        after.turn(f"f{n}")
    replace(path, bytes(after))
    stage.index()
    assert [turn.fusion_id for turn in stage.turns()] == ["f1", "f2", "f4", "f3", "f5", "f6", "f7"]
    assert (rewound(stage), stage.nano_aiu(), stage.skipped()) == ({"f2", "f3"}, 7 * WHOLE, 0)


def test_what_was_written_and_rewound_between_two_polls_was_never_seen(stage: Stage) -> None:
    path = place(stage.root, a_turn("f1"))
    stage.index()
    append(path, bytes(Log("x").turn("f2")))
    replace(path, bytes(a_turn("f1")))
    assert (stage.index().new_bytes, generation(stage), rewound(stage)) == (0, 0, set())
    assert [turn.fusion_id for turn in stage.turns()] == ["f1"]


def test_a_restored_backup_brings_its_turns_back_and_takes_the_later_ones(stage: Stage, tmp_path: Path) -> None:
    log = a_turn("f1")
    log.turn("f2")
    path = place(stage.root, log)
    age(path)
    backup = shutil.copy2(path, tmp_path / "backup")
    stage.index()
    replace(path, bytes(a_turn("f1").turn("f3")))
    stage.index()
    assert rewound(stage) == {"f2"}
    shutil.copy2(backup, path)
    stage.index()
    assert (rewound(stage), len(stage.turns()), stage.nano_aiu()) == ({"f3"}, 3, 3 * WHOLE)


def test_another_file_of_the_same_size_and_time_is_another_file(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest_log, "_YOUNG_NS", 0)  # the test does not wait until a file is old
    path = place(stage.root, a_turn("f1"))
    age(path)
    stage.index()
    stage.index()
    before = path.stat()
    replace(path, bytes(a_turn("f2")))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    stage.index()
    assert {turn.fusion_id: turn.rewound for turn in stage.turns()} == {"f1": True, "f2": False}


def test_the_real_rewind_is_one_session_read_twice(stage: Stage, samples: Path) -> None:
    path = place(stage.root, (samples / "rewind-1.0.102-before.jsonl").read_bytes())
    stage.index()
    (before,) = read.sessions(stage.connection)
    replace(path, (samples / "rewind-1.0.102-after.jsonl").read_bytes())
    stage.index()
    (after,) = read.sessions(stage.connection)
    # 1 start, no resume, no shutdown, before and after; the rewind itself is the newest event
    assert before._replace(last_event_at=after.last_event_at) == after
    assert (after.cli_version, after.resumes, after.shutdowns) == ("1.0.102", 0, 0)
    assert stage.connection.execute("SELECT mark FROM session_mark ORDER BY at").fetchall() == [("start",), ("rewind",)]
    assert (generation(stage), stage.skipped(), read.unknown_types(stage.connection)) == (1, 0, {})


def test_the_real_recovery_of_a_torn_tail_goes_on_where_reading_stopped(stage: Stage, samples: Path) -> None:
    before = (samples / "torn-tail-1.0.102-before.jsonl").read_bytes()
    after = (samples / "torn-tail-1.0.102-after.jsonl").read_bytes()
    whole = before.rindex(b"\n") + 1
    assert len(before) > whole
    path = place(stage.root, before)
    assert stage.index().new_bytes == whole
    path.with_name("events.jsonl.backup-before-recovery-ab12").write_bytes(before)
    replace(path, after)
    assert after.startswith(before[:whole])
    assert stage.index().new_bytes == len(after) - whole
    (session,) = read.sessions(stage.connection)
    assert (session.resumes, session.shutdowns, stage.skipped(), generation(stage)) == (2, 2, 0, 0)


def test_a_recovery_that_drops_a_line_in_the_middle_loses_and_doubles_nothing(stage: Stage) -> None:
    lines = three_turns().lines
    path = place(stage.root, b"".join([*lines[:9], b'{"type":"session.fusion_reso\n', *lines[9:]]))
    stage.index()
    replace(path, b"".join([*lines, Log("r").resume()]))
    stage.index()
    assert (stage.nano_aiu(), rewound(stage), stage.reasons()) == (3 * WHOLE, set(), ["not JSON"])


@pytest.mark.parametrize("same_session", [True, False])
def test_a_new_file_with_the_inode_of_an_old_one_is_read_from_its_first_byte(stage: Stage, same_session: bool) -> None:
    inodes = []
    path = place(stage.root, a_turn("f0"), "session-0")
    stage.index()
    for n in range(1, 6):
        inodes.append(path.stat().st_ino)
        shutil.rmtree(path.parent)
        content = b"".join([bytes(Log(f"s{n}").turn(f"f{n}-{i}")) for i in range(n + 1)])  # longer than the old offset
        path = place(stage.root, content, f"session-{0 if same_session else n}")
        stage.index()
    assert len(stage.turns()) == 1 + 2 + 3 + 4 + 5 + 6
    assert stage.nano_aiu() == 21 * WHOLE
    assert len(read.sessions(stage.connection)) == (1 if same_session else 6)
    if len(set(inodes)) == len(inodes):
        pytest.skip("this file system gives every file a new inode; what was read is right all the same")


@pytest.mark.parametrize("looked", [True, False], ids=["seen while empty", "grown before it was looked at"])
@pytest.mark.parametrize("turns", [1, 5], ids=["shorter", "longer"])
def test_a_log_copied_and_truncated_in_place_keeps_its_turns_and_gives_the_new_ones(
    stage: Stage, turns: int, looked: bool
) -> None:
    path = place(stage.root, three_turns())
    stage.index()
    inode = path.stat().st_ino
    shutil.copy2(path, path.with_name("events.jsonl.1"))
    os.truncate(path, 0)
    if looked:
        stage.index()
    for n in range(turns):
        append(path, bytes(Log(f"later{n}").turn(f"l{n}")))
    stage.index()
    assert path.stat().st_ino == inode
    assert (len(stage.turns()), stage.nano_aiu(), stage.skipped()) == (3 + turns, (3 + turns) * WHOLE, 0)
    assert (rewound(stage), generation(stage)) == ({"f1", "f2", "f3"}, 1)


@pytest.mark.parametrize("removed", ["the file", "the directory"])
def test_a_log_made_anew_without_a_start_is_the_same_session(stage: Stage, removed: str) -> None:
    log = a_turn("f1")
    path = place(stage.root, log)
    stage.index()
    path.unlink() if removed == "the file" else shutil.rmtree(path.parent)
    stage.index()
    assert (stage.turn().rewound, stage.nano_aiu()) == (False, WHOLE)
    later = len(log.lines)
    log.turn("f2")
    place(stage.root, b"".join(log.lines[later:]), path.parent.name)
    stage.index()
    (session,) = read.sessions(stage.connection)
    assert (session.session_id, session.turns, session.cli_version) == (path.parent.name, 2, "1.0.84-4")
    assert [(turn.fusion_id, turn.state) for turn in stage.turns()] == [("f1", "completed"), ("f2", "completed")]
    assert stage.nano_aiu() == 2 * WHOLE


@pytest.mark.parametrize("happened", ["deleted", "truncated", "restored"])
def test_a_turn_that_goes_on_in_a_new_file_keeps_the_order_of_its_legs(stage: Stage, happened: str) -> None:
    log = a_turn("f1")
    log.turn("f2")
    path = place(stage.root, b"".join(log.lines[:12]))  # up to the primary leg of f2
    stage.index()
    if happened == "deleted":
        shutil.rmtree(path.parent)
        path.parent.mkdir()
    elif happened == "truncated":
        os.truncate(path, 0)
    else:
        path.write_bytes(log.lines[0])
    append(path, b"".join(log.lines[12:]))
    stage.index()
    turn = next(turn for turn in stage.turns() if turn.fusion_id == "f2")
    assert [(leg.index, leg.kind, leg.model) for leg in turn.legs] == [
        (0, "primary", "m-small"), (1, "judge", "m-big"), (2, "repair", "m-big"),
    ]  # fmt: skip
    assert (turn.models, turn.state, turn.nano_aiu) == (("m-small", "m-big"), "completed", WHOLE)


def test_the_attempts_at_a_leg_keep_their_numbers_in_a_new_file(stage: Stage) -> None:
    log = a_turn("f0")
    log.resolved("f1", "single")
    log.leg_failed("f1", 0, "primary", "m-x", CREDIT)
    path = place(stage.root, log)
    stage.index()
    path.unlink()
    again = log.leg("f1", 0, "primary", "m-y", 2 * CREDIT)
    place(stage.root, again + log.completed("f1", 0, "m-y", "single"), path.parent.name)
    stage.index()
    turn = next(turn for turn in stage.turns() if turn.fusion_id == "f1")
    assert [(leg.attempt, leg.model, leg.status) for leg in turn.legs] == [(0, "m-x", "failed"), (1, "m-y", "succeeded")]


def test_a_log_shrunk_by_hand_doubles_nothing(stage: Stage) -> None:
    log = three_turns()
    path = place(stage.root, log)
    stage.index()
    path.write_bytes(b"".join([log.lines[0], *log.lines[9:]]))
    stage.index()
    assert (stage.nano_aiu(), sum(len(turn.legs) for turn in stage.turns()), rewound(stage)) == (3 * WHOLE, 9, {"f1"})


def test_nul_bytes_that_something_was_written_behind_are_one_bad_record_however_often_they_are_read(stage: Stage) -> None:
    lines = three_turns().lines
    path = place(stage.root, b"".join(lines[:17]) + b"\0" * 100)
    stage.index()
    append(path, b"".join(lines[17:]))
    stage.index()
    path.write_bytes(path.read_bytes()[len(lines[0]) :])
    stage.index()
    assert (stage.nano_aiu(), stage.reasons()) == (3 * WHOLE, ["NUL bytes"])


@pytest.mark.parametrize("length", [100, 400_000], ids=["short", "longer than a block"])
def test_nul_bytes_in_the_middle_of_a_line_are_at_most_one_bad_record(stage: Stage, length: int) -> None:
    log = a_turn("f1")
    half = log.event("assistant.message", content="x" * length)[:-30]
    path = place(stage.root, b"".join(log.lines[:9]) + half)
    stage.index()
    for _ in range(3):
        append(path, b"\0" * 1_000)
        stage.index()
    assert len(stage.reasons()) <= 1
    before = stage.reasons()
    replace(path, b"".join(log.lines[:9]) + bytes(Log("x").turn("f2")))
    stage.index()
    assert (stage.nano_aiu(), rewound(stage), stage.reasons()) == (2 * WHOLE, set(), before)


@pytest.mark.parametrize("cut", [100, 262_044, 262_143, 262_144, 262_145, 524_100])
@pytest.mark.parametrize("content", ["x", "y" * 300_000], ids=["short", "longer than a block"])
def test_a_record_glued_to_a_long_ordinary_one_is_found_wherever_reading_stopped(stage: Stage, cut: int, content: str) -> None:
    log = Log()
    log.resolved("f1")
    half = b'{"type":"assistant.message","data":{"content":"' + b"x" * 524_000
    whole = half + log.leg("f1", 0, "primary", "m", 7, content=content)
    path = place(stage.root, log.lines[0] + whole[:cut])
    stage.index()
    append(path, whole[cut : len(half) + 150])
    stage.index()
    append(path, whole[len(half) + 150 :])
    stage.index()
    assert (len(stage.turn().legs), stage.nano_aiu(), stage.reasons()) == (1, 7, ["not JSON"])
    cold = Stage(stage.root.parent / "home")
    place(cold.root, log.lines[0] + whole)
    cold.index()
    assert (cold.shown()[0]["legs"], cold.reasons()) == (stage.shown()[0]["legs"], ["not JSON"])
    cold.connection.close()


def test_a_long_line_of_one_sign_is_told_from_another_at_the_same_place(stage: Stage) -> None:
    log = a_turn("f1")
    half = log.event("tool.execution_complete", result={"content": " " * 300_000})[:-200]
    path = place(stage.root, b"".join(log.lines[:9]) + half)
    stage.index()
    other = Log("other")
    other.turn("f2")
    other.event("tool.execution_complete", result={"content": " " * 300_000})
    replace(path, b"".join(log.lines[:9]) + bytes(other.turn("f3")))
    stage.index()
    assert (sorted(turn.fusion_id for turn in stage.turns()), stage.nano_aiu()) == (["f1", "f2", "f3"], 3 * WHOLE)


def test_a_process_that_knew_a_log_empty_sees_that_what_another_read_from_it_is_gone(stage: Stage) -> None:
    path = place(stage.root, b"")
    with closing(connect(stage.database)) as connection:
        process = Indexer(connection, [Root(stage.root, "a test")])
        process.everything()
        append(path, bytes(a_turn("f1")))
        stage.index()
        os.truncate(path, 0)
        process.everything()
    assert (rewound(stage), stage.nano_aiu(), generation(stage)) == ({"f1"}, WHOLE, 1)


def test_a_process_hears_that_another_missed_a_log_that_is_there_again(stage: Stage, tmp_path: Path) -> None:
    path = place(stage.root, a_turn("f1"))
    age(path)
    with closing(connect(stage.database)) as connection:
        process = Indexer(connection, [Root(stage.root, "a test")])
        process.everything()
        path.rename(tmp_path / "away")
        stage.index()
        assert stage.connection.execute("SELECT gone FROM log").fetchall() == [(1,)]
        (tmp_path / "away").rename(path)
        process.everything()
    assert stage.connection.execute("SELECT gone FROM log").fetchall() == [(0,)]


def test_a_log_whose_place_a_directory_took_keeps_its_turns(stage: Stage) -> None:
    path = place(stage.root, a_turn("f1"))
    stage.index()
    path.unlink()
    path.mkdir()
    assert stage.index().problems == []
    path.rmdir()
    path.write_bytes(bytes(a_turn("f1").turn("f2")))
    stage.index()
    assert (len(stage.turns()), stage.nano_aiu(), rewound(stage)) == (2, 2 * WHOLE, set())
