from __future__ import annotations

from fusionscope.demo import write_demo
from fusionscope.store import read
from fusionscope.store.lean import LEG_FIELDS, TURN_FIELDS, lean_turns
from fusionscope.store.read import Selection
from tests.conftest import Stage
from tests.logs import CREDIT, Log, place


def test_lean_turns_are_the_whole_ones_as_far_as_they_go(stage: Stage) -> None:
    log = Log()
    log.start()
    log.resolved("f1")
    log.leg_failed("f1", 0, "primary", "m-small", CREDIT)
    log.leg("f1", 0, "primary", "m-big", 2 * CREDIT, reasoningEffort="high")  # a second attempt at the same phase
    log.completed("f1", 0, "m-big")
    log.route_failed()
    place(stage.root, log)
    stage.index(stage.root, write_demo(stage.root.parent / "demo"))
    whole = stage.turns()
    lean = lean_turns(stage.connection)
    assert len(whole) == 26
    for one, other in zip(whole, lean, strict=True):
        for field in (*TURN_FIELDS, "client", "nano_aiu", "review_nano_aiu"):
            assert getattr(one, field) == getattr(other, field), field
        for leg, lean_leg in zip(one.legs, other.legs, strict=True):
            for field in (*LEG_FIELDS, "is_answer"):
                assert getattr(leg, field) == getattr(lean_leg, field), field


def test_lean_turns_obey_a_selection(stage: Stage) -> None:
    stage.index(write_demo(stage.root.parent / "demo"))
    for selection in (Selection(pattern="cascade"), Selection(model="claude-opus-5"), Selection(limit=3)):
        expected = [turn.fusion_id for turn in read.turns(stage.connection, selection)]
        assert [turn.fusion_id for turn in lean_turns(stage.connection, selection)] == expected
        assert len(expected) == 3
