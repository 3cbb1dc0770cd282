"""What is said of Fusion vocabulary that this release does not know: one sentence, for the terminal and the page alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fusionscope.model import Turn
from fusionscope.report.text import plural, shown

__all__ = ["drift_sentence", "listed", "spelled", "turn_drift_sentence"]

_MOST = 3
_FUSION = ".fusion_"


def drift_sentence(words: Mapping[str, int], types: Mapping[str, int]) -> str | None:
    """Return what is not known, with its turns (``words``) or events (``types``), the most frequent first.

    Event types that have nothing to do with Fusion are left out, and those that are among the words. ``None``: all is known.
    """
    said = {spelled(word): plural(turns, "turn") for word, turns in _most_first(words)}
    alone = {name: events for name, events in types.items() if _FUSION in name and name not in words}
    said |= {spelled(name): plural(events, "event") for name, events in _most_first(alone)}
    if not said:
        return None
    return f"not known to this release: {listed(f'{word} ({number})' for word, number in said.items())}; {_ADVICE}"


def turn_drift_sentence(turn: Turn) -> str | None:
    """Return what of one turn is not known; ``None``: all is."""
    if not turn.unknown_words:
        return None
    return f"not known to this release: {listed(map(spelled, turn.unknown_words))}; {_ADVICE}"


def spelled(word: str) -> str:
    """Return an unknown word for a person: ``pattern debate``, ``contract version 2``, ``field hue of fusion_resolved``."""
    first, _, rest = word.partition(" ")
    if _FUSION in first:
        name = shown(first.partition(".")[2], 40)
        return f"field {shown(rest, 40)} of {name}" if rest else f"event type {name}"
    return shown(f"contract version {rest}" if first == "contract" else word, 60)


def listed(parts: Iterable[str], most: int = _MOST) -> str:
    """Return the first parts, and how many more there are."""
    every = list(parts)
    shorter = every if len(every) <= most else [*every[:most], f"{len(every) - most} more"]
    return ", ".join(shorter[:-1]) + " and " + shorter[-1] if len(shorter) > 1 else shorter[0]


def _most_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


_ADVICE = "run `fusionscope doctor`"
