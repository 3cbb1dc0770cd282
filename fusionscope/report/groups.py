"""Figures by one key or two: model, kind, pattern, day and so on.

A key of turns (all but model, kind and effort) puts a whole turn into one group: its roll-up where the CLI wrote one, else
its legs. A key of legs parts a turn, and money is that of the legs; what a roll-up says beside its legs then has a group of its
own, "not itemised". So the groups of either add up to the total, and a turn's credits are never in two of them. A turn belongs
to the day it started on, and so do all its legs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo
from statistics import median
from typing import NamedTuple

from fusionscope.model import REVIEW_SCOPE, UNKNOWN, Leg, Turn
from fusionscope.report.days import day_of, week_of
from fusionscope.report.worth import draft_before

__all__ = ["KEYS", "LEG_KEYS", "Group", "Grouping", "group_by", "pair_of"]

Values = tuple[str | None, ...]

LEG_KEYS: dict[str, Callable[[Leg], str | None]] = {
    "model": lambda leg: leg.model,
    "kind": lambda leg: leg.kind,
    "effort": lambda leg: leg.reasoning_effort,
}

_TURN_KEYS: dict[str, Callable[[Turn, tzinfo | None], str | None]] = {
    "pattern": lambda turn, zone: None if turn.pattern_name == UNKNOWN else turn.pattern_name,
    "day": lambda turn, zone: day_of(turn.started_at, zone),
    "week": lambda turn, zone: week_of(turn.started_at, zone),
    "session": lambda turn, zone: turn.session_id,
    "repository": lambda turn, zone: turn.repository,
    "branch": lambda turn, zone: turn.branch,
    "policy": lambda turn, zone: turn.policy,
    "route-source": lambda turn, zone: turn.route_source,
    "cli-version": lambda turn, zone: turn.cli_version,
    "client": lambda turn, zone: turn.client,
    "pair": lambda turn, zone: pair_of(turn),
}

#: all keys, in the order in which help names them
KEYS = (*LEG_KEYS, *_TURN_KEYS)

_IN_TIME = ("day", "week")


class Group(NamedTuple):
    """What turns, or the legs of turns, with the same values of the keys come to.

    ``values`` has one for each key, ``None`` where the log does not say it. ``itemised`` is false for what roll-ups say beside
    their legs: it may be below 0, has no legs, and its values of leg keys are ``None``. ``turns`` are those with a part in the
    group, so a key of legs may count one in many groups. ``share`` is of the nano-AIU of all turns, ``None`` when that is 0.
    ``median_nano_aiu`` is over the turns that ended, of what the group cost in each. ``review_nano_aiu`` was spent on legs that
    are not the answer. ``verdicts`` of judges, ``rejections`` among them. ``unmetered`` of its legs (of its turns, for a key
    of turns) have no known cost, and all of the group where ``nano_aiu`` is ``None``.
    """

    values: Values
    itemised: bool
    turns: int
    legs: int
    nano_aiu: int | None
    share: float | None
    median_nano_aiu: int | None
    review_nano_aiu: int
    verdicts: int
    rejections: int
    unmetered: int

    @property
    def review_share(self) -> float | None:
        """The part of its nano-AIU that was spent on legs that are not the answer; ``None`` when that is 0."""
        return self.review_nano_aiu / self.nano_aiu if self.nano_aiu else None


class Grouping(NamedTuple):
    """Turns grouped by ``keys``: the ``total``, the groups of the first key, and for two keys those of both, in this order.

    Days and weeks are in their order, all else by most nano-AIU first, then by name; what is not itemised comes last.
    """

    keys: tuple[str, ...]
    total: Group
    first: list[Group]
    both: list[Group]

    @property
    def rows(self) -> list[Group]:
        """The finest groups: each credit is in one of them."""
        return self.both or self.first

    def below(self, group: Group) -> list[Group]:
        """The groups of both keys that make up one of the first key."""
        parted = self.keys[0] in LEG_KEYS
        return [
            each for each in self.both if each.values[0] == group.values[0] and (not parted or each.itemised == group.itemised)
        ]


def group_by(turns: Sequence[Turn], keys: Sequence[str], zone: tzinfo | None = None) -> Grouping:
    """Group ``turns`` by one or two of ``KEYS``; days and weeks are those of ``zone``, of this machine's own by default."""
    total = _Sum()
    levels = [_Level(keys[:end]) for end in range(1, len(keys) + 1)]
    of_turn = [_TURN_KEYS.get(key, _none) for key in keys]
    for turn in turns:
        legs, reported = _part(turn, turn.legs), turn.reported_nano_aiu
        spent = turn.nano_aiu if turn.awaiting_background_work else legs.nano_aiu if reported is None else reported
        whole = _Part(spent, legs.settled, legs.legs, legs.review, legs.verdicts, legs.rejections, int(spent is None))
        difference = 0 if reported is None else (spent or 0) - (legs.nano_aiu or 0)
        values = tuple([value(turn, zone) for value in of_turn])
        total.add(whole)
        for level in levels:
            level.add(turn, values, whole, difference)
    found = [level.groups(total.nano_aiu) for level in levels]
    return Grouping(tuple(keys), total.group((), True, None), found[0], _below(keys, *found) if len(keys) > 1 else [])


def _none(turn: Turn, zone: tzinfo | None) -> None:
    """The value that a turn has of a key of legs."""


def pair_of(turn: Turn) -> str | None:
    """Return the drafter and the judge of the turn's first verdict, ``m-small > m-large``; ``None`` where no judge gave one."""
    for place, leg in enumerate(turn.legs):
        if leg.kind == "judge" and leg.verdict:
            draft = draft_before(turn.legs, place)
            return f"{draft.model if draft else 'unknown'} > {leg.model}"
    return None


class _Part(NamedTuple):
    """What a turn, or some of its legs, adds to a group; ``nano_aiu`` is ``None`` where it is not known."""

    nano_aiu: int | None
    settled: bool
    legs: int
    review: int
    verdicts: int
    rejections: int
    unmetered: int


class _Sum:
    """What a group comes to so far."""

    __slots__ = ("known", "legs", "nano_aiu", "rejections", "review", "settled", "turns", "unmetered", "verdicts")

    def __init__(self) -> None:
        self.turns = self.known = self.legs = self.nano_aiu = self.review = self.verdicts = self.rejections = self.unmetered = 0
        self.settled: list[int] = []

    def add(self, part: _Part) -> None:
        spent, settled, legs, review, verdicts, rejections, unmetered = part
        self.turns += 1
        self.legs += legs
        self.review += review
        self.verdicts += verdicts
        self.rejections += rejections
        self.unmetered += unmetered
        if spent is not None:
            self.known += 1
            self.nano_aiu += spent
            if settled:
                self.settled.append(spent)

    def group(self, values: Values, itemised: bool, whole: int | None) -> Group:
        spent = self.nano_aiu if self.known or not self.turns else None
        return Group(
            values,
            itemised,
            self.turns,
            self.legs,
            spent,
            spent / whole if whole and spent is not None else None,
            round(median(self.settled)) if self.settled else None,
            self.review,
            self.verdicts,
            self.rejections,
            self.unmetered,
        )


class _Level:
    """The groups of one key, or of two."""

    def __init__(self, keys: Sequence[str]) -> None:
        self.keys = keys
        self._parted = any(key in LEG_KEYS for key in keys)
        self._sums: dict[Values, _Sum] = {}
        self._beside: dict[Values, _Sum] = {}

    def add(self, turn: Turn, values: Values, whole: _Part, difference: int) -> None:
        """Add a turn; ``values`` begins with those of its own keys, and ``difference`` is its roll-up without its legs."""
        values = values[: len(self.keys)]
        if not self._parted:
            _of(self._sums, values).add(whole)
            return
        for leg_values, legs in self._parts(turn, values).items():
            _of(self._sums, leg_values).add(_part(turn, legs))
        if difference:
            _of(self._beside, values).add(_Part(difference, False, 0, 0, 0, 0, 0))

    def groups(self, whole: int) -> list[Group]:
        """Return the groups, sorted by the last of the keys; ``whole`` is the nano-AIU of all turns."""
        found = [each.group(values, True, whole) for values, each in self._sums.items()]
        found += [each.group(values, False, whole) for values, each in self._beside.items()]
        return sorted(found, key=self._place)

    def _parts(self, turn: Turn, values: Values) -> dict[Values, list[Leg]]:
        parts: dict[Values, list[Leg]] = {}
        for leg in turn.legs:
            own = tuple(
                [LEG_KEYS[key](leg) if key in LEG_KEYS else value for key, value in zip(self.keys, values, strict=True)]
            )
            parts.setdefault(own, []).append(leg)
        return parts

    def _place(self, group: Group) -> tuple[bool, bool, str, int, tuple[str, ...]]:
        value = group.values[-1]
        in_time = self.keys[-1] in _IN_TIME
        names = tuple(each or "" for each in group.values)
        return not group.itemised, in_time and value is None, (value or "") if in_time else "", -(group.nano_aiu or 0), names


def _of(sums: dict[Values, _Sum], values: Values) -> _Sum:
    found = sums.get(values)
    if found is None:
        found = sums[values] = _Sum()
    return found


def _part(turn: Turn, legs: Sequence[Leg]) -> _Part:
    is_open = turn.state == "open"
    spent = review = verdicts = rejections = unmetered = 0
    for leg in legs:
        amount = leg.nano_aiu
        if amount is None:
            unmetered += 1
            amount = 0
        spent += amount
        # as in Turn.review_nano_aiu: an open turn has no answer leg yet
        if leg.scope == REVIEW_SCOPE if is_open else not leg.is_answer:
            review += amount
        if leg.kind == "judge" and leg.verdict:
            verdicts += 1
            rejections += leg.verdict == "reject"
    known = spent if unmetered < len(legs) else None
    return _Part(known, not is_open, len(legs), review, verdicts, rejections, unmetered)


def _below(keys: Sequence[str], first: Sequence[Group], both: list[Group]) -> list[Group]:
    """Return the groups of both keys in the order of those of the first."""
    places = {(group.values[0], group.itemised): place for place, group in enumerate(first)}
    parted = keys[0] in LEG_KEYS
    return sorted(both, key=lambda group: places[group.values[0], group.itemised or not parted])
