"""Whether checking drafts paid: for each pair of drafter and judge, what was said, what that cost, and what it saved."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from fusionscope.model import REVIEW_SCOPE, Leg, Turn

__all__ = ["PairWorth", "draft_before", "median_single", "review_worth"]

# Kinds that write nothing a judge could be asked about.
_NO_DRAFTS = ("judge", "critic", "follow_up")


class PairWorth(NamedTuple):
    """One drafter (``None``: the log holds no draft) and one judge of its work, both models.

    The judge ``accepted`` and ``rejected`` so many drafts and said something else of ``other``; these checks cost
    ``checks_nano_aiu``. ``saved_nano_aiu`` is what the turns with an accepted draft cost less, all of their legs together,
    than as many median single turns: below 0, they cost more. ``None`` where no draft was accepted, or there is no single turn
    to compare with. ``rejected_nano_aiu`` went to drafts that were rejected and to the checks that said so.
    """

    drafter: str | None
    judge: str
    accepted: int
    rejected: int
    other: int
    checks_nano_aiu: int
    saved_nano_aiu: int | None
    rejected_nano_aiu: int


def review_worth(turns: Sequence[Turn]) -> list[PairWorth]:
    """Return the worth of each pair, most checks first, then by name.

    A turn in which a pair accepted more than once is compared once; one of unknown cost is compared with nothing.
    """
    single = median_single(turns)
    pairs: dict[tuple[str | None, str], _Checks] = {}
    for turn in turns:
        if len(turn.legs) > 1:
            _add(pairs, turn)
    found = [PairWorth(drafter, judge, *checks.figures(single)) for (drafter, judge), checks in pairs.items()]
    return sorted(found, key=lambda each: (-(each.accepted + each.rejected + each.other), each.drafter or "", each.judge))


def median_single(turns: Sequence[Turn]) -> int | None:
    """Return the median nano-AIU of a single turn that ended and whose credits are known; ``None`` where there is none."""
    amounts = [turn.nano_aiu for turn in turns if turn.pattern == "single" and not turn.is_open]
    known = [amount for amount in amounts if amount is not None]
    return round(median(known)) if known else None


def draft_before(legs: Sequence[Leg], place: int) -> Leg | None:
    """Return what the leg at ``place`` was asked about: the last leg before it that wrote for the person and succeeded."""
    for leg in reversed(legs[:place]):
        if leg.status == "succeeded" and leg.scope != REVIEW_SCOPE and leg.kind not in _NO_DRAFTS:
            return leg
    return None


class _Checks:
    """What the checks of one pair come to so far."""

    def __init__(self) -> None:
        self._said = {"accept": 0, "reject": 0}
        self._all = self._spent = self._rejected = 0
        self._accepting: dict[str, int] = {}

    def add(self, turn: Turn, draft: Leg | None, check: Leg) -> None:
        spent = check.nano_aiu or 0
        self._all += 1
        self._spent += spent
        if check.verdict in self._said:
            self._said[check.verdict] += 1
        if check.verdict == "reject":
            self._rejected += spent + (draft.nano_aiu or 0 if draft else 0)
        elif check.verdict == "accept" and (whole := turn.nano_aiu) is not None:
            self._accepting[turn.fusion_id] = whole

    def figures(self, single: int | None) -> tuple[int, int, int, int, int | None, int]:
        accepted, rejected = self._said["accept"], self._said["reject"]
        saved = None
        if self._accepting and single is not None:
            saved = sum(single - whole for whole in self._accepting.values())
        return accepted, rejected, self._all - accepted - rejected, self._spent, saved, self._rejected


def _add(pairs: dict[tuple[str | None, str], _Checks], turn: Turn) -> None:
    for place, leg in enumerate(turn.legs):
        if leg.kind == "judge" and leg.verdict:
            draft = draft_before(turn.legs, place)
            pairs.setdefault((draft.model if draft else None, leg.model), _Checks()).add(turn, draft, leg)
