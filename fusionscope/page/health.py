"""Whether everything is read, understood and sent: what `doctor` and `status` say, what was skipped, what is not known."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from fusionscope.page.memory import Recall
from fusionscope.page.moment import drift_of, moment
from fusionscope.page.render import render
from fusionscope.page.settings import PageSettings
from fusionscope.report import doctor, status
from fusionscope.report.doctor_findings import Check
from fusionscope.report.drift import spelled
from fusionscope.report.text import plural, shown
from fusionscope.store import read
from fusionscope.store.outbox import Delivery, deliveries
from fusionscope.store.seen import seen
from fusionscope.store.status import progress, store_status

__all__ = ["health"]

_RECORDS = 100
_WORDS = 50


class _Unknown(NamedTuple):
    """Words with what has them, and how many more there are."""

    rows: list[tuple[str, str]]
    left_out: int


def health(request: Request) -> Response:
    """``/health``."""
    settings: PageSettings = request.app.state.settings
    with moment(request) as recall:
        connection = recall.connection
        sending = deliveries(connection)
        checks = _checks(recall, settings, sending)
        found = status.Status(
            settings.database,
            os.getpid() if settings.follower else None,
            settings.roots,
            store_status(connection),
            sending,
        )
        skipped = read.skipped_records(connection, _RECORDS)
        unknown = _unknown(recall)
    return render(
        request,
        "health.html",
        checks=checks,
        result=doctor.result(checks),
        lines=list(status.lines(found)),
        skipped=[(record.path.decode(errors="backslashreplace"), record) for record in skipped],
        skipped_count=found.store.skipped_records,
        unknown=unknown,
    )


def _checks(recall: Recall, settings: PageSettings, sending: Sequence[Delivery]) -> Sequence[Check]:
    """What `doctor` says, where whoever started the page can tell."""
    if settings.checks is None:
        return ()
    connection = recall.connection
    question = ("seen", progress(connection))
    return settings.checks(connection, recall.find(question, partial(seen, connection, drift_of(recall))), sending)


def _unknown(recall: Recall) -> _Unknown:
    """What this release does not know: words of turns, and event types of any kind; the most frequent first."""
    drift, types = drift_of(recall), read.unknown_types(recall.connection)
    words = sorted(drift.words.items(), key=lambda item: (-item[1], item[0]))
    alone = [(name, events) for name, events in types.items() if name not in drift.words]
    others = sorted(alone, key=lambda item: (_is_of_others(item[0]), -item[1], item[0]))
    rows = [(spelled(word), plural(turns, "turn")) for word, turns in words]
    rows += [(_spelled_type(name), plural(events, "event")) for name, events in others]
    return _Unknown(rows[:_WORDS], max(0, len(rows) - _WORDS))


def _spelled_type(name: str) -> str:
    return f"event type {shown(name, 60)}" if _is_of_others(name) else spelled(name)


def _is_of_others(event_type: str) -> bool:
    """Whether an event type has nothing to do with Fusion."""
    return ".fusion_" not in event_type
