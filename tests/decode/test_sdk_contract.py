"""Every word of a Fusion event in `github-copilot-sdk` is one that we know; what is not is named."""

from __future__ import annotations

import pytest

from fusionscope.decode.events import DECODERS, FUSION_TYPES
from fusionscope.decode.line import read_record
from fusionscope.store.facts import TurnFact
from fusionscope.vocabulary import ENUMERATIONS, ORDINARY_TYPES
from tests.decode.sdk import VERSIONS, Sdk, example, load
from tests.logs import Log

#: the two types that are in the CLI's schema and in no SDK
_NOT_IN_THE_SDK = {"session.fusion_handoff", "session.fusion_commit_started"}
#: the SDK's enumerations that stand in events, by ours
_ENUMERATIONS = {
    "FusionPattern": "pattern",
    "FusionPhaseKind": "kind",
    "FusionConversationScope": "scope",
    "FusionPhaseStatus": "status",
    "FusionFollowUpAction": "follow_up",
}
#: those that stand only in what is never read: replay data, and events that are not written to disk
_UNREAD_ENUMERATIONS = {"FusionProjectionMode", "FusionTurnKind", "FusionPhaseActivityKind"}
#: whether amounts of money can be believed depends on these
_CREDITS_STATUS = {"complete", "partial", "unavailable"}
#: of an attribution we read the turn, the leg and whether the person spoke; these say again what the turn's own events say
_ATTRIBUTION = {
    "fusionId", "phaseId", "hasUserSteering",
    "syntheticModel", "policy", "pattern", "phaseKind", "role", "sourceModel", "conversationScope", "commitId", "sourcePhaseId",
}  # fmt: skip
_ATTRIBUTED = ("assistant.message", "tool.execution_start", "tool.execution_complete")


@pytest.fixture(params=VERSIONS)
def sdk(request: pytest.FixtureRequest) -> Sdk:
    return load(request.param)


def _unknown_types(sdk: Sdk) -> set[str]:
    return sdk.event_types - DECODERS.keys() - ORDINARY_TYPES


def _unknown_fields(sdk: Sdk) -> set[str]:
    """What the program itself names in Fusion events that have every field there is."""
    words = set()
    for kind in FUSION_TYPES:
        if data := sdk.data(kind):
            reading = read_record(Log().event(kind, **example(sdk, data).to_dict()).rstrip(), "a session")
            assert isinstance(reading.fact, TurnFact), (kind, reading.bad)
            words |= {word.word for word in reading.words}
    return words


def _unknown_attributions(sdk: Sdk) -> set[str]:
    attribution = sdk.type("FusionAttribution")
    return (
        {f"fusion.{name}" for name in example(sdk, attribution).to_dict() if name not in _ATTRIBUTION} if attribution else set()
    )


def _unknown_values(sdk: Sdk) -> set[str]:
    found = set()
    for name, values in sdk.enumerations().items():
        if name in _ENUMERATIONS:
            found |= {f"{_ENUMERATIONS[name]} {value}" for value in values - ENUMERATIONS[_ENUMERATIONS[name]]}
        elif name == "AiCreditsStatus":
            found |= {f"aiCreditsStatus {value}" for value in values - _CREDITS_STATUS}
        elif "Fusion" in name and name not in _UNREAD_ENUMERATIONS:
            found.add(f"enumeration {name}")
    return found


def test_every_event_type_of_the_sdk_is_read_or_listed(sdk: Sdk) -> None:
    assert _unknown_types(sdk) == set()


def test_every_field_of_a_fusion_event_of_the_sdk_is_read_or_listed(sdk: Sdk) -> None:
    assert _unknown_fields(sdk) == set()


def test_every_field_of_an_attribution_of_the_sdk_is_listed(sdk: Sdk) -> None:
    assert _unknown_attributions(sdk) == set()


def test_every_value_of_a_fusion_enumeration_of_the_sdk_is_listed(sdk: Sdk) -> None:
    assert _unknown_values(sdk) == set()


def test_the_sdk_has_the_fusion_types_that_it_is_compared_with(sdk: Sdk) -> None:
    has = {kind for kind in FUSION_TYPES if sdk.data(kind)}
    attributed = {kind for kind in _ATTRIBUTED if "fusion" in sdk.annotations(sdk.data(kind))}
    if sdk.version == "1.0.9":  # from before Fusion: only its event types say anything
        assert (has, attributed, sdk.type("FusionPattern")) == (set(), set(), None)
    else:
        assert has == FUSION_TYPES.keys() - _NOT_IN_THE_SDK
        assert attributed == set(_ATTRIBUTED)
        assert all(sdk.enumerations()[name] for name in _ENUMERATIONS)


_ADDED = """
_OldUsage, _OldCritic, _OldAttribution = FusionPhaseUsage, FusionCritic, FusionAttribution
_OldCompleted, _OldTypes = AssistantFusionPhaseCompletedData, SessionEventType

def _with(old, **more):
    class Newer(old):
        def to_dict(self):
            return old.to_dict(self) | more
    Newer.__name__ = old.__name__
    return Newer

FusionPhaseUsage = _with(_OldUsage, thoughtTokens=7)
FusionCritic = _with(_OldCritic, weight=0.5)
FusionAttribution = _with(_OldAttribution, branchId="b")
AssistantFusionPhaseCompletedData = _with(_OldCompleted, confidence=0.9)

class FusionPattern(Enum):
    SINGLE = "single"
    DEBATE = "debate"

class FusionTieBreak(Enum):
    COIN = "coin"

class AiCreditsStatus(Enum):
    ESTIMATED = "estimated"

class SessionEventType(Enum):
    FUSION_REVOTED = "session.fusion_revoted"
    SESSION_START = "session.start"
"""


def test_what_a_newer_sdk_has_is_named() -> None:
    newer = Sdk("newer", load("1.0.27").source, _ADDED)
    assert _unknown_types(newer) == {"session.fusion_revoted"}
    assert _unknown_fields(newer) == {
        "assistant.fusion_phase_completed confidence",
        "assistant.fusion_phase_completed usage.thoughtTokens",
        "assistant.fusion_phase_failed usage.thoughtTokens",
        "session.fusion_resolved critics.weight",
    }
    assert _unknown_attributions(newer) == {"fusion.branchId"}
    assert _unknown_values(newer) == {"pattern debate", "enumeration FusionTieBreak", "aiCreditsStatus estimated"}
