"""How long to wait before the next try: 1 s, doubling up to 5 min, with jitter so that many senders do not march in step."""

from __future__ import annotations

import random
from collections.abc import Callable

__all__ = ["FIRST_S", "LONGEST_S", "wait_s"]

FIRST_S = 1.0
LONGEST_S = 300.0
#: the share of a wait that is left to chance
_JITTER = 0.2
#: a receiver may name any wait; nobody means more than a day
_LONGEST_ASKED_S = 86_400.0


def wait_s(failures: int, asked_s: float | None = None, draw: Callable[[], float] = random.random) -> float:
    """Return the seconds to wait after ``failures`` failures in a row (1 for the first).

    ``asked_s`` is what the receiver asked for (``Retry-After``) and wins, between 1 s and a day: an asked 0 must not
    make a busy loop. ``draw`` gives a number from 0 to 1.
    """
    if asked_s is not None:
        return min(max(asked_s, FIRST_S), _LONGEST_ASKED_S)
    # a power of 9 is past the longest wait, and any larger one might not fit a float
    step: float = FIRST_S * 2 ** min(max(failures, 1) - 1, 9)
    return min(step, LONGEST_S / (1 + _JITTER)) * (1 + _JITTER * draw())
