"""The command that compares the levels of the same money."""

from __future__ import annotations

import argparse

from fusionscope import options
from fusionscope.commands.places import FailedError, console, roots_of, store_of, why_empty, write_as_is

__all__ = ["reconcile"]


def reconcile(parsed: argparse.Namespace) -> int:
    from fusionscope.report import reconcile_files as files
    from fusionscope.store import ledger as store
    from fusionscope.store.forget import sessions_like
    from fusionscope.store.read import Selection

    with store_of(parsed) as connection:
        if parsed.session:
            found = sessions_like(connection, parsed.session)
            if len(found) > 1 and parsed.session not in found:
                raise FailedError(f"More than one session begins with {parsed.session}: {', '.join(found)}.")
            one = store.ledger(connection, parsed.session if parsed.session in found else found[0]) if found else None
            if one is None:
                raise FailedError(f"No session's id begins with {parsed.session!r}; `fusionscope reconcile` lists them.")
            if parsed.json:
                import json

                print(json.dumps(files.ledger_object(one), indent=2, allow_nan=False))
            else:
                from fusionscope.report.terminal import print_ledger

                print_ledger(console(), one)
            return 0
        selection = options.selected(parsed)
        ledgers = store.select(store.ledgers(connection), selection)
        if parsed.json:
            write_as_is(files.ledgers_json(ledgers))
        elif ledgers:
            from fusionscope.report.terminal import print_ledgers

            print_ledgers(console(), ledgers)
        elif selection == Selection():
            print(why_empty(connection, roots_of(parsed)))
        else:
            print("No session fits.")
    return 0
