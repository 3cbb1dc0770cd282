"""Turns without Fusion: one prompt answered by one model, or by more in turn (Auto, sub-agents).

They are the interactions (``activity.py``) that had an answer or at least a model call, and in which no Fusion turn ran.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from fusionscope.model import UNKNOWN, OrdinaryTurn
from fusionscope.store.activity import Activity, Interaction, activities, is_metered
from fusionscope.store.origins import Origin
from fusionscope.store.read import Selection

__all__ = ["is_metered", "of_activity", "ordinary_turns", "select"]


def ordinary_turns(connection: sqlite3.Connection, selection: Selection = Selection()) -> list[OrdinaryTurn]:  # noqa: B008
    """The selected turns without Fusion, oldest first; what a fork copied counts once, as its parent's.

    ``pattern`` is Fusion's: a selection by it selects none of these.
    """
    return select((turn for activity in activities(connection) for turn in of_activity(activity)), selection)


def select(turns: Iterable[OrdinaryTurn], selection: Selection) -> list[OrdinaryTurn]:
    """Of these turns the selected ones, oldest first."""
    if selection.pattern is not None:
        return []
    found = [turn for turn in turns if _fits(turn, selection)]
    chosen = sorted(found, key=lambda turn: (turn.started_at, turn.interaction_id, turn.session_id))
    return chosen[-selection.limit :] if selection.limit else chosen


def of_activity(activity: Activity) -> list[OrdinaryTurn]:
    """The turns without Fusion of one session."""
    return [_turn(each, activity.origin) for each in activity.interactions if each.replies or each.calls]


def _fits(turn: OrdinaryTurn, selection: Selection) -> bool:
    return (
        (selection.since is None or turn.started_at >= selection.since)
        and (selection.until is None or turn.started_at < selection.until)
        and (selection.session is None or turn.session_id.startswith(selection.session))
        and (selection.model is None or selection.model in turn.models)
        and (selection.client is None or (turn.client or UNKNOWN) == selection.client)
    )


def _turn(interaction: Interaction, origin: Origin) -> OrdinaryTurn:
    calls = interaction.calls
    metered = [call.nano_aiu for call in calls if call.nano_aiu is not None]
    return OrdinaryTurn(
        interaction_id=interaction.interaction_id,
        session_id=origin.session_id,
        client=origin.client,
        cli_version=origin.cli_version,
        repository=origin.repository,
        branch=origin.branch,
        started_at=interaction.started_at,
        ended_at=interaction.ended_at,
        models=tuple(dict.fromkeys([call.model for call in calls] if calls else interaction.replies)),
        calls=len(calls) or len(interaction.replies),
        metered=len(metered),
        tool_calls=len(interaction.tool_results),
        failed_tool_calls=interaction.tool_results.count(False),
        input_tokens=sum(call.input_tokens for call in calls) if calls else None,
        output_tokens=sum(call.output_tokens for call in calls) if calls else None,
        cached_tokens=sum(call.cached_tokens for call in calls) if calls else None,
        cache_write_tokens=sum(call.cache_write_tokens for call in calls) if calls else None,
        nano_aiu=sum(metered) if metered else None,
    )
