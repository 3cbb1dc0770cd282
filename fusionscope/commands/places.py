"""What commands share: where the logs and the database are, the database brought up to date, a console."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fusionscope.commands.database import FailedError, database_at, keep_out
from fusionscope.ingest.find import Root
from fusionscope.store import read
from fusionscope.store.database import connect

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

    from fusionscope.follow.index import Pass
    from fusionscope.model import Turn
    from fusionscope.report.empty import LookedIn

__all__ = [
    "FailedError",
    "bring_up_to_date",
    "console",
    "database_at",
    "database_of",
    "installation",
    "keep_out",
    "looked_in",
    "roots_of",
    "store_of",
    "turn_called",
    "warn",
    "why_empty",
    "write_as_is",
]

#: less than this is read before a person wonders (bytes)
_LONG_WORK = 200_000_000


@contextmanager
def store_of(parsed: argparse.Namespace) -> Iterator[sqlite3.Connection]:
    """The database, brought up to date unless asked not to.

    Raises:
        FailedError: none of the roots that were named can be read, and nothing is known from before.
    """
    with closing(connect(database_of(parsed))) as connection:
        if not parsed.no_index and not is_followed(parsed):
            done = bring_up_to_date(connection, parsed)
            if parsed.root and done.problems and not done.logs and not read.sessions(connection):
                raise FailedError(done.problems[0])
            warn(done.problems)
        yield connection


def is_followed(parsed: argparse.Namespace) -> bool:
    from fusionscope.follow.lock import FollowerLock

    return FollowerLock(database_of(parsed)).is_taken()


def bring_up_to_date(connection: sqlite3.Connection, parsed: argparse.Namespace) -> Pass:
    from fusionscope.follow.index import index

    def tell(fusion_ids: list[str]) -> None:
        from fusionscope.report.logline import as_text

        for turn in read.turns_by_id(connection, fusion_ids):
            print(as_text(turn), file=sys.stderr)

    with _progress() as progress:
        return index(
            connection, roots_of(parsed), progress, tell if parsed.verbose else lambda fusion_ids: None, parsed.service_text
        )


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """Something that shows how far long work is, on a terminal; short work and pipes see nothing."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        bar: list[Callable[[int, int], None]] = []

        def progress(done: int, total: int) -> None:
            if total < _LONG_WORK or not sys.stderr.isatty():
                return
            if not bar:
                from rich.console import Console
                from rich.progress import Progress

                shown = stack.enter_context(Progress(console=Console(stderr=True), transient=True))
                task = shown.add_task("Reading session logs", total=total)
                bar.append(lambda done, total: shown.update(task, completed=done, total=total))
            bar[0](done, total)

        yield progress


def roots_of(parsed: argparse.Namespace, environment: Mapping[str, str] = os.environ) -> list[Root]:
    from fusionscope.follow.roots import roots

    return roots(parsed.root, environment, Path.home())


def database_of(parsed: argparse.Namespace) -> Path:
    """Where the database is."""
    return database_at(parsed.db, roots_of(parsed))


def turn_called(connection: sqlite3.Connection, prefix: str) -> Turn:
    """The turn whose id begins with ``prefix``; a sentence where there is none, or more than one."""
    try:
        turn = read.find_turn(connection, prefix)
    except read.AmbiguousIdError as error:
        raise FailedError(f"More than one turn begins with {prefix}: {', '.join(error.fits)}.") from error
    if turn is None:
        raise FailedError(f"No turn's id begins with {prefix!r}; `fusionscope turns` lists them.")
    return turn


def console() -> Console:
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def write_as_is(text: str) -> None:
    """Write text whose line ends must stay as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())


def why_empty(connection: sqlite3.Connection, roots: Sequence[Root]) -> str:
    from fusionscope.report.empty import why_empty
    from fusionscope.store.seen import seen
    from fusionscope.store.status import unreadable_logs

    return why_empty(looked_in(roots), seen(connection), len(unreadable_logs(connection)))


def looked_in(roots: Sequence[Root]) -> list[LookedIn]:
    """The roots with their condition, for a report."""
    from fusionscope.follow.surroundings import condition_of
    from fusionscope.report.empty import LookedIn

    return [LookedIn(str(root.path), root.why, condition_of(root.path)) for root in roots]


def warn(problems: Sequence[str]) -> None:
    for problem in problems:
        print(f"fusionscope: {problem}", file=sys.stderr)


def installation(parsed: argparse.Namespace) -> str:
    """The session root in one spelling: with the host it names this installation to a back end."""
    return str(roots_of(parsed)[0].path.resolve())
