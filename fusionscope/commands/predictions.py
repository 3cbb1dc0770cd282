"""The command that compares what somebody expected of the router with what it did."""

from __future__ import annotations

import argparse
import sqlite3
from pathlib import Path

from fusionscope.commands.places import FailedError, console, roots_of, store_of, why_empty
from fusionscope.report.predictions import Prediction, answering, compare, predictions_object
from fusionscope.store import read
from fusionscope.store.forget import sessions_like
from fusionscope.store.read import Selection

__all__ = ["predictions"]


def predictions(parsed: argparse.Namespace) -> int:
    expected = _expected(parsed.file)
    with store_of(parsed) as connection:
        newest = read.newest_turn(connection)
        if newest is None:
            print(why_empty(connection, roots_of(parsed)))
            return 0
        known: dict[str | None, str] = {None: newest.session_id}
        for _, _, given in expected:
            session = parsed.session or given
            if session not in known:
                known[session] = _session(connection, session or "")
        made = [Prediction(name, pattern, known[parsed.session or given]) for name, pattern, given in expected]
        ids = dict.fromkeys(each.session_id for each in made)
        turns = {one: answering(read.turns(connection, Selection(session=one))) for one in ids}
    compared = compare(made, turns)
    if parsed.json:
        import json

        print(json.dumps(predictions_object(compared, turns), indent=2, allow_nan=False))
    else:
        from fusionscope.report.terminal_predictions import print_predictions

        print_predictions(console(), compared, turns)
    return 0


def _expected(path: Path) -> list[tuple[str, str, str | None]]:
    """The prompts of a file of predictions, in order: name, expected pattern, and the session that it names, if any."""
    from fusionscope.commands.expected import Expected, decode

    try:
        file: Expected = decode(path.expanduser().read_bytes())
    except OSError as error:
        raise FailedError(
            f"Cannot read {path}: {error.strerror}; name a TOML file with a [[prompt]] for each prompt."
        ) from error
    except ValueError as error:
        raise FailedError(f"{path} is no file of predictions ({error}); each [[prompt]] needs a pattern.") from error
    named = enumerate(file.prompt, 1)
    return [(each.name or f"prompt {place}", each.pattern, each.session or file.session) for place, each in named]


def _session(connection: sqlite3.Connection, prefix: str) -> str:
    found = sessions_like(connection, prefix)
    if prefix in found or len(found) == 1:
        return prefix if prefix in found else found[0]
    if found:
        raise FailedError(f"More than one session begins with {prefix}: {', '.join(found)}.")
    raise FailedError(f"No session's id begins with {prefix!r}; `fusionscope reconcile` lists them.")
