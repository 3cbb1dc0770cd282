"""What a view begins with: the store at one moment, what is remembered of it, and what every view must say of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from starlette.requests import Request

from fusionscope.page.memory import Recall
from fusionscope.report.drift import drift_sentence
from fusionscope.store.drift import Drift, drift, unknown_in_turns
from fusionscope.store.sums import DAY_MS

__all__ = ["drift_of", "moment"]


@contextmanager
def moment(request: Request) -> Iterator[Recall]:
    """The store as it is now; the view that is rendered for this request says what of it is not known.

    Raises:
        sqlite3.Error: there is no database, or it cannot be read now.
    """
    with request.app.state.store.read() as connection:
        recall = request.app.state.memory.of(connection)
        found = drift_of(recall)
        request.state.drift = drift_sentence(found.words, found.types)
        yield recall


def drift_of(recall: Recall) -> Drift:
    """What the logs say that this release does not know.

    Every view asks, so only the days that still change are looked at each by itself: those since the memory began.
    """
    began, connection = recall.began_at, recall.connection
    found: Counter[str] = Counter(recall.find("drift before", partial(unknown_in_turns, connection, None, began), until=began))
    for day in recall.days(began):
        since, until = day * DAY_MS, (day + 1) * DAY_MS
        found.update(recall.find(("drift", day), partial(unknown_in_turns, connection, since, until), since, until))
    return drift(connection, found)
