"""What an address selects: the query parameters of the overview and of the turns, and addresses made of them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from urllib.parse import urlencode

from fusionscope.store.read import Selection

__all__ = ["DEFAULT_RANGE", "RANGES", "Filters", "midnight"]

#: name -> what it is called, and how many days it has with today; ``None``: all there are
RANGES: dict[str, tuple[str, int | None]] = {
    "today": ("Today", 1),
    "7d": ("7 days", 7),
    "30d": ("30 days", 30),
    "all": ("All", None),
}
DEFAULT_RANGE = "30d"

_LONGEST = 200
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TEXTS = ("pattern", "model", "state", "session", "repository", "client", "q")


class Filters(NamedTuple):
    """What was asked for; ``""`` is nothing. ``since`` and ``until`` are days, both included; ``range`` is one of ``RANGES``.

    What is no range and no day counts as not asked for, so that no address is an error.
    """

    range: str = ""
    since: str = ""
    until: str = ""
    pattern: str = ""
    model: str = ""
    state: str = ""
    session: str = ""
    repository: str = ""
    client: str = ""
    q: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Filters:
        """The filters in a query."""
        texts = {name: query.get(name, "").strip()[:_LONGEST] for name in _TEXTS}
        days = {name: query.get(name, "") for name in ("since", "until")}
        range = query.get("range", "")
        return cls(
            range=range if range in RANGES and not any(map(_day, days.values())) else "",
            **{name: text if _day(text) else "" for name, text in days.items()},
            **texts,
        )

    @property
    def has_days(self) -> bool:
        """Whether a range of days was asked for by its ends."""
        return bool(self.since or self.until)

    @property
    def narrowed(self) -> bool:
        """Whether anything but a range was asked for."""
        return any(self[3:])

    def selection(self, today: date) -> Selection:
        """The turns that are asked for; days begin at midnight of this machine's zone."""
        since, until = _day(self.since), _day(self.until)
        days = RANGES[self.range][1] if self.range else None
        if days is not None:
            since = today - timedelta(days=days - 1)
        return Selection(
            since=midnight(since) if since else None,
            until=midnight(until + timedelta(days=1)) if until else None,
            session=self.session or None,
            pattern=self.pattern or None,
            model=self.model or None,
            state=self.state or None,
            repository=self.repository or None,
            client=self.client or None,
            part=self.q or None,
        )

    def query(self, **changes: str) -> str:
        """These filters as a query, with ``changes`` (also of parameters that are no filter): ``?range=7d``, or nothing."""
        wanted = {**self._asdict(), **changes}
        given = {name: text for name, text in wanted.items() if text}
        return f"?{urlencode(given)}" if given else ""

    def with_range(self, name: str) -> str:
        """These filters as a query, with another range."""
        return self.query(range=name, since="", until="")


def midnight(day: date) -> int:
    """When a day begins in this machine's zone: ms UTC."""
    return (datetime.combine(day, time()).astimezone(UTC) - _EPOCH) // timedelta(milliseconds=1)


def _day(text: str) -> date | None:
    """The day that ``2026-09-09`` names, where a calendar has its neighbours too."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if 1971 <= day.year <= 9000 else None
