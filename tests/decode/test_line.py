"""What an event says, and where in it that stands."""

from __future__ import annotations

from fusionscope.decode.line import Reading, read_record
from fusionscope.store.facts import ModelCall
from tests.logs import Log


def test_a_model_call_is_tied_to_its_turn_by_the_attribution_inside_its_usage() -> None:
    attribution = {
        "fusionId": "f1",
        "phaseId": "f1:judge",
        "syntheticModel": "hydrafusion",
        "policy": "max",
        "pattern": "cascade",
    }
    usage = {"model": "m-big", "inputTokens": 100, "copilotUsage": {"totalNanoAiu": 2.5}, "fusion": attribution}
    fact = read_record(Log().event("session.usage_record", usage=usage).rstrip(), "s").fact
    assert isinstance(fact, ModelCall)
    assert (fact.session_id, fact.fusion_id, fact.phase_id) == ("s", "f1", "f1:judge")
    assert (fact.model, fact.input_tokens, fact.nano_aiu) == ("m-big", 100, 3)


def test_the_checkpoint_of_changes_after_a_turn_is_known_and_its_file_names_are_not_read() -> None:
    changes = {"linesAdded": 1, "linesRemoved": 0, "filesModified": ["secret.txt"]}
    line = Log().event("session.fusion_change_checkpoint", codeChanges=changes)
    assert read_record(line.rstrip(), "s") == Reading()


def test_what_a_compaction_copies_of_the_agent_loop_is_known() -> None:
    line = Log().event("model.tool_execution", kind="tool_execution", toolCallId="c1")
    assert read_record(line.rstrip(), "s") == Reading()
