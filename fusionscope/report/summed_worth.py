"""Whether checking drafts paid, from sums: what ``worth.py`` says of turns, said of very many of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from fusionscope.store.totals import CheckTotals

__all__ = ["Worth", "worth_of_review"]


class Worth(NamedTuple):
    """One drafter (``None``: the log holds no draft) and one judge of its work, both models.

    The judge ``accepted`` and ``rejected`` so many drafts and said something else of ``other``; these checks cost
    ``checks_nano_aiu``. ``saved_nano_aiu`` is what the turns with an accepted draft cost less, all of their legs together,
    than as many median single turns: below 0, they cost more. ``None`` where no draft was accepted or there is no single turn
    to compare with.
    """

    drafter: str | None
    judge: str
    accepted: int
    rejected: int
    other: int
    checks_nano_aiu: int
    saved_nano_aiu: int | None


def worth_of_review(checks: Iterable[CheckTotals], median_single_nano_aiu: int | None) -> list[Worth]:
    """Return the worth of each pair, most checks first, then by name."""
    pairs: dict[tuple[str | None, str], list[CheckTotals]] = {}
    for check in checks:
        pairs.setdefault((check.drafter, check.judge), []).append(check)
    found = [_worth(drafter, judge, given, median_single_nano_aiu) for (drafter, judge), given in pairs.items()]
    return sorted(found, key=lambda each: (-(each.accepted + each.rejected + each.other), each.drafter or "", each.judge))


def _worth(drafter: str | None, judge: str, checks: list[CheckTotals], median: int | None) -> Worth:
    said = {name: sum(each.checks for each in checks if each.verdict == name) for name in ("accept", "reject")}
    accepted = [each for each in checks if each.verdict == "accept" and each.turns]
    saved = None
    if accepted and median is not None:
        saved = sum(each.turns * median - each.turns_nano_aiu for each in accepted)
    return Worth(
        drafter,
        judge,
        said["accept"],
        said["reject"],
        sum(each.checks for each in checks) - said["accept"] - said["reject"],
        sum(each.nano_aiu for each in checks),
        saved,
    )
