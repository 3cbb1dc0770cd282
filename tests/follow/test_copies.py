"""The same events in several logs: forks, copies, links, moves. Each turn counts once. Faults of kinds B, C and G."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from fusionscope.store import read
from tests.conftest import Stage
from tests.follow.files import append, replace, rewound
from tests.logs import CREDIT, Log, a_turn, place

WHOLE = 25 * CREDIT // 2


def forked(parent: Log, name: str, begins: str = "2026-11-30T11:00:00", turn: str | None = None) -> Log:
    """A fork as the CLI writes it: the parent's events with their ids, below a start that has the parent's id but a body of
    its own."""
    fork = Log(name, begins)
    fork.start()
    start = json.loads(fork.lines[0]) | {"id": json.loads(parent.lines[0])["id"]}
    fork.lines = [json.dumps(start, separators=(",", ":")).encode() + b"\n", *parent.lines[1:]]
    fork.event("session.info", infoType="fork", message="x")
    return fork.turn(turn) if turn else fork


def owners(stage: Stage) -> dict[str, str]:
    return {turn.fusion_id: turn.session_id for turn in stage.turns()}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_forks_with_equal_beginnings_are_each_followed(stage: Stage, order: tuple[int, ...]) -> None:
    parent = Log()
    parent.start()
    parent.user("word " * 5_000)
    parent.turn("f1")
    logs = [parent, forked(parent, "a", turn="f2"), forked(parent, "b", "2026-11-30T12:00:00", turn="f3")]
    # not even the starts differ: 22,000 bytes and more are the same in all three
    for log in logs[1:]:
        log.lines[0] = parent.lines[0]
        assert bytes(log)[:22_000] == bytes(parent)[:22_000]
    for n in order:
        place(stage.root, logs[n])
        stage.index()
    assert (len(stage.turns()), stage.nano_aiu()) == (3, 3 * WHOLE)
    for log, fusion_id in zip(logs, ("f4", "f5", "f6"), strict=True):
        append(stage.root / log.session_id / "events.jsonl", bytes(Log(fusion_id).turn(fusion_id)))
    stage.index()
    assert (len(stage.turns()), stage.nano_aiu(), stage.skipped()) == (6, 6 * WHOLE, 0)


def test_the_real_fork_is_a_session_of_its_own(stage: Stage, samples: Path) -> None:
    place(stage.root, (samples / "rewind-1.0.102-after.jsonl").read_bytes(), "parent")
    place(stage.root, (samples / "fork-1.0.102.jsonl").read_bytes(), "fork")
    stage.index()
    sessions = read.sessions(stage.connection)
    assert [(one.session_id, one.resumes, one.shutdowns, one.cli_version) for one in sessions] == [
        ("parent", 0, 0, "1.0.102"), ("fork", 2, 2, "1.0.102"),
    ]  # fmt: skip
    assert (stage.skipped(), read.unknown_types(stage.connection)) == (0, {})


def test_a_fork_of_a_fork_leaves_a_turn_with_the_first_session(stage: Stage) -> None:
    parent = a_turn("f1")
    child = forked(parent, "child", turn="f2")
    grandchild = forked(child, "grandchild", "2026-11-30T12:00:00", turn="f3")
    for log in (grandchild, child, parent):
        place(stage.root, log)
        stage.index()
    assert owners(stage) == {"f1": parent.session_id, "f2": child.session_id, "f3": grandchild.session_id}
    assert stage.nano_aiu() == 3 * WHOLE


def test_a_turn_is_rewound_when_no_session_holds_it_any_more(stage: Stage) -> None:
    parent = a_turn("f1")
    fork = forked(parent, "fork")
    paths = [place(stage.root, log) for log in (parent, fork)]
    stage.index()
    replace(paths[0], parent.lines[0])
    stage.index()
    assert rewound(stage) == set()
    replace(paths[1], fork.lines[0])
    stage.index()
    assert (rewound(stage), stage.nano_aiu()) == ({"f1"}, WHOLE)


def test_a_turn_whose_fork_was_deleted_is_not_rewound(stage: Stage) -> None:
    parent = a_turn("f1")
    path = place(stage.root, parent)
    copy = place(stage.root, forked(parent, "fork"))
    stage.index()
    shutil.rmtree(copy.parent)
    replace(path, parent.lines[0])
    stage.index()
    assert (rewound(stage), stage.nano_aiu()) == (set(), WHOLE)


def test_a_fork_that_is_only_half_written_holds_no_bad_record(stage: Stage) -> None:
    parent = a_turn("f1")
    place(stage.root, parent)
    whole = bytes(forked(parent, "fork", turn="f2"))
    for end in range(0, len(whole), 997):
        place(stage.root, whole[:end], "fork")
        stage.index()
    place(stage.root, whole, "fork")
    stage.index()
    assert (stage.skipped(), stage.nano_aiu(), rewound(stage)) == (0, 2 * WHOLE, set())
    assert owners(stage) == {"f1": parent.session_id, "f2": "fork"}


def test_a_route_known_only_through_a_fork_ends_the_open_turn_before_it(stage: Stage) -> None:
    """The parent's log was lost in the middle of f3; the fork has all of it."""
    log = a_turn("f1")
    log.resolved("f2")  # killed: it never ends
    path = place(stage.root, log)
    stage.index()
    assert [turn.state for turn in stage.turns()] == ["completed", "open"]
    log.lines = [log.lines[0]]
    log.turn("f3")
    path.unlink()
    place(stage.root, b"".join(log.lines[3:]), path.parent.name)
    stage.index()
    place(stage.root, forked(log, "fork"))
    stage.index()
    states = {turn.fusion_id: turn.state for turn in stage.turns()}
    assert states == {"f1": "completed", "f2": "abandoned", "f3": "completed"}


@pytest.mark.parametrize("name", ["0-copy", "z-copy"])
def test_a_hard_link_in_another_session_directory_is_no_other_log(stage: Stage, name: str) -> None:
    path = place(stage.root, a_turn("f1"), "session")
    stage.index()
    (stage.root / name).mkdir()
    os.link(path, stage.root / name / "events.jsonl")
    append(path, bytes(Log("later").turn("f2")) + b"bad\n")
    assert stage.index().logs == 1
    assert (len(stage.turns()), stage.nano_aiu(), stage.reasons()) == (2, 2 * WHOLE, ["not JSON"])
    # a rewind gives the session a file of its own; the link keeps the old one
    replace(path, bytes(a_turn("f1").turn("f3")))
    assert stage.index().logs == 2
    assert (len(stage.turns()), stage.nano_aiu(), rewound(stage)) == (3, 3 * WHOLE, set())


def test_a_backup_by_hard_link_is_emptied_with_the_log_and_nothing_is_lost(stage: Stage) -> None:
    path = place(stage.root, a_turn("f1"))
    stage.index()
    os.link(path, path.with_name("backup.jsonl"))
    os.truncate(path, 0)
    append(path, bytes(Log("later").turn("f2")))
    stage.index()
    assert (len(stage.turns()), stage.nano_aiu(), rewound(stage)) == (2, 2 * WHOLE, {"f1"})


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_a_directory_copied_under_another_name_counts_once_in_any_order(stage: Stage, order: str) -> None:
    for name in order:
        place(stage.root, a_turn("f1"), name)
        stage.index()
    assert (owners(stage), stage.nano_aiu(), len(read.sessions(stage.connection))) == ({"f1": "a"}, WHOLE, 2)


def test_a_session_moved_away_and_back_with_two_more_turns_gives_two_more_turns(stage: Stage, tmp_path: Path) -> None:
    log = a_turn("f1")
    directory = place(stage.root, log).parent
    place(stage.root, a_turn("other"), "other")
    stage.index()
    away = directory.rename(tmp_path / "archived")
    stage.index()
    assert (stage.nano_aiu(), rewound(stage)) == (2 * WHOLE, set())
    length = len(bytes(log))
    log.turn("f2")
    log.turn("f3")
    (away / "events.jsonl").write_bytes(bytes(log))
    away.rename(directory)
    done = stage.index()
    assert (done.new_bytes, sorted(done.turns)) == (len(bytes(log)) - length, ["f2", "f3"])
    assert (stage.nano_aiu(), rewound(stage)) == (4 * WHOLE, set())


def test_two_writers_that_rewind_in_turn_lose_no_money(stage: Stage) -> None:
    start = a_turn("f1")
    one, two = Log("one").turn("f2"), Log("two").turn("f3")
    path = place(stage.root, bytes(start) + b"".join(line for pair in zip(one.lines, two.lines, strict=True) for line in pair))
    stage.index()
    replace(path, bytes(start) + bytes(one))  # what this one remembers
    stage.index()
    append(path, bytes(Log("two again").turn("f4")))
    replace(path, bytes(start) + bytes(two))
    stage.index()
    assert (len(stage.turns()), stage.nano_aiu(), rewound(stage)) == (3, 3 * WHOLE, {"f2"})


def test_what_is_no_session_is_passed_over(stage: Stage) -> None:
    place(stage.root, a_turn("f1"), "no uuid at all")
    for name in ("empty", "ghost", ".session-operation-locks"):
        (stage.root / name).mkdir()
    (stage.root / "ghost" / "workspace.yaml").write_text("id: ghost\n")
    (stage.root / ".session-operation-locks" / "x.lock").touch()
    (stage.root / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    done = stage.index()
    assert (done.logs, done.problems, [session.session_id for session in read.sessions(stage.connection)]) == (
        1, [], ["no uuid at all"],
    )  # fmt: skip
