"""What somebody expected the router to do, beside what it did: prompts in order against the turns of a session in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from fusionscope.model import Turn, credits
from fusionscope.report.figures import Rate

__all__ = ["Compared", "Prediction", "answering", "compare", "hits", "predictions_object", "unpredicted"]


class Prediction(NamedTuple):
    """The ``pattern`` that was expected of a prompt; ``name`` says which prompt, ``session_id`` where it was asked."""

    name: str
    pattern: str
    session_id: str


class Compared(NamedTuple):
    """A prediction and the turn that answered its prompt, ``None`` where there is none yet.

    ``hit`` is ``None`` where the turn has no pattern (its route failed, or its start is not in the log) or there is no turn.
    """

    prediction: Prediction
    turn: Turn | None
    hit: bool | None


def answering(turns: Iterable[Turn]) -> list[Turn]:
    """Return the turns that answered a person's prompts, oldest first.

    A turn that was taken back by a rewind is not one: its prompt was asked again. Nor is a turn of a sub-agent, which has no
    prompt of a person.
    """
    found = [turn for turn in turns if not turn.rewound and turn.agent_id is None]
    return sorted(found, key=lambda turn: (turn.started_at, turn.fusion_id))


def compare(predictions: Sequence[Prediction], turns: Mapping[str, Sequence[Turn]]) -> list[Compared]:
    """Return each prediction with its turn: the first of a session with the first turn of it, and so on.

    ``turns`` are those of each session that answered prompts, oldest first.
    """
    waiting = {session_id: iter(some) for session_id, some in turns.items()}
    found = []
    for prediction in predictions:
        turn = next(waiting.get(prediction.session_id, iter(())), None)
        pattern = turn.pattern if turn else None
        found.append(Compared(prediction, turn, None if pattern is None else pattern == prediction.pattern))
    return found


def hits(compared: Iterable[Compared]) -> Rate:
    """Return how many predictions came true, of those whose prompt was routed; the value is ``None`` where none was."""
    known = [one.hit for one in compared if one.hit is not None]
    return Rate(sum(known), len(known), sum(known) / len(known) if known else None)


def unpredicted(compared: Sequence[Compared], turns: Mapping[str, Sequence[Turn]]) -> int:
    """Return how many turns of the sessions nobody predicted."""
    return sum(map(len, turns.values())) - sum(one.turn is not None for one in compared)


def predictions_object(compared: Sequence[Compared], turns: Mapping[str, Sequence[Turn]]) -> dict[str, Any]:
    """Return what ``predictions --json`` writes."""
    rate = hits(compared)
    return {
        "predictions": len(compared),
        "routed": rate.whole,
        "hits": rate.part,
        "hit_rate": rate.value,
        "unpredicted_turns": unpredicted(compared, turns),
        "prompts": [
            {
                "name": one.prediction.name,
                "session_id": one.prediction.session_id,
                "expected": one.prediction.pattern,
                "pattern": one.turn.pattern if one.turn else None,
                "hit": one.hit,
                "fusion_id": one.turn.fusion_id if one.turn else None,
                "credits": None if one.turn is None or one.turn.nano_aiu is None else credits(one.turn.nano_aiu),
            }
            for one in compared
        ],
    }
