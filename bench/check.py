"""Whether what Fusionscope says of a state is what is in it: a fast wrong answer is worth nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from bench.truth import Truth

__all__ = ["differences"]

_UNENDED = ("open", "abandoned")


def differences(truth: Truth, summary: dict[str, Any], turns: Sequence[dict[str, Any]]) -> list[str]:
    """What ``summary --json`` and ``turns --json`` say otherwise than ``truth``, one sentence each; empty when all is exact."""
    legs = [leg for turn in turns for leg in turn["legs"]]
    states = Counter(turn["state"] for turn in turns)
    compared = {
        # name: what was found, what is true
        "turns": (len(turns), truth.resolved),
        "turns in the summary": (summary["turns"], truth.resolved),
        "sessions": (summary["sessions"], truth.sessions),
        "ended turns": (states["completed"] + states["degraded"], truth.completed),
        "degraded turns": (states["degraded"], truth.degraded),
        # a turn without an end is called abandoned when nothing came for a long time
        "turns without an end": (sum(states[state] for state in _UNENDED), truth.open_turns),
        "open turns in the summary": (summary["open_turns"], states["open"]),
        "legs": (len(legs), truth.legs),
        "failed legs": (sum(leg["status"] == "failed" for leg in legs), truth.failed_legs),
        "nano-AIU of roll-ups": (
            sum(turn["nano_aiu"] or 0 for turn in turns if turn["state"] not in _UNENDED),
            truth.nano_aiu,
        ),
        "nano-AIU of legs": (sum(leg["nano_aiu"] or 0 for leg in legs), truth.nano_aiu_legs),
        # each roll-up equals its legs, so all turns together cost what all legs cost
        "nano-AIU in the summary": (summary["nano_aiu"], truth.nano_aiu_legs),
        "requests": (summary["requests"], truth.requests),
        "tokens": (summary["tokens"], dict(truth.tokens)),
        "turns by pattern": (
            {pattern: figures["turns"] for pattern, figures in summary["by_pattern"].items()},
            dict(truth.patterns),
        ),
        "legs by model": ({model: figures["legs"] for model, figures in summary["by_model"].items()}, dict(truth.models)),
        "verdicts": (dict(Counter(leg["verdict"] for leg in legs if leg["verdict"])), dict(truth.verdicts)),
        "skipped records": (summary["skipped_records"], 0),
    }
    return [f"{name}: {found}, in truth {true}" for name, (found, true) in compared.items() if found != true]
