"""A millisecond of its own for every event sample.

Prometheus keeps one value for a series and a millisecond: of two samples that share both, one is lost. So the later
one (in log order) moves on to the next free millisecond.

The rule is linear probing, as in a hash table: start at the true end and take the first millisecond that nobody has.
The set of milliseconds in use is then the same in whatever order the legs come; the order decides only which of two
neighbours comes first. So a sum over a window that holds both is the same on every run, after a rebuild too: a back end
keeps the sample that it has at a place and ignores the one that is sent again.

One claim is made for a leg, not one for each of its metrics: all its samples carry the same stamp. Claims are kept in
the store before anything is sent, so that a sample has the same stamp when it is sent again, whatever came meanwhile.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from hashlib import sha1
from typing import NamedTuple

from fusionscope.export import names
from fusionscope.export.labels import Labels, LabelValues
from fusionscope.export.times import route_end, turn_end
from fusionscope.export.tool_counts import ToolCount, tool_counts
from fusionscope.export.values import moment
from fusionscope.ids import LegKey
from fusionscope.model import Turn
from fusionscope.store.metrics import Claim
from fusionscope.tools import ToolKey

__all__ = ["Stamps", "TurnStamps"]

#: the labels that all metrics of a leg share: two legs that differ here are in no series together
_LEG_SERIES = (names.PATTERN, names.PHASE_KIND, names.RESPONSE_MODEL)
_TURN_SERIES = (names.PATTERN, names.OUTCOME)
_ROUTE_SERIES = (names.ROUTE_SOURCE, names.POLICY, names.ERROR_TYPE)
_WORDS_SERIES = (names.PATTERN,)
_TOOL_SERIES = (names.TOOL_NAME, names.SUCCESS, names.PHASE_KIND)

#: the claims of a series from a millisecond on, without a gap
Known = Callable[[int, int], Iterable[Claim]]


class TurnStamps(NamedTuple):
    """The milliseconds of a turn's samples: its own, its routing attempt's, and those of its legs, words and tool calls.

    ``words`` is ``None`` where there are none that are unknown.
    """

    turn: int
    route: int
    words: int | None
    legs: dict[LegKey, int]
    tools: list[tuple[ToolCount, int]]


class Stamps:
    """The milliseconds that are taken, and who has them.

    One object for all turns of a request keeps samples of different turns apart. ``known`` tells what was claimed
    before, in other requests and other runs; ``fresh`` are the claims that it did not know. Claiming again changes
    nothing.
    """

    def __init__(self, known: Known = lambda series, at: ()) -> None:
        self.fresh: list[Claim] = []
        self._known = known
        self._series: defaultdict[int, _Taken] = defaultdict(_Taken)

    def of(self, turn: Turn, labels: Labels, sent_tools: Collection[ToolKey] = frozenset()) -> TurnStamps:
        """Claim and return the stamps of an ended turn, of all its legs, and of its tool calls that are not among the sent."""
        of_turn = labels.of_turn(turn)
        legs = {}
        for leg in turn.legs:
            series = _series("leg", labels.of_leg(turn, leg), _LEG_SERIES)
            legs[leg.phase_id, leg.attempt] = self._claim(series, moment(leg.ended_at), turn, leg.phase_id, leg.attempt)
        words = _series("words", of_turn, _WORDS_SERIES)
        return TurnStamps(
            self._claim(_series("turn", of_turn, _TURN_SERIES), turn_end(turn), turn),
            self._claim(_series("route", labels.of_route(turn), _ROUTE_SERIES), route_end(turn), turn),
            self._claim(words, turn_end(turn), turn) if turn.unknown_words else None,
            legs,
            [(count, self._claim_tool(turn, count)) for count in tool_counts(turn, labels, sent_tools)],
        )

    def _claim_tool(self, turn: Turn, count: ToolCount) -> int:
        # calls that come late are a sample of their own, told from the first by what was counted before
        series = _series("tool", count.values, _TOOL_SERIES)
        return self._claim(series, count.at, turn, count.leg, count.before)

    def _claim(self, series: int, at: int, turn: Turn, *part: object) -> int:
        # the end is part of the owner: a turn that was given up and then ended has two
        owner = _hash(turn.fusion_id, *part, at)
        taken = self._series[series]
        stamp = taken.of(owner)
        if stamp is not None:
            return stamp
        free = taken.free(at, lambda here: self._known(series, here))
        # what is known from the end on may be this very sample
        stamp = taken.of(owner)
        if stamp is not None:
            return stamp
        taken.take(free, owner)
        self.fresh.append(Claim(series, free, owner))
        return free


class _Taken:
    """The milliseconds that are taken in one series."""

    def __init__(self) -> None:
        self._stamps: dict[int, int] = {}
        #: from a taken millisecond to a later one that may be free
        self._onward: dict[int, int] = {}

    def of(self, owner: int) -> int | None:
        return self._stamps.get(owner)

    def take(self, at: int, owner: int) -> None:
        self._stamps[owner] = at
        self._onward[at] = at + 1

    def free(self, at: int, known: Callable[[int], Iterable[Claim]]) -> int:
        """The first free millisecond. What was passed is shortened, or a log in which all ends are equal takes for ever."""
        passed = []
        while True:
            if at not in self._onward:
                for claim in known(at):
                    if claim.at not in self._onward:
                        self.take(claim.at, claim.owner)
            if at not in self._onward:
                break
            passed.append(at)
            at = self._onward[at]
        for stamp in passed:
            self._onward[stamp] = at
        return at


def _series(of: str, values: LabelValues, labels: Collection[str]) -> int:
    return _hash(of, *(values.get(label) for label in labels))


def _hash(*parts: object) -> int:
    """A signed 64-bit number, as the store has them; no text can be read from it."""
    digest = sha1(repr(parts).encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()
    return int.from_bytes(digest[:8], signed=True)
