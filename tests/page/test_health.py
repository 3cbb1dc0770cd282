"""Health: what `doctor` and `status` say, what was skipped, what is not known."""

from __future__ import annotations

import json
import os

import pytest

from fusionscope.cli import main
from fusionscope.commands.around import checks_while_running
from fusionscope.ingest.find import Root
from tests.conftest import Stage
from tests.logs import Log, a_turn, place
from tests.page.looking import Look


def test_health_says_what_status_says(stage: Stage) -> None:
    place(stage.root, a_turn())
    stage.index()
    facts = Look(stage, follower=True, roots=[(str(stage.root), "a test")]).at("/health").facts
    assert facts["Database"][0].startswith(f"{stage.database}, ")
    assert facts["Followed by"] == [f"process {os.getpid()}"]
    assert facts["Looks in"] == [f"{stage.root} (a test)"]
    assert facts["Turns"][0].startswith("1, 0 open; last event ")
    assert facts["Root"] == [str(stage.root), "1 log; 0 bytes not read yet"]
    assert facts["Outbox traces"] == ["1 turn waiting, 0 sent; no endpoint"]


def test_skipped_records_are_named_with_their_place(stage: Stage) -> None:
    log = bytes(a_turn())
    path = place(stage.root, log + b'{"type":"session.fusion_completed","data":<script>\n')
    stage.index()
    rows = Look(stage).at("/health").tables["Records that could not be used"][1:]
    (reason,) = stage.reasons()
    assert rows == [[reason, f"{len(log):,}", "50", str(path)]]


def test_what_this_release_does_not_know_is_listed_with_where_it_is(stage: Stage) -> None:
    log = a_turn()
    for fusion_id in ("f2", "f3"):
        log.resolved(fusion_id, "debate")
    log.event("session.fusion_vote", fusionId="f2")
    log.event("session.fusion_vote", fusionId="f2")
    log.event("session.fusion_poll")
    for _ in range(3):
        log.event("session.other")
    place(stage.root, log)
    stage.index()
    reading = Look(stage).at("/health")
    assert "Not known to this release" in reading.headings
    assert reading.tables["Words and event types that this release does not know"][1:] == [
        ["pattern debate", "2 turns"],
        ["event type fusion_vote", "1 turn"],
        ["event type fusion_poll", "1 event"],
        ["event type session.other", "3 events"],
    ]


def test_health_says_what_doctor_says_of_the_running_process(stage: Stage) -> None:
    log = a_turn()
    log.lines.append(b'{"type":"session.fusion_completed","data":5}\n')
    place(stage.root, log)
    stage.index()
    root = Root(stage.root, "given with --root")
    checks = checks_while_running([root], True, stage.database, "http://localhost:4318", {}, stage.root.parent)
    reading = Look(stage, follower=True, checks=checks).at("/health")
    rows = {part: (verdict, sentence) for verdict, part, sentence in reading.tables["The verdict on each part"][1:]}
    assert rows["root"] == ("ok", f"{stage.root} (given with --root)")
    assert rows["turns"] == ("ok", "1 turn in 1 of 1 session")
    assert rows["logs"] == ("ok", "1 log on disk")
    assert rows["follower"] == ("ok", f"process {os.getpid()} follows the logs")
    assert rows["skipped"][0] == "look"
    assert rows["skipped"][1].startswith("1 record could not be used, or not wholly: ")
    assert rows["outbox traces"] == ("ok", "1 turn waiting, 0 sent; no endpoint")
    assert rows["endpoint"] == ("ok", "http://localhost:4318; how sending goes, the outbox says")
    assert "1 to look at, 0 broken." in reading.texts["lead"]


def test_the_parts_are_those_of_doctor(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    place(stage.root, a_turn())
    stage.index()
    assert main(["doctor", "--json", "--root", str(stage.root), "--db", str(stage.database)]) == 0
    wanted = [check["name"] for check in json.loads(capsys.readouterr().out)["checks"]]
    looked = checks_while_running([Root(stage.root, "given with --root")], True, stage.database)
    rows = Look(stage, follower=True, checks=looked).at("/health").tables["The verdict on each part"][1:]
    assert [part for _, part, _ in rows] == wanted


def test_what_the_logs_say_is_told_at_once_and_what_lies_around_within_a_minute(stage: Stage) -> None:
    place(stage.root, a_turn())
    stage.index()
    checks = checks_while_running([Root(stage.root, "a test")], True, stage.database, environment={}, home=stage.root.parent)
    look = Look(stage, checks=checks)
    look.at("/health")
    other = Log("s2")
    other.start()
    place(stage.root, other.turn("f2"))
    stage.index()
    rows = {part: sentence for _, part, sentence in look.at("/health").tables["The verdict on each part"][1:]}
    assert rows["turns"] == "2 turns in 2 of 2 sessions"
    assert rows["logs"] == "2 logs on disk"


def test_a_healthy_store_has_nothing_to_add(stage: Stage) -> None:
    reading = Look(stage).at("/health")
    assert reading.headings == ["Health", "Status", "Skipped records"]
    assert "Every record could be used." in reading.texts["main"][0]
    assert reading.facts["Followed by"] == ["nobody; every command reads what is new first"]
