"""What SQLite sums is what ``report.figures`` sums over the same turns in memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from fusionscope.demo import write_demo
from fusionscope.model import UNKNOWN, Turn
from fusionscope.report import figures
from fusionscope.store import read, totals
from fusionscope.store.database import connect
from fusionscope.store.forget import forget
from fusionscope.store.read import Selection
from fusionscope.store.sums import DAY_MS, day_changes
from fusionscope.store.totals import NOTHING, CheckTotals
from tests.conftest import Stage
from tests.filled import fill
from tests.logs import CREDIT, Log, place
from tests.report.strategies import many_turns, some
from tests.turns import CASCADE, TEN, leg, turn

ALL = Selection()


@contextmanager
def store_of(turns: Sequence[Turn]) -> Iterator[sqlite3.Connection]:
    with TemporaryDirectory() as directory, closing(connect(Path(directory) / "fusionscope.db")) as connection:
        fill(connection, turns)
        yield connection


def check(connection: sqlite3.Connection, selection: Selection = ALL) -> None:
    """Compare every total with the figure of the same name."""
    turns = read.turns(connection, selection)
    found = totals.totals(connection, selection)
    compound, review = figures.compound_rate(turns), figures.review_share(turns)
    assert (found.turns, found.open, found.unmetered) == (
        len(turns), figures.open_turns(turns), figures.unmetered_turns(turns),
    )  # fmt: skip
    assert (found.compound, found.with_legs) == (compound.part, compound.whole)
    assert (found.review_nano_aiu, found.nano_aiu) == (review.part, review.whole)
    assert (found.rejections, found.verdicts) == (figures.judge_rejections(turns), figures.judged(turns))
    assert found.requests == figures.requests(turns)
    _check_patterns(connection, selection, turns)
    _check_legs(connection, selection, turns)


def _check_patterns(connection: sqlite3.Connection, selection: Selection, turns: Sequence[Turn]) -> None:
    expected = figures.by_pattern([turn for turn in turns if turn.pattern_name != UNKNOWN])
    found = totals.by_pattern(connection, selection)
    settled = totals.settled_amounts(connection, selection)
    assert {name for name in found if name} == set(expected)
    for name, each in expected.items():
        mine = found[name]
        assert (mine.turns, mine.nano_aiu, mine.unmetered) == (each.turns, each.nano_aiu, each.unmetered)
        amounts = settled.get(name)
        assert (round(median(amounts)) if amounts else None) == each.median_nano_aiu
        mean = mine.duration_ms / mine.timed / 1000 if mine.timed else None
        assert mean == (None if each.mean_seconds is None else pytest.approx(each.mean_seconds))


def _check_legs(connection: sqlite3.Connection, selection: Selection, turns: Sequence[Turn]) -> None:
    rows = totals.by_kind_and_model(connection, selection)
    for name, each in figures.by_model(turns).items():
        mine = [row for row in rows if row.model == name]
        assert (sum(row.legs for row in mine), sum(row.nano_aiu for row in mine)) == (each.legs, each.nano_aiu)
        assert sum(row.unmetered for row in mine) == each.unmetered
    for name, kind in figures.by_kind(turns).items():
        mine = [row for row in rows if row.kind == name]
        assert (sum(row.legs for row in mine), sum(row.nano_aiu for row in mine)) == (kind.legs, kind.nano_aiu)
    used = figures.tokens(turns)
    assert used == (
        sum(row.input_tokens for row in rows), sum(row.output_tokens for row in rows),
        sum(row.cached_tokens for row in rows), sum(row.cache_write_tokens for row in rows),
    )  # fmt: skip
    assert sum(row.failed for row in rows) == sum(leg.status == "failed" for turn in turns for leg in turn.legs)


@settings(some, max_examples=25)
@given(many_turns)
def test_totals_of_any_turns_are_their_figures(turned: list[Turn]) -> None:
    with store_of(turned) as connection:
        check(connection)
        check(connection, Selection(since=TEN))
        check(connection, Selection(pattern="cascade", state="open"))


def test_totals_of_the_demo_are_those_of_the_field_report(stage: Stage, tmp_path: Path) -> None:
    stage.index(write_demo(tmp_path / "demo"))
    check(stage.connection)
    for selection in (Selection(model="claude-opus-5"), Selection(pattern="single"), Selection(session="0")):
        check(stage.connection, selection)
    found = totals.totals(stage.connection, ALL)
    assert (found.turns, found.compound, found.with_legs) == (24, 6, 24)
    assert (found.rejections, found.verdicts, found.requests) == (2, 3, 96)
    assert round(found.nano_aiu / CREDIT, 2) == 314.60
    assert round(found.review_nano_aiu / found.nano_aiu, 3) == 0.025


def test_sums_follow_a_turn_that_grows_and_one_that_is_forgotten(stage: Stage) -> None:
    log = Log("grows")
    log.start()
    log.user()
    log.resolved("f1")
    log.leg("f1", 0, "primary", "m-small", CREDIT)
    place(stage.root, log)
    stage.index()
    check(stage.connection)
    log.leg("f1", 1, "judge", "m-big", 2 * CREDIT, "accept")
    log.completed("f1", 0, "m-small")
    place(stage.root, log)
    stage.index()
    check(stage.connection)
    assert totals.totals(stage.connection, ALL).review_nano_aiu == 2 * CREDIT
    forget(stage.connection, log.session_id)
    assert totals.totals(stage.connection, ALL) == NOTHING
    assert totals.by_kind_and_model(stage.connection, ALL) == []


def test_a_check_knows_whose_work_was_judged_what_it_cost_and_what_its_turn_cost() -> None:
    judge = {"kind": "judge", "scope": "review", "model": "m-judge"}
    accepted = turn(
        "f1",
        leg("f1:p0", model="m-late", status="failed", nano_aiu=CREDIT),
        leg("f1:p1", model="m-small", nano_aiu=CREDIT, is_answer=True),
        leg("f1:judge", verdict="accept", nano_aiu=3 * CREDIT, **judge),
    )
    unknown = turn("f3", leg("f3:judge", verdict="reject", nano_aiu=None, **judge), reported_nano_aiu=None)
    silent = turn("f4", leg("f4:judge", **judge))
    with store_of([accepted, CASCADE, unknown, silent]) as connection:
        assert totals.checks(connection, ALL) == [
            CheckTotals(None, "m-judge", "reject", 1, 0, 0, 0),
            CheckTotals("m-small", "m-judge", "accept", 1, 3 * CREDIT, 1, 5 * CREDIT),
            CheckTotals("mai-code-1.1-flash", "gpt-5.6-sol", "reject", 1, 2_457_200_000, 1, 14_719_596_000),
        ]


def test_a_turn_with_two_verdicts_on_one_draft_counts_its_credits_once() -> None:
    judge = {"kind": "judge", "scope": "review", "model": "m-judge", "verdict": "accept", "nano_aiu": CREDIT}
    twice = turn("f1", leg("f1:p0", nano_aiu=CREDIT), leg("f1:j0", **judge), leg("f1:j1", ended_at=TEN + 3_000, **judge))
    with store_of([twice]) as connection:
        assert totals.checks(connection, ALL) == [CheckTotals("m-small", "m-judge", "accept", 2, 2 * CREDIT, 1, 3 * CREDIT)]


def test_models_stand_in_the_order_in_which_they_first_ran() -> None:
    turns = [
        turn("f2", leg("f2:p0", model="a"), started_at=TEN + 5),
        turn("f1", leg("f1:p0", model="z")),
        turn("f3", leg("f3:p0", model="z")),
    ]
    with store_of(turns) as connection:
        assert totals.models(connection) == ["z", "a"]
        assert totals.extent(connection, ALL) == (TEN, TEN + 5)
        assert totals.extent(connection, Selection(since=TEN + 6)) is None


def test_repositories_are_those_of_the_turns() -> None:
    turns = [turn(f"f{n}", repository=name) for n, name in enumerate(["acme/b", None, "acme/a", "acme/b"])]
    with store_of(turns) as connection:
        assert totals.repositories(connection) == ["acme/a", "acme/b"]


def test_the_days_whose_sums_changed_are_counted() -> None:
    day = TEN // DAY_MS
    with store_of([turn("f1"), turn("f2", started_at=TEN + DAY_MS), turn("f3", started_at=-1)]) as connection:
        assert day_changes(connection) == {-1: 1, day: 1, day + 1: 1}
        fill(connection, [turn("f1", started_at=TEN + DAY_MS)])
        assert day_changes(connection) == {-1: 1, day: 2, day + 1: 2}
