"""The views of figures over the field report, and the files that hold what they look like.

``python -m tests.report.views`` writes the files again: look at what changed before committing it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

from rich.text import Text

from fusionscope.report.budget import budget
from fusionscope.report.compare import compare
from fusionscope.report.days import Month
from fusionscope.report.groups import group_by
from fusionscope.report.prices import Prices, Refusal, prices_by_model
from fusionscope.report.terminal_budget import budget_lines
from fusionscope.report.terminal_canvas import Canvas
from fusionscope.report.terminal_compare import comparison_lines
from fusionscope.report.terminal_groups import groups_lines
from fusionscope.report.terminal_what_if import what_if_lines
from fusionscope.report.what_if import comparable, turn_costs, what_if
from fusionscope.report.worth import review_worth
from tests.report.field_report import field_report
from tests.report.screen import canvas

__all__ = ["VIEWS", "WIDTHS", "file_of", "seen"]

View = Callable[[Canvas], list[Text]]

WIDTHS = (80, 120)


def _groups(*keys: str) -> View:
    return lambda canvas: groups_lines(canvas, group_by(field_report(), keys, UTC), "UTC")


def _compare(canvas: Canvas) -> list[Text]:
    return comparison_lines(canvas, compare(field_report()[:12], field_report()[12:]), "the first half", "the second half")


def _what_if(canvas: Canvas) -> list[Text]:
    found, turns = prices_by_model(field_report()), comparable(field_report())
    sums = [what_if(turn_costs(turns, each), each) for each in found if isinstance(each, Prices)]
    refusals = [each for each in found if isinstance(each, Refusal)]
    return what_if_lines(canvas, len(field_report()), sums, refusals, [], review_worth(field_report()))


def _what_if_by_turn(canvas: Canvas) -> list[Text]:
    prices = prices_by_model(field_report())[0]
    assert isinstance(prices, Prices)
    costs = turn_costs(comparable(field_report()), prices)
    return what_if_lines(canvas, 24, [what_if(costs, prices)], [], costs, review_worth(field_report()))


def _budget(canvas: Canvas) -> list[Text]:
    now = round(datetime(2026, 9, 10, 12, tzinfo=UTC).timestamp() * 1000)
    return budget_lines(canvas, budget(field_report(), [], Month(date(2026, 9, 1), UTC), now, 700 * 10**9))


VIEWS: dict[str, View] = {
    "by-model": _groups("model"),
    "by-pair": _groups("pair"),
    "by-day-pattern": _groups("day", "pattern"),
    "by-kind-model": _groups("kind", "model"),
    "compare": _compare,
    "what-if": _what_if,
    "what-if-by-turn": _what_if_by_turn,
    "budget": _budget,
}


def seen(name: str, width: int) -> str:
    """What a view looks like in so many columns, without colours."""
    return "".join(f"{line.plain}\n" for line in VIEWS[name](canvas(width)))


def file_of(name: str, width: int) -> Path:
    """Where it is written what the view looked like when somebody looked at it."""
    return Path(__file__).parent / "golden" / f"{name}-{width}.txt"


if __name__ == "__main__":
    for name in VIEWS:
        for width in WIDTHS:
            file_of(name, width).write_text(seen(name, width), encoding="utf-8")
