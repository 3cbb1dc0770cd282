"""What ``doctor`` sees around the logs, and what it says while the program runs."""

from __future__ import annotations

import os
import platform
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from fusionscope import __version__
from fusionscope.commands.places import looked_in
from fusionscope.follow import surroundings
from fusionscope.follow.roots import cli_root
from fusionscope.ingest.find import Root
from fusionscope.report.doctor import diagnose
from fusionscope.report.doctor_findings import Check, Findings, Verdict
from fusionscope.report.empty import LookedIn
from fusionscope.store.examine import Condition, Examined
from fusionscope.store.outbox import Delivery
from fusionscope.store.schema import SCHEMA_VERSION
from fusionscope.store.seen import Seen
from fusionscope.store.status import database_bytes, unreadable_logs

__all__ = ["Around", "checks_while_running", "look_around"]

#: for so long what lies around is taken to be as it was: directories are counted, and there may be thousands
_KEPT_S = 60.0


class Around(TypedDict):
    """The part of ``Findings`` that is neither in the logs nor in the database."""

    program: str
    cli_root: LookedIn
    roots: Sequence[LookedIn]
    named: bool
    copilot_home: str | None
    ignored_variables: Sequence[str]
    other_roots: Sequence[str]
    old_sessions: Sequence[str]
    unnoticed_roots: Sequence[tuple[str, str]]
    database_file_system: str | None
    database_on_network: bool
    directories: int
    watch_limit: int | None


def look_around(roots: Sequence[Root], named: bool, database: Path, environment: Mapping[str, str], home: Path) -> Around:
    """Look at the places and at the system; opens no log and no database. ``named``: the person named the roots."""
    of_cli = cli_root(environment, home)
    paths = [root.path for root in roots]
    kind = surroundings.file_system(database)
    kinds = [(str(path), surroundings.file_system(path)) for path in paths]
    return Around(
        program=f"Fusionscope {__version__}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}",
        cli_root=looked_in([of_cli])[0],
        roots=looked_in(roots),
        named=named,
        copilot_home=environment.get("COPILOT_HOME"),
        ignored_variables=[name for name in surroundings.IGNORED_VARIABLES if environment.get(name)],
        other_roots=list(map(str, surroundings.other_roots([*paths, of_cli.path], environment, home))),
        old_sessions=[str(path.parent / surroundings.OLD_STATE) for path in paths if surroundings.has_old_sessions(path)],
        unnoticed_roots=[(path, of) for path, of in kinds if of in surroundings.NETWORK_FILE_SYSTEMS],
        database_file_system=kind,
        database_on_network=kind in surroundings.NETWORK_FILE_SYSTEMS,
        directories=surroundings.directories_below(paths),
        watch_limit=surroundings.watch_limit(),
    )


def checks_while_running(
    roots: Sequence[Root],
    named: bool,
    database: Path,
    endpoint: str | None = None,
    environment: Mapping[str, str] = os.environ,
    home: Path | None = None,
) -> Callable[[sqlite3.Connection, Seen, Sequence[Delivery]], list[Check]]:
    """Return what gives the verdicts of ``doctor`` for the process that follows the logs.

    What it is given is a connection that only reads, what was seen in the logs, and how sending goes. Two things are not done
    again: to look through the database, which the follower did when it began (a damaged one is set aside), and to ask the
    endpoint, which is asked with every batch; ``endpoint`` is its address without passwords. What takes long, to look at every
    directory and log, is done again after a minute.
    """
    kept: list[tuple[float, Around, list[tuple[str, str]]]] = []

    def looked(connection: sqlite3.Connection) -> tuple[Around, list[tuple[str, str]]]:
        if not kept or time.monotonic() - kept[-1][0] > _KEPT_S:
            around = look_around(roots, named, database, environment, home or Path.home())
            denied = [(path.decode(errors="backslashreplace"), "permission denied") for path in unreadable_logs(connection)]
            kept[:] = [(time.monotonic(), around, denied)]
        return kept[-1][1:]

    def checks(connection: sqlite3.Connection, seen: Seen, sending: Sequence[Delivery]) -> list[Check]:
        around, denied = looked(connection)
        found = Findings(
            **around,
            seen=seen,
            unreadable_logs=denied,
            database=Examined(database, Condition.SOUND, database_bytes(connection), SCHEMA_VERSION),
            database_named=False,
            database_trouble=None,
            process=os.getpid(),
            deliveries=sending,
            endpoint=None,
        )
        said = [check for check in diagnose(found) if endpoint is None or check.name != "endpoint"]
        if endpoint is not None:
            said.append(Check("endpoint", Verdict.OK, f"{endpoint}; how sending goes, the outbox says"))
        return said

    return checks
