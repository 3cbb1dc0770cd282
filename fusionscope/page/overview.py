"""The overview: headline figures of a range, and where its credits went."""

from __future__ import annotations

import sqlite3
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from fusionscope.page import colours, tables
from fusionscope.page.buckets import Bucket, buckets
from fusionscope.page.filters import DEFAULT_RANGE, RANGES, Filters, midnight
from fusionscope.page.headline import headline
from fusionscope.page.ledger import Ledger
from fusionscope.page.over_time import mean_turns, parts, pattern_mix
from fusionscope.page.render import as_json, render
from fusionscope.page.turns import rows
from fusionscope.report import files, summed
from fusionscope.report.worth import worth_of_review
from fusionscope.store import listing, read, totals
from fusionscope.store.read import Selection
from fusionscope.store.totals import Totals

__all__ = ["Overview", "summary_json"]

_NEWEST = 8

_SINGLE = "single"


class _Chosen(NamedTuple):
    """What is looked at: the filters with a range in any case, the turns, and the parts that the charts have."""

    filters: Filters
    selection: Selection
    unit: str
    parts: list[Bucket]


class Overview:
    """``/``; keeps what it has added up."""

    def __init__(self) -> None:
        self._ledger = Ledger()

    def view(self, request: Request) -> Response:
        """The answer to a request."""
        now = datetime.now().astimezone()
        with request.app.state.store.read() as connection:
            chosen = _choose(connection, Filters.of(request.query_params), now)
            found = self._ledger.sums(connection, chosen.selection, [part[:2] for part in chosen.parts])
            before = self._before(connection, chosen, now)
            context: dict[str, Any] = {
                "known": {
                    "pattern": totals.patterns(connection),
                    "model": totals.models(connection),
                    "repository": totals.repositories(connection),
                },
                "paint": colours.of_models(connection),
                "shade": colours.of_patterns(connection),
                "recent": rows(listing.page(connection, chosen.selection, limit=_NEWEST).turns),
                "unknown": read.unknown_types(connection),
            }
            order = totals.patterns(connection)
        sums = summed.together(found)
        patterns = summed.by_pattern(sums)
        single = patterns.get(_SINGLE)
        timed = parts(chosen.parts, found, [name for name in order if name in patterns])
        return render(
            request,
            "overview.html",
            **context,
            filters=chosen.filters,
            ranges=RANGES,
            unit=chosen.unit,
            begins=chosen.parts[0].since if chosen.parts else None,
            figures=headline(summed.totals(sums), before and before[0]),
            before=before and before[1:],
            turns=summed.totals(sums).turns,
            parts_of_time=timed,
            mean_turns=mean_turns(timed),
            mix=pattern_mix(timed, context["shade"]),
            by_pattern=tables.patterns(patterns),
            by_model=tables.models(summed.by_model(sums)),
            by_kind=tables.kinds(summed.by_kind(sums)),
            ledger=tables.ledger(sums.legs.values()),
            worth=tables.worth(worth_of_review(sums.checks.values(), single and single.median_nano_aiu)),
        )

    def _before(self, connection: sqlite3.Connection, chosen: _Chosen, now: datetime) -> tuple[Totals, date, date] | None:
        """The totals of as many days right before the range, with the first and the last of them."""
        selection = chosen.selection
        if selection.since is None:
            return None
        until = selection.until or midnight(now.date() + timedelta(days=1))
        first, behind = (datetime.fromtimestamp(moment / 1000).astimezone().date() for moment in (selection.since, until))
        if behind <= first:
            return None
        begin = first - (behind - first)
        since = midnight(begin)
        found = self._ledger.sums(connection, selection, [part[:2] for part in buckets(since, selection.since)[1]])
        return summed.totals(summed.together(found)), begin, first - timedelta(days=1)


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
