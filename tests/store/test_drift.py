"""Unknown vocabulary over all logs: every word with the number of its turns, and nothing that is known."""

from __future__ import annotations

from pathlib import Path

from fusionscope.store.drift import NO_DRIFT, drift, unknown_in_turns
from tests.conftest import Stage
from tests.filled import fill
from tests.logs import CREDIT, Log, a_turn, place
from tests.turns import TEN, leg, turn


def test_known_logs_have_no_drift(stage: Stage, samples: Path) -> None:
    place(stage.root, a_turn())
    place(stage.root, (samples / "cascade-14.72.jsonl").read_bytes(), "real")
    stage.index()
    assert drift(stage.connection) == NO_DRIFT


def test_every_kind_of_unknown_word_is_counted_by_its_turns(stage: Stage) -> None:
    log = Log()
    log.start()
    for fusion_id in ("f1", "f2"):
        log.resolved(fusion_id, "debate", contractVersion=3, followUp={"userTurn": "wait", "compactionTurn": "reroute"})
        log.leg(fusion_id, 0, "arbiter", "m", CREDIT, conversationScope="side", status="paused")
        log.leg(fusion_id, 1, "arbiter", "m", CREDIT, hue=1)
    log.event("session.fusion_debated", fusionId="f1")
    log.event("session.fusion_debated")
    log.event("session.something_else")
    place(stage.root, log)
    stage.index()
    found = drift(stage.connection)
    assert found.words == {
        "assistant.fusion_phase_completed hue": 2, "contract 3": 2, "follow_up wait": 2, "kind arbiter": 2,
        "pattern debate": 2, "scope side": 2, "session.fusion_debated": 1, "status paused": 2,
    }  # fmt: skip
    assert (found.types, found.contract) == ({"session.fusion_debated": 2}, 3)


def test_the_words_of_parts_add_up_to_those_of_all(stage: Stage) -> None:
    odd = {"pattern": "debate", "contract_version": 3, "follow_up": (("userTurn", "wait"), ("compactionTurn", "wait"))}
    legs = leg(kind="arbiter"), leg("f1:p1", kind="arbiter", scope="side", status="paused")
    fill(stage.connection, [turn(f"f{n}", *legs, started_at=TEN + n * 1_000, **odd) for n in range(4)])
    whole = unknown_in_turns(stage.connection)
    assert whole == {
        "pattern debate": 4, "contract 3": 4, "follow_up wait": 4, "kind arbiter": 4, "scope side": 4, "status paused": 4,
    }  # fmt: skip
    before, behind = TEN + 1_000, TEN + 3_000
    parts = [(None, before), (before, behind), (behind, None)]
    found = [unknown_in_turns(stage.connection, since, until) for since, until in parts]
    assert [part["kind arbiter"] for part in found] == [1, 2, 1]
    assert found[0] + found[1] + found[2] == whole
    assert drift(stage.connection, whole) == drift(stage.connection)
