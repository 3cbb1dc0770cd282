"""The figures of the selected turns as JSON."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from fusionscope.page import chosen
from fusionscope.page.filters import Filters
from fusionscope.page.moment import drift_of, moment
from fusionscope.page.render import as_json
from fusionscope.report import files, summary
from fusionscope.report.figures import latency_of
from fusionscope.store import read, totals

__all__ = ["summary_json"]


def summary_json(request: Request) -> Response:
    """``/api/summary``: the figures of the selected turns as ``summary --json`` writes them; all turns without a filter.

    Those without Fusion are not among them.
    """
    today = datetime.now().astimezone().date()
    selection = Filters.of(request.query_params).selection(today)
    with moment(request) as recall:
        connection = recall.connection
        _, parts = chosen.span(connection, selection, today)
        found = chosen.sums(recall, selection, parts).whole
        ends = (selection.since, selection.until)
        sessions = recall.find(("sessions of", selection), partial(totals.sessions, connection, selection), *ends)
        latencies = partial(totals.routing_latencies, connection, selection)
        latency = recall.find(("latency", selection), lambda: latency_of(latencies()), *ends)
        skipped, drift = read.skipped_count(connection), drift_of(recall)
    return as_json(files.summary_object(summary.of_sums(found, sessions, latency), skipped, drift))
