"""Random Fusion turns, made of the SDK's own classes, are read back field by field."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fusionscope.model import Handoff, Leg, Turn
from tests.decode.sdk import Sdk
from tests.decode.strategies import instances, some, words
from tests.decode.told import Writer, indexed, told

#: fields of the SDK that have another name with us; ``None``: not kept
_ROUTE = {"phase_plan": "planned", "hint": None, "rule_name": None}  # the last two only where somebody asks for them
_END = {
    "final_source_phase_id": "answer_phase_id", "final_source_model": "answer_model",
    "phase_count": "reported_phases", "request_count": "reported_requests", "total_nano_aiu": "reported_nano_aiu",
    "input_tokens": None, "output_tokens": None, "cached_tokens": None, "cache_write_tokens": None,
}  # fmt: skip
_FAILURE = {"reason": "route_failure", "fusion_id": None, "attempt_id": None, "error_message": None}
_LEG = {
    "phase_kind": "kind", "conversation_scope": "scope", "degraded_to_phase_id": "degraded_to",
    "ended_with_background_work": "background_work", "request_count": "requests", "total_nano_aiu": "nano_aiu",
    "fusion_id": None, "usage": None, "content": None, "error_message": None,
    "_projection_message": None, "_projection_mode": None, "_staged_terminal": None,
}  # fmt: skip
_WITHOUT = {
    "critics": [], "planned": [], "scores": {}, "follow_up": {}, "awaiting_background_work": False,
    "background_work": False, "cache_write_tokens": 0,
}  # fmt: skip

_phases = st.sampled_from(["f:0", "f:judge", "f:repair", "f:critic"])
# the two types that are described, and in no version of the SDK
_commits: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries({
    "fusionId": st.just("f"), "commitId": words, "sourcePhaseId": _phases, "sourceModel": words,
    "kind": st.sampled_from(["text", "terminal_tool"]), "toolCallId": st.none() | words,
})  # fmt: skip
_handoffs: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries({
    "fusionId": st.just("f"), "sourcePhaseId": words, "targetPhaseId": words, "targetModel": words,
    "message": st.none() | words | st.dictionaries(words, words, max_size=2),
})  # fmt: skip


def _assert_says(found: Turn | Leg, said: dict[str, Any]) -> None:
    assert {name: _ours(found, name) for name in said} == said


def _ours(found: Turn | Leg, name: str) -> Any:
    value = getattr(found, name)
    if name in ("critics", "planned"):
        return [item._asdict() for item in value]
    return dict(value) if name in ("scores", "follow_up") else value


@given(data=st.data(), agent_id=st.none() | words, with_starts=st.booleans())
@some
def test_a_turn_is_read_back_as_the_sdk_has_it(
    fusion_sdk: Sdk, data: st.DataObject, agent_id: str | None, with_starts: bool
) -> None:
    writer = Writer(fusion_sdk, data, agent_id)

    def draw(kind: str, **given: Any) -> Any:
        return data.draw(instances(fusion_sdk, fusion_sdk.data(kind), fusion_id=st.just("f"), **given))

    route = draw("session.fusion_resolved", contract_version=st.integers(0, 2))
    at = writer.write("session.fusion_resolved", route)
    said, legs = told(route, _ROUTE, _WITHOUT), []
    for _ in range(data.draw(st.integers(0, 4))):
        kind = data.draw(st.sampled_from(["assistant.fusion_phase_completed", "assistant.fusion_phase_failed"]))
        leg, began_at = draw(kind, phase_id=_phases), None
        if with_starts:
            start = draw("assistant.fusion_phase_started", phase_id=st.just(leg.phase_id))
            began_at = writer.write("assistant.fusion_phase_started", start)
        legs.append((leg, began_at, writer.write(kind, leg)))
    if commit := data.draw(st.none() | _commits):
        writer.write("session.fusion_commit_started", commit)
        said |= {"commit_id": commit["commitId"], "commit_kind": commit["kind"]}
        said |= {"answer_phase_id": commit["sourcePhaseId"], "answer_model": commit["sourceModel"]}
    handoffs = [
        (handoff, writer.write("session.fusion_handoff", handoff)) for handoff in data.draw(st.lists(_handoffs, max_size=2))
    ]
    end = None
    if data.draw(st.booleans()):
        same = st.just(route.synthetic_model)
        end = draw("session.fusion_completed", final_source_phase_id=st.none() | _phases, outcome=words, synthetic_model=same)
        at = writer.write("session.fusion_completed", end)
        said |= {name: value for name, value in told(end, _END, _WITHOUT).items() if value is not None or name not in said}

    with indexed(writer.log) as stage:
        turn = stage.turn()
    _assert_says(turn, said)
    assert (turn.hint, turn.rule_name, turn.route_failure, turn.agent_id) == (None, None, None, agent_id)
    assert turn.unknown_words == (("contract 2",) if route.contract_version == 2 else ())
    assert turn.handoffs == tuple(
        Handoff(handoff["sourcePhaseId"], handoff["targetPhaseId"], handoff["targetModel"], when) for handoff, when in handoffs
    )
    before = (end.duration_ms if end else route.routing_latency_ms) or 0
    assert abs(turn.started_at - (at - before)) <= 0.5
    assert turn.ended_at == (at if end else None)

    assert len(turn.legs) == len(legs)
    phases = [leg.phase_id for leg, _, _ in legs]
    for index, (found, (leg, began_at, ended_at)) in enumerate(zip(turn.legs, legs, strict=True)):
        usage = told(leg.usage, _LEG, _WITHOUT)
        _assert_says(found, {"verdict": None, "reason": None} | told(leg, _LEG, _WITHOUT) | usage)
        assert (found.index, found.attempt) == (index, phases[:index].count(leg.phase_id))
        assert (found.began_at, found.ended_at) == (began_at, ended_at)
        assert found.is_answer == (leg.phase_id == turn.answer_phase_id and leg.phase_id not in phases[index + 1 :])


@given(data=st.data())
@some
def test_a_failed_route_is_read_back_as_the_sdk_has_it(fusion_sdk: Sdk, data: st.DataObject) -> None:
    writer = Writer(fusion_sdk, data)
    kind = "session.fusion_route_failed"
    failed = data.draw(instances(fusion_sdk, fusion_sdk.data(kind), attempt_id=words, fusion_id=st.none() | words))
    at = writer.write(kind, failed)
    with indexed(writer.log) as stage:
        turn = stage.turn()
    _assert_says(turn, told(failed, _FAILURE, {}))
    assert turn.fusion_id == (getattr(failed, "fusion_id", None) or failed.attempt_id)
    assert (turn.state, turn.legs, turn.nano_aiu, turn.unknown_words) == ("failed", (), None, ())
    assert turn.ended_at == at
