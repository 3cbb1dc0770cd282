"""The legs of a route's plan that never ran, and what that means: not needed, not reached, or still to come."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from fusionscope.model import PlannedLeg, Turn

__all__ = ["NotRun", "not_run"]


class NotRun(NamedTuple):
    """A planned leg that never ran, the model that the route named for it, if any, and a few words on why."""

    planned: PlannedLeg
    model: str | None
    word: str


def not_run(turn: Turn) -> list[NotRun]:
    """Return the planned legs of ``turn`` that did not run, in the order of the plan.

    They are told from those that ran by kind and number; a leg that was tried again ran once. Of critics there are as many as
    the route names, also where its plan has one line for all.
    """
    ran = Counter(kind for kind, _ in {(leg.kind, leg.phase_id) for leg in turn.legs})
    critics = _critics_left(turn)
    found = []
    for planned in _planned(turn):
        if ran[planned.kind]:
            ran[planned.kind] -= 1
            continue
        model = critics.pop(0) if planned.kind == "critic" and critics else _model(turn, planned.kind)
        found.append(NotRun(planned, model, _word(turn, planned)))
    return found


def _planned(turn: Turn) -> list[PlannedLeg]:
    critics = [leg for leg in turn.planned if leg.kind == "critic"]
    missing = len(turn.critics) - len(critics)
    legs = []
    for leg in turn.planned:
        legs.append(leg)
        if critics and leg is critics[-1]:
            legs += [leg] * missing
    return legs


def _critics_left(turn: Turn) -> list[str]:
    """The models of the critics that did not run: by phase where the route names it, else by model."""
    phases = {leg.phase_id for leg in turn.legs}
    models = Counter(leg.model for leg in turn.legs if leg.kind == "critic")
    left = []
    for critic in turn.critics:
        if critic.phase_id is None and models[critic.model]:
            models[critic.model] -= 1
        elif critic.phase_id not in phases:
            left.append(critic.model)
    return left


def _model(turn: Turn, kind: str) -> str | None:
    """The model that the route names for a kind of leg; ``None`` where it names none."""
    return {
        "primary": turn.primary_model,
        "draft": turn.primary_model,
        "judge": turn.judge_model or turn.secondary_model,
        "critic": turn.secondary_model,
        "repair": turn.repair_model,
    }.get(kind)


def _word(turn: Turn, planned: PlannedLeg) -> str:
    if turn.is_open:
        return "only if asked for" if planned.conditional else "not yet"
    if not planned.conditional:
        return "never ran"
    return "not needed" if turn.state == "completed" else "not asked for"
