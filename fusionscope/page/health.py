"""Whether everything is read, understood and sent: what `status` says, what was skipped, what is not known."""

from __future__ import annotations

import os

from starlette.requests import Request
from starlette.responses import Response

from fusionscope.page.render import render
from fusionscope.report import status
from fusionscope.store import read
from fusionscope.store.outbox import deliveries
from fusionscope.store.status import store_status

__all__ = ["health"]

_RECORDS = 100


def health(request: Request) -> Response:
    """``/health``."""
    settings = request.app.state.settings
    with request.app.state.store.read() as connection:
        found = status.Status(
            settings.database,
            os.getpid() if settings.follower else None,
            settings.roots,
            store_status(connection),
            deliveries(connection),
        )
        skipped = read.skipped_records(connection, _RECORDS)
        unknown = read.unknown_types(connection)
    return render(
        request,
        "health.html",
        lines=list(status.lines(found)),
        skipped=[(record.path.decode(errors="backslashreplace"), record) for record in skipped],
        skipped_count=found.store.skipped_records,
        unknown=unknown,
    )
