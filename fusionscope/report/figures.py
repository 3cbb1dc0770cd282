"""The figures: one function each, with its definition.

All take any sequence of turns and read nothing else. Money is integer nano-AIU; a sum adds what is known, and what is
unknown adds nothing. A rate with nothing to divide by has the value ``None``, never 0. Rewound turns count like all
others: their credits were spent.

A turn's properties are worked out again on every access, so each function asks a turn for each only once.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median
from typing import NamedTuple

from fusionscope.model import Leg, Turn

__all__ = [
    "KindFigures",
    "Latency",
    "ModelFigures",
    "PatternFigures",
    "Rate",
    "Tokens",
    "by_kind",
    "by_model",
    "by_pattern",
    "compound_rate",
    "cost_per_second",
    "judge_rejection_rate",
    "judge_rejections",
    "judged",
    "known_nano_aiu",
    "latency_of",
    "nano_aiu",
    "not_itemised",
    "open_turns",
    "requests",
    "review_share",
    "routing_latency",
    "sessions",
    "tokens",
    "unmetered_legs",
    "unmetered_turns",
]


class Rate(NamedTuple):
    """``part`` of ``whole``; ``value`` is between 0 and 1 where the part is one, or ``None`` when the whole is 0."""

    part: int
    whole: int
    value: float | None


class ModelFigures(NamedTuple):
    """What one model did: legs, nano-AIU, and its share of the nano-AIU of all legs (``None`` when that is 0).

    ``unmetered`` of its legs have no known cost.
    """

    legs: int
    nano_aiu: int
    share: float | None
    unmetered: int


class KindFigures(NamedTuple):
    """What one kind of leg cost: legs and nano-AIU; ``unmetered`` of the legs have no known cost."""

    legs: int
    nano_aiu: int
    unmetered: int


class PatternFigures(NamedTuple):
    """The turns of one pattern: how many, their nano-AIU, the median nano-AIU of one, the mean wall time in seconds.

    ``unmetered`` of the turns have no known cost. Median and mean are over turns that are not open, since an open turn's
    figures are not final, and over those whose credits (median) or duration (mean) the log holds; ``None`` when there is
    none. The median of an even number of turns is the middle between two, rounded to a whole nano-AIU.
    """

    turns: int
    nano_aiu: int
    median_nano_aiu: int | None
    mean_seconds: float | None
    unmetered: int


class Tokens(NamedTuple):
    """Token counts; ``input`` already contains ``cached`` and ``cache_write``."""

    input: int
    output: int
    cached: int
    cache_write: int

    @property
    def fresh(self) -> int:
        """Input that came from no cache and went to none; never negative."""
        return max(0, self.input - self.cached - self.cache_write)


class Latency(NamedTuple):
    """Milliseconds; ``None`` when there was nothing to measure."""

    min: float | None
    mean: float | None
    max: float | None


def sessions(turns: Sequence[Turn]) -> int:
    """Distinct sessions among the turns."""
    return len({turn.session_id for turn in turns})


def open_turns(turns: Sequence[Turn]) -> int:
    """Turns whose end is still to come."""
    return sum(turn.is_open for turn in turns)


def compound_rate(turns: Sequence[Turn]) -> Rate:
    """Turns that more than one distinct model ran, of the turns with at least one leg."""
    part = sum(turn.compound for turn in turns)
    return _rate(part, sum(1 for turn in turns if turn.legs))


def judged(turns: Sequence[Turn]) -> int:
    """Judge legs that gave a verdict."""
    return sum(1 for turn in turns for leg in turn.legs if _is_verdict(leg))


def judge_rejections(turns: Sequence[Turn]) -> int:
    """Judge legs whose verdict was ``reject``."""
    return sum(1 for turn in turns for leg in turn.legs if _is_verdict(leg) and leg.verdict == "reject")


def judge_rejection_rate(turns: Sequence[Turn]) -> Rate:
    """Judge legs whose verdict was ``reject``, of the judge legs that gave a verdict."""
    return _rate(judge_rejections(turns), judged(turns))


def nano_aiu(turns: Sequence[Turn]) -> int:
    """Nano-AIU of all turns: each turn's roll-up where the CLI wrote one, else the sum of its legs so far."""
    return sum(turn.nano_aiu or 0 for turn in turns)


def known_nano_aiu(turns: Sequence[Turn]) -> int | None:
    """Nano-AIU of all turns, or ``None`` where there are turns and the log says the credits of none of them."""
    return None if turns and unmetered_turns(turns) == len(turns) else nano_aiu(turns)


def review_share(turns: Sequence[Turn]) -> Rate:
    """Nano-AIU spent on legs that are not the answer leg, of the nano-AIU of all turns.

    Of an open turn, which has no answer leg yet, only legs in the review scope count in the part.
    """
    return _rate(sum(turn.review_nano_aiu for turn in turns), nano_aiu(turns))


def not_itemised(turns: Sequence[Turn]) -> int:
    """Nano-AIU that roll-ups count and no leg explains: the sum of the positive differences of roll-up and legs."""
    return sum(max(0, turn.difference_nano_aiu) for turn in turns)


def unmetered_legs(turns: Sequence[Turn]) -> int:
    """Legs whose credits the log does not say."""
    return sum(1 for turn in turns for leg in turn.legs if leg.nano_aiu is None)


def unmetered_turns(turns: Sequence[Turn]) -> int:
    """Turns whose credits the log does not say: no roll-up, and no metered leg."""
    return sum(1 for turn in turns if turn.nano_aiu is None)


def requests(turns: Sequence[Turn]) -> int:
    """Model calls: each turn's roll-up where the CLI wrote one, else the sum of its legs."""
    return sum(turn.requests for turn in turns)


def tokens(turns: Sequence[Turn]) -> Tokens:
    """Tokens of all legs, failed ones too: they were spent."""
    taken = given = cached = written = 0
    for turn in turns:
        for leg in turn.legs:
            taken += leg.input_tokens
            given += leg.output_tokens
            cached += leg.cached_tokens
            written += leg.cache_write_tokens
    return Tokens(taken, given, cached, written)


def routing_latency(turns: Sequence[Turn]) -> Latency:
    """Least, mean and greatest milliseconds that routing took, over the turns whose log says it; failed routes too."""
    return latency_of([turn.routing_latency_ms for turn in turns if turn.routing_latency_ms is not None])


def latency_of(latencies: Sequence[float]) -> Latency:
    """Least, mean and greatest of these milliseconds."""
    if not latencies:
        return Latency(None, None, None)
    return Latency(min(latencies), fmean(latencies), max(latencies))


def by_model(turns: Sequence[Turn]) -> dict[str, ModelFigures]:
    """Legs, nano-AIU and share by the model that ran the leg; most nano-AIU first, then by name."""
    found = _legs_by_name([(leg.model, leg) for turn in turns for leg in turn.legs])
    whole = sum(each.nano_aiu for each in found.values())
    return {
        model: ModelFigures(each.legs, each.nano_aiu, _rate(each.nano_aiu, whole).value, each.unmetered)
        for model, each in found.items()
    }


def by_kind(turns: Sequence[Turn]) -> dict[str, KindFigures]:
    """Legs and nano-AIU by kind of leg; most nano-AIU first, then by name."""
    return _legs_by_name([(leg.kind, leg) for turn in turns for leg in turn.legs])


def by_pattern(turns: Sequence[Turn]) -> dict[str, PatternFigures]:
    """Turns, nano-AIU, median and mean wall time by pattern; most turns first, then by name.

    Patterns are never thrown together; a turn whose route failed is ``not fused``, one without one in the log ``unknown``.
    """
    groups: dict[str, list[Turn]] = {}
    for turn in turns:
        groups.setdefault(turn.pattern_name, []).append(turn)
    figures = {pattern: _pattern_figures(group) for pattern, group in groups.items()}
    return dict(sorted(figures.items(), key=lambda item: (-item[1].turns, item[0])))


def cost_per_second(leg: Leg) -> int | None:
    """Nano-AIU for each second that a leg ran, rounded; ``None`` where its cost is unknown or it took no time."""
    return None if leg.nano_aiu is None or leg.duration_ms <= 0 else round(leg.nano_aiu * 1000 / leg.duration_ms)


def _pattern_figures(turns: Sequence[Turn]) -> PatternFigures:
    total = unmetered = 0
    final: list[int] = []
    durations: list[float] = []
    for turn in turns:
        spent = turn.nano_aiu
        total += spent or 0
        unmetered += spent is None
        if turn.is_open:
            continue
        if spent is not None:
            final.append(spent)
        if turn.duration_ms is not None:
            durations.append(turn.duration_ms)
    return PatternFigures(
        turns=len(turns),
        nano_aiu=total,
        median_nano_aiu=round(median(final)) if final else None,
        mean_seconds=fmean(durations) / 1000 if durations else None,
        unmetered=unmetered,
    )


def _is_verdict(leg: Leg) -> bool:
    return leg.kind == "judge" and bool(leg.verdict)


def _rate(part: int, whole: int) -> Rate:
    return Rate(part, whole, part / whole if whole else None)


def _legs_by_name(named: Sequence[tuple[str, Leg]]) -> dict[str, KindFigures]:
    legs: dict[str, int] = {}
    spent: dict[str, int] = {}
    unmetered: dict[str, int] = {}
    for name, leg in named:
        legs[name] = legs.get(name, 0) + 1
        if leg.nano_aiu is None:
            unmetered[name] = unmetered.get(name, 0) + 1
        else:
            spent[name] = spent.get(name, 0) + leg.nano_aiu
    found = {name: KindFigures(legs[name], spent.get(name, 0), unmetered.get(name, 0)) for name in legs}
    return dict(sorted(found.items(), key=lambda item: (-item[1].nano_aiu, item[0])))
