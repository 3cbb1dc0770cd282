"""The differences between the levels of a session's money (``levels.py``), and what explains them.

A reason has an amount with a sign, so that a difference is the sum of its reasons and of what remains unexplained. Some reasons
hold for sure: a turn after the last shutdown is not in its totals. Others may hold, because versions differ (whether totals
hold compactions): they are named only where the whole amount fits into what is still unexplained.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from fusionscope.model import Turn
from fusionscope.report.levels import calls_in_fusion, counted, legs
from fusionscope.store.ledger import Ledger
from fusionscope.store.shutdowns import Totals

__all__ = ["Difference", "Reason", "differences"]


class Reason(NamedTuple):
    """A named part of a difference: how much of it (nano-AIU, with its sign), and how many things it is about."""

    name: str
    nano_aiu: int
    parts: int


class Difference(NamedTuple):
    """How much more the level ``more`` says than ``less``, and why.

    ``nano_aiu`` is ``None`` where there is nothing to compare; ``missing`` then says why: ``no shutdown``, ``not metered``,
    ``no usage records`` or ``no turns``.
    """

    more: str
    less: str
    nano_aiu: int | None
    reasons: tuple[Reason, ...] = ()
    missing: str | None = None

    @property
    def unexplained_nano_aiu(self) -> int:
        """What no reason explains."""
        return (self.nano_aiu or 0) - sum(reason.nano_aiu for reason in self.reasons)


def differences(ledger: Ledger) -> tuple[Difference, Difference, Difference]:
    """Turns against legs, usage records against turns, shutdown totals against turns and ordinary calls."""
    return _turns_and_legs(ledger), _calls_and_turns(ledger), _shutdown_and_turns(ledger)


def _turns_and_legs(ledger: Ledger) -> Difference:
    turns, itemised = counted(ledger), legs(ledger).nano_aiu
    spent = turns.nano_aiu
    if not turns.parts:
        return Difference("turns", "legs", None, missing="no turns")
    if spent is None:
        return Difference("turns", "legs", None, missing="not metered")
    apart = [turn for turn in ledger.turns if turn.difference_nano_aiu]
    unmetered = [turn for turn in apart if turn.difference_nano_aiu > 0 and any(leg.nano_aiu is None for leg in turn.legs)]
    more = [turn for turn in apart if turn.difference_nano_aiu > 0 and turn not in unmetered]
    less = [turn for turn in apart if turn.difference_nano_aiu < 0]
    found = [
        _reason("not itemised", [turn.difference_nano_aiu for turn in more]),
        _reason("legs not metered", [turn.difference_nano_aiu for turn in unmetered]),
        _reason("legs above the roll-up", [turn.difference_nano_aiu for turn in less]),
    ]
    return Difference("turns", "legs", spent - (itemised or 0), _some(found))


def _calls_and_turns(ledger: Ledger) -> Difference:
    recorded, spent = calls_in_fusion(ledger), counted(ledger)
    missing = None
    if not spent.parts:
        missing = "no turns"
    elif not recorded.parts:
        missing = "no usage records"
    elif recorded.nano_aiu is None or spent.nano_aiu is None:
        missing = "not metered"
    if missing:
        return Difference("usage records", "turns", None, missing=missing)
    whole = (recorded.nano_aiu or 0) - (spent.nano_aiu or 0)
    without = _turns_without_calls(ledger)
    found = [_reason("turns without usage records", [-(turn.nano_aiu or 0) for turn in without])]
    rest = whole - found[0].nano_aiu
    if rest < 0 and recorded.unknown:
        found.append(Reason("calls not metered", rest, recorded.unknown))
    return Difference("usage records", "turns", whole, _some(found))


def _turns_without_calls(ledger: Ledger) -> list[Turn]:
    named = {call.fusion_id for call in ledger.calls}
    moments = sorted(call.at for call in ledger.calls if call.in_fusion and call.fusion_id is None)

    def has_calls(turn: Turn) -> bool:
        place = bisect_left(moments, turn.started_at)
        return turn.fusion_id in named or (place < len(moments) and moments[place] <= _end(turn))

    return [turn for turn in ledger.turns if not has_calls(turn)]


class _Spent(NamedTuple):
    """A turn or an ordinary call, as far as totals care."""

    at: int
    nano_aiu: int
    by_agent: bool
    is_turn: bool
    rewound: bool


def _shutdown_and_turns(ledger: Ledger) -> Difference:
    names = ("shutdown totals", "turns and ordinary calls")
    found = ledger.totals
    if found is None:
        return Difference(*names, None, missing="no shutdown")
    if found.nano_aiu is None:
        return Difference(*names, None, missing="not metered")
    spent = [_Spent(_end(turn), turn.nano_aiu or 0, turn.agent_id is not None, True, turn.rewound) for turn in ledger.turns]
    spent += [
        _Spent(call.at, call.nano_aiu or 0, call.agent_id is not None, False, False)
        for call in ledger.calls
        if not call.in_fusion
    ]
    explained = _Explained(found.nano_aiu - sum(each.nano_aiu for each in spent), spent)
    explained.take("after the last shutdown", lambda each: each.at > found.last_at)
    explained.take("rewound turns", lambda each: each.rewound and _forgotten(each.at, ledger.rewound_at, found))
    explained.add(_inherited(ledger, found))
    unended = _runs_without_shutdown(ledger)
    explained.take("runs without a shutdown", lambda each: any(a <= each.at < b for a, b in unended), if_it_fits=True)
    if found.parallel_nano_aiu:
        explained.add(Reason("another CLI at the same time", -found.parallel_nano_aiu, 1), if_it_fits=True)
    explained.take("sub-agents", lambda each: each.by_agent, if_it_fits=True)
    explained.take_rest(
        "ordinary turns before a rewind",
        lambda each: not each.is_turn and _forgotten(each.at, ledger.rewound_at, found),
    )
    explained.add(_compacted(ledger, found), if_it_fits=True)
    unknown = sum(turn.metered < turn.calls and turn.started_at <= found.last_at for turn in ledger.ordinary)
    unknown += sum(turn.nano_aiu is None and turn.route_failure is None for turn in ledger.turns)
    if explained.rest > 0 and unknown:
        explained.add(Reason("turns of unknown cost", explained.rest, unknown))
    return Difference(*names, explained.whole, _some(explained.reasons))


class _Explained:
    """A difference with its reasons so far; what one reason is about, no other one is about too."""

    def __init__(self, whole: int, spent: Sequence[_Spent]) -> None:
        self.whole = self.rest = whole
        self.reasons: list[Reason] = []
        self._left = [each for each in spent if each.nano_aiu]

    def add(self, reason: Reason, if_it_fits: bool = False) -> None:
        """Add a reason, or only where the difference has room for all of it."""
        amount = reason.nano_aiu
        if not amount or (if_it_fits and not (self.rest <= amount < 0 or 0 < amount <= self.rest)):
            return
        self.reasons.append(reason)
        self.rest -= amount

    def take(self, name: str, concerns: Callable[[_Spent], bool], if_it_fits: bool = False) -> None:
        """Add what the totals do not hold of what was spent."""
        before = len(self.reasons)
        parts = [each for each in self._left if concerns(each)]
        self.add(_reason(name, [-each.nano_aiu for each in parts]), if_it_fits)
        if len(self.reasons) > before:
            self._left = [each for each in self._left if not concerns(each)]

    def take_rest(self, name: str, concerns: Callable[[_Spent], bool]) -> None:
        """Add as much as is missing from the totals, of something that does not say how much of it they hold."""
        parts = [each for each in self._left if concerns(each)]
        if self.rest < 0 and -self.rest <= sum(each.nano_aiu for each in parts):
            self.add(Reason(name, self.rest, len(parts)))


def _forgotten(at: int, rewound_at: Iterable[int], found: Totals) -> bool:
    """Whether the total that would hold this moment was written only after a rewind that came after it."""
    begin = None
    for segment in found.segments:
        if (begin is None or begin < at) and any(at <= rewind <= segment.at for rewind in rewound_at):
            return True
        begin = segment.at
    return False


def _inherited(ledger: Ledger, found: Totals) -> Reason:
    """What the totals hold of sessions that this one was forked from."""
    covering = [set(segment.covers) - {ledger.session_id} for segment in found.segments]
    amounts = [turn.nano_aiu or 0 for covers in covering for turn in ledger.inherited_turns if turn.session_id in covers]
    amounts += [call.nano_aiu or 0 for covers in covering if covers for call in ledger.inherited_calls if not call.in_fusion]
    return _reason("the session it was forked from", amounts)


def _runs_without_shutdown(ledger: Ledger) -> list[tuple[int, int]]:
    """From each start or resume to the next, where no shutdown was written in between: the CLI was killed, or left by /new."""
    runs = zip(ledger.opened_at, ledger.opened_at[1:], strict=False)
    return [(begin, end) for begin, end in runs if not any(begin <= at < end for at in ledger.shutdowns_at)]


def _compacted(ledger: Ledger, found: Totals) -> Reason:
    done = [*ledger.compactions]
    if any(set(segment.covers) - {ledger.session_id} for segment in found.segments):
        done += ledger.inherited_compactions
    return _reason("compaction", [each.nano_aiu or 0 for each in done if each.at <= found.last_at])


def _end(turn: Turn) -> int:
    return turn.last_event_at if turn.ended_at is None else turn.ended_at


def _reason(name: str, amounts: Iterable[int]) -> Reason:
    some = [amount for amount in amounts if amount]
    return Reason(name, sum(some), len(some))


def _some(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    return tuple(reason for reason in reasons if reason.nano_aiu)
