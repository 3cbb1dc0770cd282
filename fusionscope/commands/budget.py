"""``budget``: this month's spend against a limit; exit code 1 when it is over."""

from __future__ import annotations

import argparse
import re
from datetime import UTC, datetime

from fusionscope import options
from fusionscope.commands.places import console, store_of, warn, write_as_is
from fusionscope.model import NANO_AIU_PER_CREDIT
from fusionscope.store.read import Selection

__all__ = ["amount", "budget"]

_AMOUNT = re.compile(r"(\d{1,12})(?:\.(\d{1,9}))?")


def amount(text: str) -> int:
    """The value of ``--monthly``: credits, as nano-AIU."""
    found = _AMOUNT.fullmatch(text)
    nano_aiu = int(found[1]) * NANO_AIU_PER_CREDIT + int((found[2] or "").ljust(9, "0")) if found else 0
    if not nano_aiu:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of credits (7000)")
    return nano_aiu


def budget(parsed: argparse.Namespace) -> int:
    from fusionscope.report.budget import budget
    from fusionscope.report.days import month_of
    from fusionscope.report.terminal_budget import over, short_line
    from fusionscope.store.lean import lean_turns
    from fusionscope.store.ordinary import ordinary_turns

    today = datetime.now(UTC)
    now = options.moment(parsed.now or today.isoformat(), today, zone=parsed.zone)
    month = month_of(now, parsed.zone)
    with store_of(parsed) as connection:
        selection = Selection(since=month.begin, until=month.end, client=parsed.client)
        made = budget(lean_turns(connection, selection), ordinary_turns(connection, selection), month, now, parsed.monthly)
    if parsed.json:
        from fusionscope.report.files_budget import budget_json

        write_as_is(budget_json(made, options.zone_name(parsed.zone)))
    elif parsed.short:
        print(short_line(made, parsed.zone))
    else:
        from fusionscope.report.terminal_budget import budget_lines
        from fusionscope.report.terminal_canvas import canvas_for, draw

        screen = console()
        draw(screen, budget_lines(canvas_for(screen, parsed.zone), made))
    if made.is_over:
        warn([over(made)])
    return int(made.is_over)
