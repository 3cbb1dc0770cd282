"""All the figures of ``summary``, from turns in memory or from sums: one shape for both."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fusionscope.model import Turn
from fusionscope.report import figures, ordinary, summed
from fusionscope.report.figures import KindFigures, Latency, ModelFigures, PatternFigures, Rate, Tokens
from fusionscope.report.ordinary import Median
from fusionscope.report.summed import Sums, add_up
from fusionscope.store import read, totals
from fusionscope.store.read import Selection

__all__ = ["Summary", "of_selection", "of_sums", "of_turns"]


class Summary(NamedTuple):
    """The figures; each is that of the function of its name in ``figures``. ``rejections`` is the judge rejection rate.

    ``fusion_median`` is that of ``ordinary``. ``extent``: when the first and the last turn started (ms), ``None`` without
    turns; it and ``not_itemised`` are also ``None`` where nobody asked for them.
    """

    turns: int
    sessions: int
    compound: Rate
    rejections: Rate
    nano_aiu: int
    review: Rate
    requests: int
    tokens: Tokens
    by_pattern: Mapping[str, PatternFigures]
    by_model: Mapping[str, ModelFigures]
    by_kind: Mapping[str, KindFigures]
    routing_latency: Latency
    open_turns: int
    known_nano_aiu: int | None
    unmetered_legs: int
    fusion_median: Median
    extent: tuple[int, int] | None
    not_itemised: int | None


def of_selection(connection: sqlite3.Connection, selection: Selection) -> Summary:
    """Return the figures of the selected turns; a number of turns alone has them loaded."""
    if selection.limit is not None:
        return of_turns(read.turns(connection, selection))
    return of_sums(
        add_up(connection, selection),
        totals.sessions(connection, selection),
        figures.latency_of(totals.routing_latencies(connection, selection)),
        totals.extent(connection, selection),
        totals.not_itemised(connection, selection),
    )


def of_turns(turns: Sequence[Turn]) -> Summary:
    """Return the figures of these turns."""
    return Summary(
        turns=len(turns),
        sessions=figures.sessions(turns),
        compound=figures.compound_rate(turns),
        rejections=figures.judge_rejection_rate(turns),
        nano_aiu=figures.nano_aiu(turns),
        review=figures.review_share(turns),
        requests=figures.requests(turns),
        tokens=figures.tokens(turns),
        by_pattern=figures.by_pattern(turns),
        by_model=figures.by_model(turns),
        by_kind=figures.by_kind(turns),
        routing_latency=figures.routing_latency(turns),
        open_turns=figures.open_turns(turns),
        known_nano_aiu=figures.known_nano_aiu(turns),
        unmetered_legs=figures.unmetered_legs(turns),
        fusion_median=ordinary.fusion_median(turns),
        extent=(min(turn.started_at for turn in turns), max(turn.started_at for turn in turns)) if turns else None,
        not_itemised=figures.not_itemised(turns),
    )


def of_sums(
    sums: Sums,
    sessions: int,
    routing_latency: Latency,
    extent: tuple[int, int] | None = None,
    not_itemised: int | None = None,
) -> Summary:
    """Return the figures of the turns that ``sums`` are of; what sums do not have is told."""
    totals = summed.totals(sums)
    return Summary(
        turns=totals.turns,
        sessions=sessions,
        compound=summed.compound_rate(totals),
        rejections=summed.judge_rejection_rate(totals),
        nano_aiu=totals.nano_aiu,
        review=summed.review_share(totals),
        requests=totals.requests,
        tokens=summed.tokens(sums),
        by_pattern=summed.by_pattern(sums),
        by_model=summed.by_model(sums),
        by_kind=summed.by_kind(sums),
        routing_latency=routing_latency,
        open_turns=totals.open,
        known_nano_aiu=summed.known_nano_aiu(totals),
        unmetered_legs=sum(leg.unmetered for leg in sums.legs.values()),
        fusion_median=summed.fusion_median(sums),
        extent=extent,
        not_itemised=not_itemised,
    )
