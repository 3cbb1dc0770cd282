"""``what-if``: what turns would have cost on one model, and whether checking drafts paid."""

from __future__ import annotations

import argparse

from fusionscope import options
from fusionscope.commands.places import FailedError, console, roots_of, store_of, why_empty, write_as_is
from fusionscope.store.read import Selection

__all__ = ["what_if"]


def what_if(parsed: argparse.Namespace) -> int:
    from fusionscope.report.prices import Refusal, prices_by_model
    from fusionscope.report.what_if import comparable, turn_costs, what_if
    from fusionscope.report.worth import review_worth
    from fusionscope.store.lean import lean_turns

    parsed.on, parsed.model = parsed.model, None
    selection = options.selected(parsed)
    with store_of(parsed) as connection:
        everything = lean_turns(connection)
        if not (everything or parsed.json):
            print(why_empty(connection, roots_of(parsed)))
            return 0
        turns = everything if selection == Selection() else lean_turns(connection, selection)
    found = prices_by_model(everything)
    if parsed.on is not None:
        found = [each for each in found if each.model == parsed.on]
        if not found:
            raise FailedError(f"No leg of {parsed.on!r} is in the database; `fusionscope summary --by model` lists the models.")
        if isinstance(found[0], Refusal):
            raise FailedError(f"The prices of {parsed.on} cannot be told: {found[0].sentence}")
    priced = comparable(turns)
    costs = {each.model: turn_costs(priced, each) for each in found if not isinstance(each, Refusal)}
    sums = [what_if(costs[each.model], each) for each in found if not isinstance(each, Refusal)]
    refusals = [each for each in found if isinstance(each, Refusal)]
    worth = review_worth(turns)
    of_turns = costs[parsed.on] if parsed.on is not None else []
    if parsed.json:
        from fusionscope.report.files_what_if import what_if_json

        write_as_is(what_if_json(len(turns), sums, refusals, of_turns, worth))
    else:
        from fusionscope.report.terminal_canvas import canvas_for, draw
        from fusionscope.report.terminal_what_if import what_if_lines

        screen = console()
        draw(screen, what_if_lines(canvas_for(screen, parsed.zone), len(turns), sums, refusals, of_turns, worth))
    return 0
