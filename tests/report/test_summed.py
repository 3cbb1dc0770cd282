"""Figures from sums are those of `figures` over the same turns, also when the sums come in parts."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from fusionscope.model import Turn
from fusionscope.report import figures, summed
from fusionscope.report.summary import of_selection, of_turns
from fusionscope.report.summed import add_up, together
from fusionscope.store import read
from fusionscope.store.database import connect
from fusionscope.store.read import Selection
from fusionscope.store.totals import NOTHING
from tests.filled import fill
from tests.report.strategies import many_turns, some
from tests.turns import TEN

CREDIT = 1_000_000_000


@settings(some, max_examples=25)
@given(many_turns)
def test_figures_of_sums_are_figures_of_turns(turned: list[Turn]) -> None:
    with TemporaryDirectory() as directory, closing(connect(Path(directory) / "fusionscope.db")) as connection:
        fill(connection, turned)
        turns = read.turns(connection)
        parts = [add_up(connection, Selection(until=TEN)), add_up(connection, Selection(since=TEN))]
    sums = together(parts)
    whole = summed.totals(sums)
    assert summed.compound_rate(whole) == figures.compound_rate(turns)
    assert summed.judge_rejection_rate(whole) == figures.judge_rejection_rate(turns)
    assert summed.review_share(whole) == figures.review_share(turns)
    assert summed.known_nano_aiu(whole) == figures.known_nano_aiu(turns)
    assert list(summed.by_model(sums).items()) == list(figures.by_model(turns).items())
    assert list(summed.by_kind(sums).items()) == list(figures.by_kind(turns).items())
    mine, theirs = summed.by_pattern(sums), figures.by_pattern(turns)
    assert list(mine) == list(theirs)
    for name, each in theirs.items():
        mean = mine[name].mean_seconds
        assert mine[name]._replace(mean_seconds=None) == each._replace(mean_seconds=None)
        assert mean == (None if each.mean_seconds is None else pytest.approx(each.mean_seconds))


@settings(some, max_examples=25)
@given(many_turns)
def test_the_whole_summary_of_a_selection_is_that_of_its_turns(turned: list[Turn]) -> None:
    with TemporaryDirectory() as directory, closing(connect(Path(directory) / "fusionscope.db")) as connection:
        fill(connection, turned)
        for selection in (Selection(), Selection(since=TEN), Selection(pattern="cascade"), Selection(limit=2)):
            turns = read.turns(connection, selection)
            mine, theirs = of_selection(connection, selection), of_turns(turns)
            assert {name: each._replace(mean_seconds=None) for name, each in mine.by_pattern.items()} == {
                name: each._replace(mean_seconds=None) for name, each in theirs.by_pattern.items()
            }
            assert mine._replace(by_pattern={}) == theirs._replace(by_pattern={})


def test_the_mean_turn_is_over_turns_that_ended_and_are_metered() -> None:
    assert summed.mean_nano_aiu(NOTHING) is None
    some = NOTHING._replace(turns=5, nano_aiu=9 * CREDIT, settled=3, settled_nano_aiu=7)
    assert summed.mean_nano_aiu(some) == 2
