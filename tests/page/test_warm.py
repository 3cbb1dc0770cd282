"""The usual views are looked at once after the start: who comes first finds what the second one would."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from threading import Event

from starlette.applications import Starlette

from fusionscope.page import chosen
from fusionscope.page.filters import Filters
from fusionscope.page.live import Live
from fusionscope.page.memory import Memory
from fusionscope.page.settings import PageSettings
from fusionscope.page.source import Source
from fusionscope.page.warm import warm_up
from fusionscope.report.summed import NONE, Sums
from tests.conftest import Stage
from tests.filled import fill
from tests.page.served import served
from tests.turns import TEN, leg, turn

NOW = datetime.fromtimestamp(TEN / 1000, UTC).astimezone()


def _app(database: Path) -> Starlette:
    app = Starlette()
    app.state.store, app.state.settings, app.state.live = Source(database), PageSettings(database), Live()
    app.state.memory = Memory()
    return app


def _known(app: Starlette, stage: Stage) -> Sums | None:
    """The sums of the part of all time that the only turn is in, as far as they are remembered."""
    recall = app.state.memory.of(stage.connection)
    found = chosen.choose(stage.connection, Filters(range="all"), NOW)
    (part,) = [part for part in found.parts if part.since <= TEN < part.until]
    question = found.selection._replace(since=part.since, until=part.until)
    known: Sums = recall.find(question, lambda: NONE, part.since, part.until)
    return None if known is NONE else known


def test_the_sums_of_the_usual_ranges_are_remembered_before_anybody_asks(stage: Stage) -> None:
    fill(stage.connection, [turn("f1", leg(nano_aiu=7))])
    app = _app(stage.database)
    warm_up(app, Event())
    known = _known(app, stage)
    assert known is not None
    assert [each.nano_aiu for each in known.patterns.values()] == [7]


def test_it_ends_when_the_page_does(stage: Stage) -> None:
    fill(stage.connection, [turn("f1", leg())])
    app, over = _app(stage.database), Event()
    over.set()
    warm_up(app, over)
    assert _known(app, stage) is None


def test_a_store_that_is_not_there_is_for_the_first_visitor_to_be_told_of(tmp_path: Path) -> None:
    warm_up(_app(tmp_path / "none.db"), Event())
    assert not (tmp_path / "none.db").exists()


def test_a_turn_that_changes_meanwhile_is_shown_as_it_is(stage: Stage) -> None:
    fill(stage.connection, [turn("f1", leg(nano_aiu=1_000_000_000))])
    with served(stage) as page:
        page.get("/?range=all")
        fill(stage.connection, [turn("f1", leg(nano_aiu=2_000_000_000))])
        assert b"2.00" in page.get("/?range=all").body
