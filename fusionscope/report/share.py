"""A turn as it may be given to others: ids replaced, repository and branch left out.

Ids become the first 12 digits of a hash of theirs. The hash has no salt: two files of one turn agree, whoever made them, so
that people can speak of the same turn. Nobody finds an id from its hash, for ids are random; whoever has the id already can
tell that it is that turn. Times stay: without them there is no waterfall. No other text of people is in the store.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from fusionscope.model import Leg, ToolCall, Turn
from fusionscope.report import files

__all__ = ["shared", "turn_json"]

_DIGITS = 12


def shared(turn: Turn, with_repository: bool = False) -> Turn:
    """Return ``turn`` without what says whose it is; with ``with_repository``, repository and branch stay."""
    return turn._replace(
        fusion_id=_hash(turn.fusion_id),
        session_id=_hash(turn.session_id),
        agent_id=_hashed(turn.agent_id),
        repository=turn.repository if with_repository else None,
        branch=turn.branch if with_repository else None,
        rule_id=_hashed(turn.rule_id),
        selected_rule_id=_hashed(turn.selected_rule_id),
        rule_name=None,
        hint=None,
        turn_id=_hashed(turn.turn_id),
        interaction_id=_hashed(turn.interaction_id),
        commit_id=_hashed(turn.commit_id),
        answer_phase_id=_hashed(turn.answer_phase_id),
        critics=tuple(critic._replace(phase_id=_hashed(critic.phase_id)) for critic in turn.critics),
        legs=tuple(_leg(leg) for leg in turn.legs),
        handoffs=tuple(
            handoff._replace(source_phase_id=_hash(handoff.source_phase_id), target_phase_id=_hash(handoff.target_phase_id))
            for handoff in turn.handoffs
        ),
        tool_calls=tuple(_tool_call(call) for call in turn.tool_calls),
    )


def turn_json(turn: Turn) -> str:
    """Return the shared ``turn`` as ``turns --json`` has it; repository and branch are there where they stayed."""
    place = {"repository": turn.repository, "branch": turn.branch}
    told: dict[str, Any] = files.turn_object(turn) | {key: value for key, value in place.items() if value is not None}
    return json.dumps(told, indent=2, allow_nan=False) + "\n"


def _leg(leg: Leg) -> Leg:
    return leg._replace(phase_id=_hash(leg.phase_id), degraded_to=_hashed(leg.degraded_to))


def _tool_call(call: ToolCall) -> ToolCall:
    return call._replace(
        tool_call_id=_hash(call.tool_call_id),
        phase_id=_hashed(call.phase_id),
        parent_tool_call_id=_hashed(call.parent_tool_call_id),
        turn_id=_hashed(call.turn_id),
        interaction_id=_hashed(call.interaction_id),
    )


def _hashed(value: str | None) -> str | None:
    return None if value is None else _hash(value)


def _hash(value: str) -> str:
    return sha256(f"fusionscope share {value}".encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
