"""What the overview looks at: a range of turns in the parts that its charts have, and the sums of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import partial
from typing import NamedTuple

from fusionscope.page.buckets import Bucket, buckets
from fusionscope.page.filters import DEFAULT_RANGE, Filters, midnight
from fusionscope.page.memory import Recall
from fusionscope.report import summed
from fusionscope.report.summed import NONE, Sums, add_up, together
from fusionscope.store import totals
from fusionscope.store.read import Selection
from fusionscope.store.totals import Totals

__all__ = ["Chosen", "PartSums", "before", "choose", "span", "sums"]


class Chosen(NamedTuple):
    """What is looked at: the filters with a range in any case, the turns, and the parts that the charts have."""

    filters: Filters
    selection: Selection
    unit: str
    parts: list[Bucket]


class PartSums(NamedTuple):
    """The sums of each part, and of all."""

    parts: list[Sums]
    whole: Sums


def choose(connection: sqlite3.Connection, filters: Filters, now: datetime) -> Chosen:
    """Without a range that was asked for, the usual one; where nothing is in it, all."""
    if not filters.range and not filters.has_days:
        filters = filters._replace(range=DEFAULT_RANGE)
        if totals.extent(connection, filters.selection(now.date())) is None:
            filters = filters._replace(range="all")
    selection = filters.selection(now.date())
    return Chosen(filters, selection, *span(connection, selection, now.date()))


def span(connection: sqlite3.Connection, selection: Selection, today: date) -> tuple[str, list[Bucket]]:
    """The parts of a selection's time, and what one is called; none where no turn is selected."""
    extent = totals.extent(connection, selection)
    if extent is None:
        return "day", []
    since = extent[0] if selection.since is None else selection.since
    # a turn may be of tomorrow where a clock went wrong: it is in every range that has no end
    until = selection.until or max(extent[1] + 1, 0 if selection.since is None else midnight(today + timedelta(days=1)))
    return buckets(since, until, whole=selection.since is None and selection.until is None)


def sums(recall: Recall, selection: Selection, cut: Sequence[Bucket]) -> PartSums:
    """The sums of the selected turns, in parts and together."""
    found: list[Sums] = []
    for part in cut:
        of_part = selection._replace(since=part.since, until=part.until)
        there = recall.changes(part.since, part.until)
        found.append(
            recall.find(of_part, partial(add_up, recall.connection, of_part), part.since, part.until) if there else NONE
        )
    ends = (cut[0].since, cut[-1].until) if cut else (0, 0)
    whole = recall.find(("together", selection, ends, len(cut)), lambda: together(found), *ends)
    return PartSums(found, whole)


def before(recall: Recall, selection: Selection, now: datetime) -> tuple[Totals, date, date] | None:
    """The totals of as many days right before the range, with the first and the last of them."""
    if selection.since is None:
        return None
    until = selection.until or midnight(now.date() + timedelta(days=1))
    first, behind = (datetime.fromtimestamp(moment / 1000).astimezone().date() for moment in (selection.since, until))
    if behind <= first:
        return None
    begin = first - (behind - first)
    found = sums(recall, selection, buckets(midnight(begin), selection.since)[1])
    return summed.totals(found.whole), begin, first - timedelta(days=1)
