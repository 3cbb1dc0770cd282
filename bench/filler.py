"""Invented text for synthetic logs: what prompts, answers and results of tools look like, escaped for JSON."""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from random import Random

__all__ = ["Filler", "log_uniform"]

_POOL_BYTES = 1_000_000
_WORDS = """
    accept answer append argument array assert await batch block branch budget buffer cache call cancel case check class clock
    close column commit compare config copy count credit cursor default delay delete depth draft error event expect field file
    filter first format function fusion group handler hash header import index input item key label last length level
    limit line list lock log loop match member merge message method model module name node number object offset open option
    order output owner page parse path phase pool print query queue range read record reduce repair reply request reset result
    retry return review route row rule sample scan schema scope select send session shape size slice source stack start state
    status step store stream string table target test text thread time token total trace tree turn type unit update user value
    verdict version view wait window word worker write the of and to in is that for with as not but from when which was are be
""".split()


def log_uniform(rng: Random, low: int, high: int) -> int:
    """A number between ``low`` and ``high``, every order of magnitude as likely as any other."""
    return round(math.exp(rng.uniform(math.log(low), math.log(high))))


class Filler:
    """A pool of lines, of which every text is a run: copying bytes is much faster than inventing them."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        lines, self._borders = [], [0]
        while self._borders[-1] < _POOL_BYTES:
            # escaped one by one: a run of whole lines is the inside of a JSON string, wherever it begins and ends
            lines.append(json.dumps(_line(rng) + "\n", ensure_ascii=False)[1:-1].encode())
            self._borders.append(self._borders[-1] + len(lines[-1]))
        self._pool = b"".join(lines)

    def text(self, size: int) -> bytes:
        """About ``size`` bytes (at most 200 kB and a line) of whole lines, as they stand inside the quotes of a JSON string."""
        first = bisect_left(self._borders, self._rng.randrange(_POOL_BYTES - 250_000))
        begin = self._borders[first]
        return self._pool[begin : self._borders[max(first + 1, bisect_left(self._borders, begin + size))]]


def _line(rng: Random) -> str:
    """One line: prose, code, data with quotes in it, a terminal's output, or more than ASCII.

    Now and then a name begins with ``fusion_``, for those who search for that.
    """
    words = rng.choices(_WORDS, k=rng.randint(3, 14))
    match rng.choices(("prose", "code", "data", "terminal", "unicode", "blank"), (35, 30, 15, 10, 5, 5))[0]:
        case "code":
            return f'{"    " * rng.randrange(4)}{words[0]}_{words[1]} = {words[2]}("{words[0]}", {rng.randrange(9_999)})'
        case "data":
            return f'\t{{"{words[0]}": "{words[1]}", "type": "{words[2]}", "share": {rng.random():.6f}}},'
        case "terminal":
            return (
                f"/home/dev/src/{words[0]}/{words[1]}.py:{rng.randrange(1, 900)}: \x1b[33m{words[2]}\x1b[0m {' '.join(words)}"
            )
        case "unicode":
            return f"— “{' '.join(words)}” → {words[0]} … 検証 ✓"
        case "blank":
            return ""
    return " ".join(words).capitalize() + "."
