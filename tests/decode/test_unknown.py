"""What a Fusion event says that this release does not know is named, and nothing of it is kept but the name."""

from __future__ import annotations

from typing import Any

from fusionscope.store import drift, read
from tests.conftest import Stage
from tests.logs import CREDIT, Log, a_turn, place


def words(stage: Stage) -> dict[str, int]:
    return drift.unknown_words(stage.connection)


def test_a_turn_of_published_words_has_no_unknown_one(stage: Stage) -> None:
    place(stage.root, a_turn())
    stage.index()
    assert (words(stage), stage.turn().unknown_words) == ({}, ())


def test_a_new_field_is_named_with_its_event_wherever_it_stands(stage: Stage) -> None:
    log = Log()
    log.resolved("f1", "single", budget=5, critics=[{"model": "m-a", "phaseId": "p", "mood": "grim"}])
    usage = {"requestCount": 1, "inputTokens": 1, "outputTokens": 1, "cachedTokens": 0, "totalNanoAiu": 7, "reasoningTokens": 3}
    log.leg("f1", 0, "primary", "m-a", 7, usage=usage)
    log.completed("f1", 0, "m-a", "single", envelope={"tenant": "x"})
    place(stage.root, log)
    stage.index()
    assert stage.turn().unknown_words == (
        "assistant.fusion_phase_completed usage.reasoningTokens",
        "session.fusion_completed tenant",
        "session.fusion_resolved budget",
        "session.fusion_resolved critics.mood",
    )
    assert stage.nano_aiu() == 7


def test_known_fields_that_are_never_decoded_are_no_news(stage: Stage) -> None:
    log = Log()
    log.resolved("f1", "single", hint="text", ruleName="text", followUp={"userTurn": "reroute"})
    log.leg("f1", 0, "primary", "m-a", 1, projectionMessage={"a": 1}, projectionMode="append", stagedTerminal={}, content="x")
    log.leg_failed("f1", 1, "primary", "m-a", 1, errorMessage="text")
    log.handoff("f1", 0, 1, "m-a")
    log.commit("f1", 0, "m-a")
    log.completed("f1", 0, "m-a", "single", cacheWriteTokens=3)
    place(stage.root, log)
    stage.index()
    assert words(stage) == {}


def test_what_is_no_name_is_not_kept_as_one(stage: Stage) -> None:
    log = a_turn()
    fields: dict[str, Any] = {"fusionId": "f1", "my secret prompt, as a key": 1}
    log.event("session.fusion_resolved", **fields)
    place(stage.root, log)
    stage.index()
    assert words(stage) == {"session.fusion_resolved (not a name)": 1}


def test_new_values_of_enumerations_are_shown_as_they_are_and_named(stage: Stage) -> None:
    log = Log()
    log.resolved("f1", "debate", contractVersion=2, followUp={"userTurn": "ask_again", "compactionTurn": None})
    log.leg("f1", 0, "arbiter", "m-a", CREDIT, status="postponed", conversationScope="jury")
    log.completed("f1", 0, "m-a", "debate")
    place(stage.root, log.turn("f2"))
    stage.index()
    strange, ordinary = stage.turns()
    assert (strange.pattern, strange.legs[0].kind, strange.legs[0].status, strange.nano_aiu) == (
        "debate",
        "arbiter",
        "postponed",
        CREDIT,
    )
    assert strange.unknown_words == (
        "pattern debate",
        "follow_up ask_again",
        "contract 2",
        "kind arbiter",
        "scope jury",
        "status postponed",
    )
    assert ordinary.unknown_words == ()
    assert words(stage) == dict.fromkeys(sorted(strange.unknown_words), 1)


def test_a_fusion_event_of_a_new_type_is_a_word_of_its_turn_and_makes_none(stage: Stage) -> None:
    log = a_turn()
    log.event("session.fusion_debated", fusionId="f1")
    log.event("session.fusion_debated", fusionId="f9")
    log.event("session.fusion_debated")
    place(stage.root, log)
    stage.index()
    assert stage.turn().unknown_words == ("session.fusion_debated",)
    assert words(stage) == {"session.fusion_debated": 2}
    assert read.unknown_types(stage.connection) == {"session.fusion_debated": 3}


def test_reading_a_log_again_or_a_copy_of_it_counts_no_word_twice(stage: Stage) -> None:
    log = a_turn()
    log.resolved("f1", budget=5)
    path = place(stage.root, log)
    stage.index()
    place(stage.root, log, "copy")
    path.write_bytes(b"\n" + bytes(log))
    stage.index()
    assert words(stage) == {"session.fusion_resolved budget": 1}
