"""Forgetting a session."""

from __future__ import annotations

from fusionscope.store.forget import forget, sessions_like
from tests.conftest import Stage
from tests.logs import Log, a_turn, place


def test_a_forgotten_session_leaves_no_byte_and_is_not_read_again(stage: Stage) -> None:
    log = a_turn("fusion-secretly-named")
    path = place(stage.root, bytes(log) + b"garbage\n")
    place(stage.root, Log("s2").turn("f2"), "other")
    stage.index()
    assert sessions_like(stage.connection, log.session_id[:6]) == [log.session_id]
    assert forget(stage.connection, log.session_id) == 1
    assert ([turn.fusion_id for turn in stage.turns()], stage.skipped()) == (["f2"], 0)
    files = list(stage.database.parent.iterdir())
    assert b"fusion-secretly-named" not in b"".join(file.read_bytes() for file in files)
    before = path.read_bytes()
    with path.open("ab") as file:
        file.write(bytes(Log("x").turn("f3")))
    stage.index()
    assert [turn.fusion_id for turn in stage.turns()] == ["f2"]
    assert path.read_bytes().startswith(before)


def test_a_turn_that_a_fork_holds_too_stays_as_the_forks(stage: Stage) -> None:
    parent = a_turn("f1")
    parent.turn("f2")
    fork = Log("fork", "2026-11-30T11:00:00")
    fork.start()
    fork.lines += parent.lines[1:9]
    place(stage.root, parent)
    place(stage.root, fork)
    stage.index()
    assert {turn.session_id for turn in stage.turns()} == {parent.session_id}
    assert forget(stage.connection, parent.session_id) == 1
    assert {turn.fusion_id: turn.session_id for turn in stage.turns()} == {"f1": fork.session_id}


def test_no_session_is_like_nothing(stage: Stage) -> None:
    place(stage.root, a_turn())
    stage.index()
    assert sessions_like(stage.connection, "") == sessions_like(stage.connection, "%") == []
