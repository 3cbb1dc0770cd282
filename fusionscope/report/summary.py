"""All the figures of ``summary``, from turns in memory or from sums: one shape for both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fusionscope.model import Turn
from fusionscope.report import figures, summed
from fusionscope.report.figures import KindFigures, Latency, ModelFigures, PatternFigures, Rate, Tokens
from fusionscope.report.summed import Sums

__all__ = ["Summary", "of_sums", "of_turns"]


class Summary(NamedTuple):
    """The figures; each is that of the function of its name in ``figures``. ``rejections`` is the judge rejection rate."""

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
    )


def of_sums(sums: Sums, sessions: int, routing_latency: Latency) -> Summary:
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
    )
