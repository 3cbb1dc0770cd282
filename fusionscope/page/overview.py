"""The overview: headline figures of a range, and where its credits went."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from fusionscope.page import colours, tables
from fusionscope.page.buckets import Bucket, buckets
from fusionscope.page.filters import DEFAULT_RANGE, RANGES, Filters, midnight
from fusionscope.page.headline import headline
from fusionscope.page.memory import Recall
from fusionscope.page.over_time import mean_turns, parts, pattern_mix
from fusionscope.page.render import as_json, render
from fusionscope.page.turns import rows
from fusionscope.report import files, summed
from fusionscope.report.summed import NONE, Sums, add_up, together
from fusionscope.report.summed_worth import worth_of_review
from fusionscope.store import listing, read, totals
from fusionscope.store.read import Selection
from fusionscope.store.totals import Totals

__all__ = ["overview", "summary_json"]

_NEWEST = 6

_SINGLE = "single"


class _Sums(NamedTuple):
    """The sums of each part, and of all."""

    parts: list[Sums]
    whole: Sums


class _Chosen(NamedTuple):
    """What is looked at: the filters with a range in any case, the turns, and the parts that the charts have."""

    filters: Filters
    selection: Selection
    unit: str
    parts: list[Bucket]


def overview(request: Request) -> Response:
    """``/``."""
    now = datetime.now().astimezone()
    with request.app.state.store.read() as connection:
        recall = request.app.state.memory.of(connection)
        chosen = _choose(connection, Filters.of(request.query_params), now)
        found = _sums(recall, chosen.selection, chosen.parts)
        before = _before(recall, chosen, now)
        known = {"pattern": totals.patterns(connection), "model": totals.models(connection)}
        context: dict[str, Any] = {
            "known": {**known, "repository": totals.repositories(connection)},
            "paint": colours.paint(known["model"], colours.MODELS),
            "shade": colours.paint(known["pattern"], colours.PATTERNS),
            "recent": rows(listing.page(connection, chosen.selection, limit=_NEWEST).turns),
            "unknown": read.unknown_types(connection),
        }
    all_turns, patterns = summed.totals(found.whole), summed.by_pattern(found.whole)
    single = patterns.get(_SINGLE)
    timed = parts(chosen.parts, found.parts, [name for name in known["pattern"] if name in patterns])
    return render(
        request,
        "overview.html",
        **context,
        filters=chosen.filters,
        ranges=RANGES,
        unit=chosen.unit,
        begins=chosen.parts[0].since if chosen.parts else None,
        figures=headline(all_turns, before and before[0]),
        before=before and before[1:],
        turns=all_turns.turns,
        parts_of_time=timed,
        mean_turns=mean_turns(timed),
        mix=pattern_mix(timed, context["shade"]),
        by_pattern=tables.patterns(patterns),
        by_model=tables.models(summed.by_model(found.whole)),
        by_kind=tables.kinds(summed.by_kind(found.whole)),
        ledger=tables.ledger(found.whole.legs.values()),
        worth=tables.worth(worth_of_review(found.whole.checks.values(), single and single.median_nano_aiu)),
    )


def summary_json(request: Request) -> Response:
    """``/api/summary``: the figures of the selected turns as ``summary --json`` writes them; all turns without a filter."""
    selection = Filters.of(request.query_params).selection(datetime.now().astimezone().date())
    with request.app.state.store.read() as connection:
        turns, skipped = read.turns(connection, selection), read.skipped_count(connection)
    return as_json(files.summary_object(turns, skipped))


def _choose(connection: sqlite3.Connection, filters: Filters, now: datetime) -> _Chosen:
    """Without a range that was asked for, the usual one; where nothing is in it, all."""
    today = now.date()
    if not filters.range and not filters.has_days:
        filters = filters._replace(range=DEFAULT_RANGE)
        if totals.extent(connection, filters.selection(today)) is None:
            filters = filters._replace(range="all")
    selection = filters.selection(today)
    extent = totals.extent(connection, selection)
    if extent is None:
        return _Chosen(filters, selection, "day", [])
    since = extent[0] if selection.since is None else selection.since
    # a turn may be of tomorrow where a clock went wrong: it is in every range that has no end
    until = selection.until or max(extent[1] + 1, 0 if selection.since is None else midnight(today + timedelta(days=1)))
    unit, cut = buckets(since, until, whole=selection.since is None and selection.until is None)
    return _Chosen(filters, selection, unit, cut)


def _sums(recall: Recall, selection: Selection, cut: Sequence[Bucket]) -> _Sums:
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
    return _Sums(found, whole)


def _before(recall: Recall, chosen: _Chosen, now: datetime) -> tuple[Totals, date, date] | None:
    """The totals of as many days right before the range, with the first and the last of them."""
    selection = chosen.selection
    if selection.since is None:
        return None
    until = selection.until or midnight(now.date() + timedelta(days=1))
    first, behind = (datetime.fromtimestamp(moment / 1000).astimezone().date() for moment in (selection.since, until))
    if behind <= first:
        return None
    begin = first - (behind - first)
    found = _sums(recall, selection, buckets(midnight(begin), selection.since)[1])
    return summed.totals(found.whole), begin, first - timedelta(days=1)
