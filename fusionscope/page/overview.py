"""The overview: headline figures of a range, and where its credits went."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from fusionscope.page import colours, tables
from fusionscope.page.chosen import before, choose, sums
from fusionscope.page.filters import RANGES, Filters
from fusionscope.page.headline import headline
from fusionscope.page.moment import moment
from fusionscope.page.over_time import mean_turns, parts, pattern_mix
from fusionscope.page.render import render
from fusionscope.page.turns import rows
from fusionscope.report import summed
from fusionscope.report.summed_worth import worth_of_review
from fusionscope.store import listing, totals

__all__ = ["overview"]

_NEWEST = 6

_SINGLE = "single"


def overview(request: Request) -> Response:
    """``/``."""
    now = datetime.now().astimezone()
    with moment(request) as recall:
        connection = recall.connection
        chosen = choose(connection, Filters.of(request.query_params), now)
        found = sums(recall, chosen.selection, chosen.parts)
        earlier = before(recall, chosen.selection, now)
        known = {"pattern": totals.patterns(connection), "model": totals.models(connection)}
        context: dict[str, Any] = {
            "known": {**known, "repository": totals.repositories(connection), "client": totals.clients(connection)},
            "paint": colours.paint(known["model"], colours.MODELS),
            "shade": colours.paint(known["pattern"], colours.PATTERNS),
            "recent": rows(listing.page(connection, chosen.selection, limit=_NEWEST).turns),
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
        figures=headline(all_turns, earlier and earlier[0]),
        before=earlier and earlier[1:],
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
