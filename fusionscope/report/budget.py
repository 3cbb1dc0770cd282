"""A month's spend against a limit: what is spent, how fast, and until when it lasts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from fusionscope.model import OrdinaryTurn, Turn
from fusionscope.report.days import Month

__all__ = ["Budget", "budget", "top_model"]

_DAY_MS = 86_400_000


class Budget(NamedTuple):
    """Money is nano-AIU, moments are ms UTC.

    ``fusion`` and ``ordinary`` turns make up ``spent``; of so many turns of each the cost is not known, or, of ordinary ones,
    not that of all their calls. ``per_day`` is the run rate: what was spent, by the days of 24 hours since the month began, of
    which the first counts as whole.
    ``at_end`` is what that comes to when the month ends. ``runs_out_at`` is when the limit is reached at that rate (already,
    where it is before ``now``); ``None`` where it is not within the month. ``model`` is the one with the greatest part of
    ``spent``, ``model_nano_aiu``; ``None`` where nothing is known of any.
    """

    month: Month
    now: int
    limit: int
    fusion: int
    ordinary: int
    unmetered_fusion: int
    unmetered_ordinary: int
    per_day: int
    at_end: int
    runs_out_at: int | None
    model: str | None
    model_nano_aiu: int

    @property
    def spent(self) -> int:
        """All that is known to be spent."""
        return self.fusion + self.ordinary

    @property
    def is_over(self) -> bool:
        """Whether more than the limit is spent."""
        return self.spent > self.limit

    def share(self, part: int) -> float | None:
        """The share that ``part`` is of what is spent; ``None`` when that is 0."""
        return part / self.spent if self.spent else None


def budget(turns: Sequence[Turn], ordinary: Sequence[OrdinaryTurn], month: Month, now: int, limit: int) -> Budget:
    """Return how ``limit`` nano-AIU a month stand at ``now``, within ``month``; the turns are those that started in it."""
    fusion = sum(turn.nano_aiu or 0 for turn in turns)
    others = sum(turn.nano_aiu or 0 for turn in ordinary)
    spent = fusion + others
    elapsed = max(now - month.begin, _DAY_MS)
    left = max(0, month.end - now)
    # The last moment at which the limit still holds; whole numbers all the way.
    runs_out_at = now + (limit - spent) * elapsed // spent if spent else None
    if runs_out_at is not None and spent <= limit and runs_out_at >= month.end:
        runs_out_at = None
    model, model_nano_aiu = top_model(turns, ordinary)
    return Budget(
        month=month,
        now=now,
        limit=limit,
        fusion=fusion,
        ordinary=others,
        unmetered_fusion=sum(turn.nano_aiu is None for turn in turns),
        unmetered_ordinary=sum(turn.metered < turn.calls for turn in ordinary),
        per_day=spent * _DAY_MS // elapsed,
        at_end=spent + spent * left // elapsed,
        runs_out_at=runs_out_at,
        model=model,
        model_nano_aiu=model_nano_aiu,
    )


def top_model(turns: Sequence[Turn], ordinary: Sequence[OrdinaryTurn]) -> tuple[str | None, int]:
    """Return the model that most nano-AIU went to, and how many: by legs, and by ordinary turns that only one model ran."""
    spent: Counter[str] = Counter()
    for turn in turns:
        for leg in turn.legs:
            if leg.nano_aiu:
                spent[leg.model] += leg.nano_aiu
    for each in ordinary:
        if each.nano_aiu and len(each.models) == 1:
            spent[each.models[0]] += each.nano_aiu
    if not spent:
        return None, 0
    return min(spent.items(), key=lambda item: (-item[1], item[0]))
