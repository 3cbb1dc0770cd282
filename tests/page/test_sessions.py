"""The list of sessions."""

from __future__ import annotations

from pathlib import Path

from fusionscope.demo import write_demo
from fusionscope.store import listing
from tests.conftest import Stage
from tests.filled import fill
from tests.logs import Log, place
from tests.page.looking import Look
from tests.turns import TEN, turn


def test_sessions_have_their_turns_and_credits_the_newest_first(stage: Stage, tmp_path: Path) -> None:
    stage.index(write_demo(tmp_path / "demo"))
    reading = Look(stage).at("/sessions")
    rows = reading.tables["Sessions with Fusion turns, the newest first"][1:]
    assert len(rows) == 6
    assert sum(int(row[4]) for row in rows) == 24
    assert round(sum(float(row[5]) for row in rows), 1) == 314.6
    assert [row[0] for row in rows] == sorted((row[0] for row in rows), reverse=True)
    assert {(row[2], row[3]) for row in rows} == {("acme/ratelimit", "1.0.84-2")}
    assert reading.texts["sum"] == ["6 sessions with Fusion turns"]


def test_what_a_session_of_unknown_cost_spent_is_not_said_to_be_nothing(stage: Stage) -> None:
    log = Log()
    log.start()
    log.route_failed()
    place(stage.root, log)
    stage.index()
    (found,) = listing.sessions(stage.connection)
    assert (found.turns, found.nano_aiu) == (1, None)


def test_sessions_without_a_turn_are_only_counted(stage: Stage) -> None:
    plain = Log("plain")
    plain.start()
    place(stage.root, plain)
    place(stage.root, Log("fused").turn())
    stage.index()
    assert Look(stage).at("/sessions").texts["sum"] == ["1 session with Fusion turns; 1 session without one is not listed"]


def test_sessions_come_in_pages(stage: Stage) -> None:
    fill(stage.connection, [turn(f"f{n:03}", session_id=f"s{n:03}", started_at=TEN + n // 2) for n in range(120)])
    look = Look(stage)
    pages = [look.at("/sessions")]
    while "On" in pages[-1].links:
        pages.append(look.at("/sessions" + pages[-1].links["On"]))
    seen = [str(attributes["id"]) for page in pages for tag, attributes in page.tags if "data-row" in attributes]
    assert seen == [f"s-s{n:03}" for n in reversed(range(120))]
    assert pages[-1].links["Newest"] == "/sessions"
    assert len(look.at("/sessions?before=x.y").tables) == 1


def test_no_session_is_said_so(stage: Stage) -> None:
    assert "No session with a Fusion turn yet." in Look(stage).html("/sessions")
