"""What an address selects."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from fusionscope.page.filters import Filters, midnight
from fusionscope.store.read import Selection

TODAY = date(2026, 11, 30)
#: 2026-11-30T00:00:00 in the zone of the tests' machine
MIDNIGHT = midnight(TODAY)


def test_a_range_has_whole_days_with_today() -> None:
    for name, days in (("today", 1), ("7d", 7), ("30d", 30)):
        first = date.fromordinal(TODAY.toordinal() - days + 1)
        assert Filters.of({"range": name}).selection(TODAY) == Selection(since=midnight(first))
    assert Filters.of({"range": "all"}).selection(TODAY) == Selection()
    assert Filters.of({}).selection(TODAY) == Selection()


def test_the_last_day_of_a_range_is_in_it() -> None:
    found = Filters.of({"since": "2026-11-29", "until": "2026-11-30"}).selection(TODAY)
    assert found.until is not None
    assert (found.since, MIDNIGHT) == (midnight(date(2026, 11, 29)), midnight(date(2026, 11, 30)))
    assert found.until == midnight(date(2026, 12, 1))


def test_days_win_over_a_range() -> None:
    assert Filters.of({"range": "7d", "since": "2026-11-29"}).range == ""
    assert Filters.of({"range": "7d", "since": "no day"}).range == "7d"


def test_what_is_no_filter_is_not_asked_for() -> None:
    assert Filters.of({"range": "9d", "since": "2026-02-30", "until": "0001-01-01", "utm_source": "x"}) == Filters()


def test_filters_and_their_query_are_the_same() -> None:
    assert Filters.of({"client": "github/cli"}).selection(TODAY) == Selection(client="github/cli")
    filters = Filters.of({"pattern": "single", "q": " a&b ", "range": "7d"})
    assert filters.query() == "?range=7d&pattern=single&q=a%26b"
    assert filters.query(sort="credits", pattern="") == "?range=7d&q=a%26b&sort=credits"
    assert filters.with_range("all") == "?range=all&pattern=single&q=a%26b"
    assert Filters().query() == ""
    assert (filters.narrowed, Filters(range="7d").narrowed) == (True, False)


@given(st.dictionaries(st.sampled_from([*Filters._fields, "sort"]), st.text(max_size=300)))
def test_no_query_is_an_error(query: dict[str, str]) -> None:
    filters = Filters.of(query)
    filters.selection(TODAY).where()
    assert all(len(value) <= 200 for value in filters)
