"""What happened part by part of a range: the charts over time and the table that says the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fusionscope.model import UNKNOWN
from fusionscope.model import credits as in_credits
from fusionscope.page.buckets import Bucket
from fusionscope.page.charts import Chart, columns
from fusionscope.page.colours import Paint
from fusionscope.report import summed
from fusionscope.report.summed import Sums
from fusionscope.report.text import count, credits, plural, rfc3339, shown

__all__ = ["OTHERS", "Mix", "Part", "Parts", "mean_turns", "parts", "pattern_mix"]

OTHERS = "others"

#: patterns that have a colour of their own
_NAMED = 4


class Part(NamedTuple):
    """One part of the range: turns, nano-AIU, the mean turn, and turns by the patterns of ``Parts.patterns``."""

    bucket: Bucket
    turns: int
    nano_aiu: int
    mean_nano_aiu: int | None
    by_pattern: list[int]


class Parts(NamedTuple):
    """All parts; ``patterns`` are those that are told apart, the last of them ``others`` where there are more."""

    patterns: list[str]
    parts: list[Part]


class Mix(NamedTuple):
    """The chart of the patterns, and the class of each in its legend."""

    chart: Chart
    legend: list[tuple[str, str]]


def parts(cut: Sequence[Bucket], sums: Sequence[Sums], patterns: Sequence[str]) -> Parts:
    """Return the parts ``cut`` with their ``sums``; ``patterns`` are those of the range, in the order of their colours."""
    unknown = any(name is None for each in sums for name in each.patterns)
    names = [*patterns, *([UNKNOWN] if unknown else [])]
    told = names if len(names) <= _NAMED + 1 else [*names[:_NAMED], OTHERS]
    found = []
    for bucket, each in zip(cut, sums, strict=True):
        totals = summed.totals(each)
        turns = {name or UNKNOWN: part.turns for name, part in each.patterns.items()}
        by_pattern = [turns.get(name, 0) for name in told if name != OTHERS]
        if told and told[-1] == OTHERS:
            by_pattern.append(totals.turns - sum(by_pattern))
        found.append(Part(bucket, totals.turns, totals.nano_aiu, summed.mean_nano_aiu(totals), by_pattern))
    return Parts(told, found)


def _labels(timed: Parts) -> list[tuple[str, str | None]]:
    """What stands below the columns; hours are told in the reader's zone."""
    return [(part.bucket.short, rfc3339(part.bucket.since) if ":" in part.bucket.label else None) for part in timed.parts]


def mean_turns(timed: Parts) -> Chart:
    """Return the chart of credits per turn: a column is the mean turn of its part."""
    return columns(
        [[(in_credits(part.mean_nano_aiu or 0), "mean")] for part in timed.parts],
        [
            f"{part.bucket.label}: {credits(part.mean_nano_aiu)} credits a turn, {plural(part.turns, 'turn')}"
            for part in timed.parts
        ],
        _labels(timed),
    )


def pattern_mix(timed: Parts, shade: Paint) -> Mix:
    """Return the chart of the share that each pattern has of the turns of a part."""
    legend = [(shown(name, 40), shade(name)) for name in timed.patterns]
    stacks, titles = [], []
    for part in timed.parts:
        shares = [number / part.turns if part.turns else 0.0 for number in part.by_pattern]
        stacks.append([(share, colour) for share, (_, colour) in zip(shares, legend, strict=True)])
        said = ", ".join(
            f"{count(number)} {shown(name, 20)}" for number, (name, _) in zip(part.by_pattern, legend, strict=True) if number
        )
        titles.append(f"{part.bucket.label}: {said}")
    return Mix(columns(stacks, titles, _labels(timed), top=1.0), legend)
