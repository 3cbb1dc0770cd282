"""Health: what `status` says, what was skipped, what is not known."""

from __future__ import annotations

import os

from tests.conftest import Stage
from tests.logs import a_turn, place
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


def test_unknown_event_types_are_counted(stage: Stage) -> None:
    log = a_turn()
    log.event("session.fusion_vote")
    log.event("session.fusion_vote")
    place(stage.root, log)
    stage.index()
    reading = Look(stage).at("/health")
    assert reading.tables["Unknown event types"][1:] == [["session.fusion_vote", "2"]]
    assert "The log format has moved" in reading.headings


def test_a_healthy_store_has_nothing_to_add(stage: Stage) -> None:
    reading = Look(stage).at("/health")
    assert reading.headings == ["Health", "Status", "Skipped records"]
    assert "Every record could be used." in reading.texts["main"][0]
    assert reading.facts["Followed by"] == ["nobody; every command reads what is new first"]
