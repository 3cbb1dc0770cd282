"""A millisecond of its own for every event sample.

Prometheus keeps one value for a series and a millisecond: of two samples that share both, one is lost. So the later
one (in log order) moves on to the next free millisecond.

The rule is linear probing, as in a hash table: start at the true end and take the first millisecond that nobody has.
The set of milliseconds in use is then the same in whatever order the legs come; the order decides only which of two
neighbours comes first. So a sum over a window that holds both is the same on every run, after a rebuild too: a back end
keeps the sample that it has at a place and ignores the one that is sent again.

One claim is made for a leg, not one for each of its metrics: all its samples carry the same stamp.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

from fusionscope.export import names
from fusionscope.export.identity import LegKey
from fusionscope.export.labels import Labels, LabelValues
from fusionscope.export.times import route_end, turn_end
from fusionscope.export.values import moment
from fusionscope.model import Turn

__all__ = ["Stamps", "TurnStamps"]

#: the labels that all metrics of a leg share: two legs that differ here are in no series together
_LEG_SERIES = (names.PATTERN, names.PHASE_KIND, names.RESPONSE_MODEL)
_TURN_SERIES = (names.PATTERN, names.OUTCOME)
_ROUTE_SERIES = (names.ROUTE_SOURCE, names.POLICY, names.ERROR_TYPE)

_Owner = tuple[str, str, int]


class TurnStamps(NamedTuple):
    """The milliseconds of a turn's samples: the turn's own, its routing attempt's, and those of its legs."""

    turn: int
    route: int
    legs: dict[LegKey, int]


class Stamps:
    """The milliseconds that are taken, and who has them.

    One object for all turns of a run keeps samples of different turns apart as well. To make that hold over runs,
    show it the turns that were sent before and ended close by: ``learn(turns)``. Claiming again changes nothing.
    """

    def __init__(self) -> None:
        self._series: defaultdict[tuple[object, ...], _Taken] = defaultdict(_Taken)

    def learn(self, turns: Iterable[Turn], labels: Labels) -> None:
        """Take the milliseconds of turns that were sent before, in log order."""
        for turn in turns:
            self.of(turn, labels)

    def of(self, turn: Turn, labels: Labels) -> TurnStamps:
        """Claim and return the stamps of an ended turn and of all its legs."""
        legs = {}
        for leg in turn.legs:
            series = _series("leg", labels.of_leg(turn, leg), _LEG_SERIES)
            key = (leg.phase_id, leg.attempt)
            legs[key] = self._series[series].claim(moment(leg.ended_at), (turn.fusion_id, *key))
        whole = (turn.fusion_id, "", 0)
        return TurnStamps(
            self._series[_series("turn", labels.of_turn(turn), _TURN_SERIES)].claim(turn_end(turn), whole),
            self._series[_series("route", labels.of_route(turn), _ROUTE_SERIES)].claim(route_end(turn), whole),
            legs,
        )


class _Taken:
    """The milliseconds that are taken in one series."""

    def __init__(self) -> None:
        self._claimed: dict[tuple[_Owner, int], int] = {}
        #: from a taken millisecond to a later one that may be free
        self._onward: dict[int, int] = {}

    def claim(self, at: int, owner: _Owner) -> int:
        key = (owner, at)
        if key not in self._claimed:
            stamp = self._claimed[key] = self._free(at)
            self._onward[stamp] = stamp + 1
        return self._claimed[key]

    def _free(self, at: int) -> int:
        """The first free millisecond. What was passed is shortened, or a log in which all ends are equal takes for ever."""
        passed = []
        while at in self._onward:
            passed.append(at)
            at = self._onward[at]
        for stamp in passed:
            self._onward[stamp] = at
        return at


def _series(of: str, values: LabelValues, labels: Collection[str]) -> tuple[object, ...]:
    return (of, *(values.get(label) for label in labels))
