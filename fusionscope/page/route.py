"""What the log says of a turn beside its legs, as names and values; what it does not say is left out."""

from __future__ import annotations

from fusionscope.model import Critic, Turn
from fusionscope.report.drift import listed
from fusionscope.report.text import count, milliseconds

__all__ = ["elsewhere", "route"]

#: of the critics of a plan
_MOST_CRITICS = 8


def route(turn: Turn) -> list[tuple[str, str]]:
    """Return why the turn went the way it did: what was asked for, what the router decided, and by what."""
    follow_up = [f"{event}: {action}" for event, action in turn.follow_up]
    return _said(
        ("Asked for", turn.synthetic_model),
        ("Policy", turn.policy),
        ("Source", turn.route_source),
        ("Latency", None if turn.routing_latency_ms is None else milliseconds(turn.routing_latency_ms)),
        ("Plan version", turn.plan_version),
        ("Policy version", turn.policy_version),
        ("Model universe", turn.model_universe_version),
        ("Contract", _number(turn.contract_version)),
        ("Rule", turn.rule_id),
        ("Rule index", _number(turn.rule_index)),
        ("Rule name", turn.rule_name),
        ("Selected rule", turn.selected_rule_id),
        ("Hint", turn.hint),
        ("Critics", listed(map(_critic, turn.critics), _MOST_CRITICS) if turn.critics else None),
        ("Fallback", turn.fallback_model),
        ("Follow-up by", turn.follow_up_model),
        ("Follow-up", listed(follow_up, len(follow_up)) if follow_up else None),
        ("Steered", {True: "yes, the person spoke while it ran", False: "no", None: None}[turn.steered]),
    )


def elsewhere(turn: Turn) -> list[tuple[str, str]]:
    """Return where the turn was asked for, and by what it is known to others."""
    return _said(
        ("Interaction", turn.interaction_id),
        ("Sub-agent", turn.agent_id),
        ("Client", turn.client),
        ("CLI", turn.cli_version),
        ("Repository", turn.repository),
        ("Branch", turn.branch),
    )


def _said(*facts: tuple[str, str | None]) -> list[tuple[str, str]]:
    return [(name, value) for name, value in facts if value]


def _number(number: int | None) -> str | None:
    return None if number is None else count(number)


def _critic(critic: Critic) -> str:
    return f"{critic.model} ({critic.reasoning_effort})" if critic.reasoning_effort else critic.model
