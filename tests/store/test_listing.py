"""Pages of lists."""

from __future__ import annotations

import pytest

from fusionscope.store import listing
from fusionscope.store.listing import ORDERS, Extent, SessionSum
from fusionscope.store.read import Selection
from tests.conftest import Stage
from tests.filled import fill
from tests.turns import TEN, leg, turn

CREDIT = 1_000_000_000
TURNS = [
    turn("a", leg("a:0", nano_aiu=CREDIT, is_answer=True), leg("a:1", nano_aiu=3 * CREDIT), duration_ms=5.0),
    turn("b", leg("b:0", nano_aiu=9 * CREDIT, is_answer=True), started_at=TEN + 1, duration_ms=1.0, session_id="s2"),
    turn("c", started_at=TEN + 2, duration_ms=None, reported_nano_aiu=None, state="open"),
]


@pytest.mark.parametrize(("order", "expected"), [("when", "cba"), ("credits", "bac"), ("time", "abc"), ("review", "abc")])
def test_most_comes_first_and_what_is_unknown_last(stage: Stage, order: str, expected: str) -> None:
    fill(stage.connection, TURNS)
    found = listing.page(stage.connection, Selection(), order)
    assert "".join(turn.fusion_id for turn in found.turns) == expected
    assert (found.before, found.after) == (None, None)
    back = listing.page(stage.connection, Selection(), order, least_first=True)
    assert "".join(turn.fusion_id for turn in back.turns) == expected[::-1]


def test_every_order_has_an_end_of_the_list(stage: Stage) -> None:
    fill(stage.connection, TURNS)
    for order in ORDERS:
        page = listing.page(stage.connection, Selection(), order, limit=2)
        assert page.after is not None
        rest = listing.page(stage.connection, Selection(), order, limit=2, after=page.after)
        assert ([len(page.turns), len(rest.turns)], rest.after) == ([2, 1], None)


def test_what_is_selected_is_counted(stage: Stage) -> None:
    fill(stage.connection, TURNS)
    assert listing.selected(stage.connection, Selection()) == Extent(3, 13 * CREDIT)
    assert listing.selected(stage.connection, Selection(state="open")) == Extent(1, 0)


def test_the_turns_beside_one_are_those_of_its_session(stage: Stage) -> None:
    fill(stage.connection, TURNS)
    assert listing.beside(stage.connection, TURNS[0]) == (None, "c")
    assert listing.beside(stage.connection, TURNS[1]) == (None, None)
    assert listing.beside(stage.connection, TURNS[2]) == ("a", None)
    assert [turn.fusion_id for turn in listing.of_session(stage.connection, "s1", 1)] == ["c"]


def test_sessions_come_with_the_newest_turn_first(stage: Stage) -> None:
    fill(stage.connection, TURNS)
    assert listing.sessions(stage.connection) == [
        SessionSum("s1", TEN, TEN + 2, 2, 1, 4 * CREDIT), SessionSum("s2", TEN + 1, TEN + 1, 1, 0, 9 * CREDIT),
    ]  # fmt: skip
    assert [each.session_id for each in listing.sessions(stage.connection, before=(TEN + 2, "s1"))] == ["s2"]
    assert listing.sessions_count(stage.connection) == 2
