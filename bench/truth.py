"""What a correct reader must find in a synthetic state directory."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["TRUTH_NAME", "Truth", "load_truth", "save_truth"]

TRUTH_NAME = "truth.json"


@dataclass
class Truth:
    """Counts over all sessions. Money is integer nano-AIU.

    ``bytes``, ``lines`` and ``longest_line`` (bytes, with its line end) are those of the logs. ``legs`` include
    ``failed_legs``. ``completed`` turns include ``degraded`` ones. ``nano_aiu`` is the sum of all roll-ups, each of which
    equals the sum of its legs; ``nano_aiu_legs`` is the sum of all legs, those of ``open_turns`` too. ``requests`` and
    ``tokens`` (``input`` contains ``cached`` and ``cache_write``) are those of all legs. ``patterns`` counts turns, ``models``
    and ``verdicts`` count legs. ``decoy_lines`` quote a Fusion line in the text of a tool's result.
    """

    sessions: int = 0
    bytes: int = 0
    lines: int = 0
    longest_line: int = 0
    resolved: int = 0
    legs: int = 0
    failed_legs: int = 0
    handoffs: int = 0
    commits: int = 0
    completed: int = 0
    degraded: int = 0
    open_turns: int = 0
    nano_aiu: int = 0
    nano_aiu_legs: int = 0
    requests: int = 0
    tokens: Counter[str] = field(default_factory=Counter)
    patterns: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    decoy_lines: int = 0


def save_truth(truth: Truth, directory: Path) -> None:
    """Write the truth of the state in ``directory``. It is written last: a state that has it is whole."""
    (directory / TRUTH_NAME).write_text(json.dumps(vars(truth), indent=1) + "\n")


def load_truth(directory: Path) -> Truth:
    """Read the truth of the state in ``directory``."""
    values: dict[str, Any] = json.loads((directory / TRUTH_NAME).read_text())
    for name in ("tokens", "patterns", "verdicts", "models"):
        values[name] = Counter(values[name])
    return Truth(**values)
