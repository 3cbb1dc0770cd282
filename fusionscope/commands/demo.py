"""The demo: 24 sample turns, without Copilot, in the terminal and on the page."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from fusionscope.commands.look import print_one
from fusionscope.commands.page import serve_until_stopped
from fusionscope.commands.places import FailedError, console, store_of
from fusionscope.store import read

__all__ = ["demo", "kept_demo"]


def demo(parsed: argparse.Namespace) -> int:
    import tempfile

    from fusionscope.demo import write_demo

    with tempfile.TemporaryDirectory(prefix="fusionscope-demo-", ignore_cleanup_errors=True) as temporary:
        directory = parsed.directory or Path(temporary)
        if (directory / "session-state").exists():
            raise FailedError(f"{directory} has sessions already; name a directory of its own.")
        try:
            root = write_demo(directory)
        except OSError as error:
            raise FailedError(f"Cannot write the sample logs to {directory}: {error.strerror}.") from error
        places = argparse.Namespace(
            root=[root], db=directory / "fusionscope.db", no_index=False, verbose=False, service_text=False
        )
        with store_of(places) as connection:
            turns = read.turns(connection)
            print_one(turns[-1])
            from fusionscope.report.summary import of_turns
            from fusionscope.report.terminal import print_summary

            screen = console()
            screen.print()
            print_summary(screen, of_turns(turns), read.skipped_count(connection))
        if sys.stdout.isatty() and not parsed.once:
            screen.print()
            serve_until_stopped(places.db, [(str(root), "the demo")])
    return 0


def kept_demo(directory: Path) -> Path:
    """The Copilot home in ``directory`` with the sample sessions of last night; those that are there already stay as they are.

    Back ends take what is new, and their pickers begin at now: the demo's own date is too old for either.
    """
    from fusionscope.demo import days_until, write_demo

    try:
        if not (directory / "session-state").exists():
            write_demo(directory, days_until(time.time_ns() // 10**6))
    except OSError as error:
        raise FailedError(f"Cannot write the sample logs to {directory}: {error.strerror}.") from error
    return directory
