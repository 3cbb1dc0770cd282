"""What is remembered is forgotten as soon as a turn of its days changes, and not before."""

from __future__ import annotations

from fusionscope.page.memory import Memory
from tests.conftest import Stage
from tests.filled import fill
from tests.turns import TEN, leg, turn

DAY_MS = 86_400_000


class Look:
    """Counts how often it was looked."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> int:
        self.times += 1
        return self.times


def test_an_answer_is_kept_until_a_turn_of_its_days_changes(stage: Stage) -> None:
    fill(stage.connection, [turn("f1"), turn("f2", started_at=TEN + DAY_MS)])
    memory, look = Memory(), Look()

    def ask() -> int:
        return memory.of(stage.connection).find("a question", look, TEN, TEN + 1_000)

    assert (ask(), ask()) == (1, 1)
    fill(stage.connection, [turn("f2", leg(), started_at=TEN + DAY_MS)])
    assert ask() == 1
    fill(stage.connection, [turn("f1", leg())])
    assert (ask(), ask()) == (2, 2)


def test_a_turn_that_moves_away_changes_the_day_it_was_on(stage: Stage) -> None:
    fill(stage.connection, [turn("f1")])
    memory = Memory()
    before = memory.of(stage.connection).changes(TEN, TEN + 1)
    fill(stage.connection, [turn("f1", started_at=TEN + DAY_MS)])
    assert memory.of(stage.connection).changes(TEN, TEN + 1) > before
    assert memory.of(stage.connection).changes(TEN - 3 * DAY_MS, TEN - 2 * DAY_MS) == 0


def test_questions_are_told_apart(stage: Stage) -> None:
    fill(stage.connection, [turn("f1")])
    recall, look = Memory().of(stage.connection), Look()
    assert [recall.find(("sums", name), look) for name in "abab"] == [1, 2, 1, 2]


def test_a_database_that_was_made_again_is_another_one(stage: Stage) -> None:
    fill(stage.connection, [turn("f1")])
    memory, look = Memory(), Look()
    memory.of(stage.connection).find("a question", look)
    stage.connection.execute("UPDATE origin SET created_at = created_at + 1")
    assert memory.of(stage.connection).find("a question", look) == 2


def test_what_nobody_asks_for_makes_room(stage: Stage) -> None:
    fill(stage.connection, [turn("f1")])
    recall, look = Memory().of(stage.connection), Look()
    for number in range(1_001):
        recall.find(number, look)
        recall.find("often", lambda: 0)
    assert look.times == 1_001
    recall.find(1_000, look)
    assert look.times == 1_001
    recall.find(0, look)
    assert look.times == 1_002
