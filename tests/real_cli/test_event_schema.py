"""Every word of a Fusion event in the event schema that the CLI carries inside it is one that we know."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fusionscope.decode.events import DECODERS, FUSION_TYPES
from fusionscope.decode.line import read_record
from fusionscope.store.facts import ModelCall, TurnFact
from fusionscope.vocabulary import ENUMERATIONS, ORDINARY_TYPES
from tests.logs import Log
from tests.real_cli.conftest import Cli

_ENUMERATIONS = {
    "FusionPattern": "pattern",
    "FusionPhaseKind": "kind",
    "FusionConversationScope": "scope",
    "FusionPhaseStatus": "status",
    "FusionFollowUpAction": "follow_up",
    "FusionCommitKind": "commit_kind",
}


class Schema:
    """The schema's definitions, and the type of event that each event's definition is for."""

    def __init__(self, definitions: dict[str, Any]) -> None:
        self.definitions = definitions
        self.data = {
            kind: event["properties"]["data"]
            for event in definitions.values()
            if {"data", "timestamp"} <= event.get("properties", {}).keys()
            and (kind := event["properties"]["type"].get("const"))
        }

    def example(self, schema: Any) -> Any:
        """A value in which every property is set, those of the objects in it too."""
        if "$ref" in schema:
            return self.example(self.definitions[schema["$ref"].rpartition("/")[2]])
        if options := schema.get("anyOf") or schema.get("oneOf"):
            return self.example(next(option for option in options if option.get("type") != "null"))
        if "enum" in schema:
            return schema["enum"][0]
        wanted = schema.get("type")
        if wanted == "object":
            return {name: self.example(inner) for name, inner in schema.get("properties", {}).items()}
        if wanted == "array":
            return [self.example(schema["items"])]
        return _EXAMPLES[wanted[0] if isinstance(wanted, list) else wanted]


_EXAMPLES = {"string": "x", "integer": 1, "number": 1.5, "boolean": True, None: "anything"}


@pytest.fixture(scope="module")
def schema(cli: Cli) -> Schema:
    return Schema(json.loads(cli.event_schema().read_text(encoding="utf-8"))["definitions"])


def test_every_event_type_of_the_schema_is_read_or_listed(schema: Schema) -> None:
    assert len(schema.data) > 100
    assert schema.data.keys() - DECODERS.keys() - ORDINARY_TYPES == set()


def test_every_field_of_a_fusion_event_of_the_schema_is_read_or_listed(schema: Schema) -> None:
    assert schema.data.keys() >= FUSION_TYPES.keys()
    for kind in FUSION_TYPES:
        reading = read_record(Log().event(kind, **schema.example(schema.data[kind])).rstrip(), "a session")
        assert isinstance(reading.fact, TurnFact), (kind, reading.bad)
        assert reading.words == ()


def test_every_value_of_a_fusion_enumeration_of_the_schema_is_listed(schema: Schema) -> None:
    for name, ours in _ENUMERATIONS.items():
        assert set(schema.definitions[name]["enum"]) <= ENUMERATIONS[ours]


def test_a_usage_record_is_read_as_the_schema_has_it(cli: Cli, schema: Schema) -> None:
    kind = "session.usage_record"
    if cli.version == "1.0.84-4":
        assert kind not in schema.data
        return
    data = schema.example(schema.data[kind])
    call = read_record(Log().event(kind, **data).rstrip(), "s").fact
    assert isinstance(call, ModelCall)
    assert data.keys() == {"usage"}
    usage = data["usage"]
    assert (call.fusion_id, call.phase_id) == (usage["fusion"]["fusionId"], usage["fusion"]["phaseId"])
    assert (call.usage_id, call.source_session_id) == (usage["accounting"]["usageId"], usage["accounting"]["sourceSessionId"])
    assert (call.nano_aiu, call.credits_status, call.byok, call.call_id) == (2, usage["aiCreditsStatus"], True, "x")
    assert (call.model, call.duration_ms, call.input_tokens, call.cached_tokens, call.cache_write_tokens) == ("x", 1.0, 1, 1, 1)
