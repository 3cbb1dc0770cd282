"""``fusionscope doctor``: look at everything, change nothing, and say what is in order.

The database is only read, and may be missing or broken: what the logs say is found with a copy in memory, which is brought up
to date, or with a new one.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fusionscope.commands.places import FailedError, bring_up_to_date, console, database_of, roots_of
from fusionscope.store.database import DamagedError
from fusionscope.store.examine import Condition, Examined, copy_in_memory, examine, new_in_memory
from fusionscope.store.outbox import Delivery, deliveries
from fusionscope.store.rescue import is_damage
from fusionscope.store.seen import Seen, seen

if TYPE_CHECKING:
    from fusionscope.report.doctor_findings import EndpointFound, Findings

__all__ = ["doctor"]


def doctor(parsed: argparse.Namespace) -> int:
    from fusionscope.report.doctor import as_json, broken, diagnose

    found = _look(parsed)
    checks = diagnose(found)
    if parsed.json:
        print(as_json(found, checks))
    else:
        from fusionscope.report.terminal_doctor import print_doctor

        print_doctor(console(), checks)
    if sentence := broken(checks):
        sys.stdout.flush()
        raise FailedError(sentence)
    return 0


def _look(parsed: argparse.Namespace) -> Findings:
    from fusionscope.commands.around import look_around
    from fusionscope.follow.process import follower_process
    from fusionscope.report.doctor_findings import Findings

    examined, trouble = _database(parsed)
    logs = _look_at_logs(parsed, examined)
    return Findings(
        **look_around(roots_of(parsed), bool(parsed.root), examined.path, os.environ, Path.home()),
        seen=logs.seen,
        unreadable_logs=[(path.decode(errors="backslashreplace"), why) for path, why in logs.unreadable.items()],
        database=logs.examined,
        database_named=bool(parsed.db or os.environ.get("FUSIONSCOPE_DB")),
        database_trouble=trouble,
        process=None if trouble else follower_process(examined.path),
        deliveries=logs.deliveries,
        endpoint=_endpoint(parsed.otlp or os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT")),
    )


class _Logs(NamedTuple):
    """What the logs say, and what the database turned out to be when it was asked."""

    examined: Examined
    seen: Seen
    unreadable: dict[bytes, str]
    deliveries: Sequence[Delivery]


def _database(parsed: argparse.Namespace) -> tuple[Examined, str | None]:
    """The database, or why it may not be where it was said to be."""
    try:
        return examine(database_of(parsed)), None
    except FailedError as error:
        given = Path(parsed.db or os.environ.get("FUSIONSCOPE_DB") or "")
        return Examined(given.absolute(), Condition.UNUSABLE), str(error).rstrip(".")


def _look_at_logs(parsed: argparse.Namespace, examined: Examined) -> _Logs:
    """Find what all logs say by now; the file of the database stays as it is."""
    if examined.condition is Condition.SOUND:
        try:
            with closing(copy_in_memory(examined.path)) as copy:
                return _read_on(parsed, examined, copy, deliveries(copy))
        except (sqlite3.Error, DamagedError, ValueError) as error:  # bytes that are no text are a ValueError, too
            broken = isinstance(error, DamagedError | ValueError) or is_damage(error)
            condition = Condition.DAMAGED if broken else Condition.UNUSABLE
            examined = examined._replace(condition=condition, why=str(error))
    with closing(new_in_memory()) as connection:
        return _read_on(parsed, examined, connection, ())


def _read_on(
    parsed: argparse.Namespace, examined: Examined, connection: sqlite3.Connection, waiting: Sequence[Delivery]
) -> _Logs:
    done = bring_up_to_date(connection, parsed)
    return _Logs(examined, seen(connection), done.unreadable, waiting)


def _endpoint(url: str | None) -> EndpointFound | None:
    from fusionscope.report.doctor_findings import EndpointFound

    if not url:
        return None
    from fusionscope.export.endpoint import Endpoint, EndpointError
    from fusionscope.export.probe import probe

    try:
        endpoint = Endpoint.of(url, os.environ)
    except EndpointError as error:
        return EndpointFound("", str(error).rstrip("."))
    return EndpointFound(endpoint.shown, probe(endpoint))
