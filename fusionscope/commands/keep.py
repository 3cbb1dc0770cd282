"""Commands that keep the store, and send from it."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from contextlib import closing, suppress

from fusionscope.commands.demo import kept_demo
from fusionscope.commands.places import (
    FailedError,
    bring_up_to_date,
    database_of,
    installation,
    is_followed,
    looked_in,
    roots_of,
    store_of,
    warn,
    why_empty,
)
from fusionscope.report.text import plural
from fusionscope.store import read
from fusionscope.store.database import connect

__all__ = ["export", "forget", "index", "status", "up"]

_YES, _NO = frozenset({"", "1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off"})


def index(parsed: argparse.Namespace) -> int:
    if is_followed(parsed):
        print("Another process follows the logs for this database and reads what is new.")
        return 0
    with closing(connect(database_of(parsed))) as connection:
        done = bring_up_to_date(connection, parsed)
        if not done.logs and done.problems:
            raise FailedError(done.problems[0])
        warn(done.problems)
        print(f"Read {done.new_bytes:,} new bytes in {done.logs:,} session logs; {len(done.turns):,} turns are new or changed.")
        if not done.turns and read.newest_turn(connection) is None:
            print(why_empty(connection, roots_of(parsed)))
    return 0


def export(parsed: argparse.Namespace) -> int:
    from fusionscope.export.endpoint import Endpoint, EndpointError
    from fusionscope.export.send import send_waiting
    from fusionscope.store.outbox import waiting_count

    try:
        endpoint = Endpoint.of(parsed.otlp, os.environ)
    except EndpointError as error:
        raise FailedError(str(error)) from error
    failures = []
    with store_of(parsed) as connection:
        for signal in dict.fromkeys(parsed.signal or ["traces"]):
            sent = send_waiting(connection, endpoint, installation(parsed), signal, parked_too=parsed.parked)
            parts = "spans" if signal == "traces" else "points"
            if sent.failure:
                left = waiting_count(connection, signal)
                failures.append(f"{sent.failure}; {left:,} turns wait to be sent, run this again later.")
                continue
            print(f"Sent {plural(sent.turns, 'turn')} ({sent.parts:,} {parts}) to {endpoint.shown}.")
            if sent.dropped:
                warn([f"The receiver threw {sent.dropped:,} {parts} away."])
            if sent.parked:
                failures.append(f"{sent.why_parked}; {sent.parked:,} turns are set aside: send them with --parked.")
    if failures:
        raise FailedError(failures[0])
    return 0


def up(parsed: argparse.Namespace) -> int:
    from fusionscope.export.endpoint import Endpoint, EndpointError
    from fusionscope.page.address import AddressError
    from fusionscope.page.settings import PageSettings
    from fusionscope.report import logline
    from fusionscope.up import Settings, up

    named = parsed.otlp or os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT")
    try:
        endpoint = Endpoint.of(named, os.environ) if named else None
    except EndpointError as error:
        raise FailedError(str(error)) from error
    gc.enable()
    if parsed.demo:
        parsed.root = [kept_demo(parsed.demo)]
        parsed.db = parsed.db or os.environ.get("FUSIONSCOPE_DB") or parsed.demo / "fusionscope.db"
    database, roots = database_of(parsed), roots_of(parsed)
    written = logline.as_json if parsed.log_format == "json" else logline.as_text
    page = None
    if parsed.page:
        from fusionscope.commands.around import checks_while_running

        page = PageSettings(
            database,
            parsed.page,
            [(str(root.path), root.why) for root in roots],
            parsed.grafana,
            follower=True,
            checks=checks_while_running(roots, bool(parsed.root), database, endpoint.shown if endpoint else None),
        )
    try:
        up(
            Settings(
                roots,
                database,
                endpoint,
                installation(parsed),
                parsed.metrics,
                parsed.quiet_time,
                service_text=parsed.service_text,
                backfill=_switched_on("FUSIONSCOPE_BACKFILL") if parsed.backfill is None else parsed.backfill,
                page=page,
                open_page=parsed.open_page,
            ),
            told=lambda turn: _tell(written(turn)),
            say=lambda sentence: _tell(written(sentence)),
        )
    except AddressError as error:
        raise FailedError(str(error)) from error
    return 0


def _switched_on(variable: str) -> bool:
    """What a variable of the environment says; yes where it is not set."""
    value = os.environ.get(variable, "").strip().lower()
    if value not in _YES | _NO:
        raise FailedError(f"{variable} must be true or false.")
    return value in _YES


def _tell(line: str) -> None:
    """Following goes on when nobody can be told: a full disk takes no log line either."""
    with suppress(OSError, ValueError):
        print(line, file=sys.stderr, flush=True)


def status(parsed: argparse.Namespace) -> int:
    from fusionscope.follow.process import follower_process
    from fusionscope.report import status
    from fusionscope.store.outbox import deliveries
    from fusionscope.store.status import store_status

    database = database_of(parsed)
    roots = looked_in(roots_of(parsed))
    with closing(connect(database)) as connection:
        found = status.Status(
            database,
            follower_process(database),
            [(root.path, root.why if root.condition == "there" else f"{root.why}; {root.condition}") for root in roots],
            store_status(connection),
            deliveries(connection),
        )
    print(status.as_json(found) if parsed.json else status.as_text(found))
    return 0


_SHORTEST_BEGINNING = 8


def forget(parsed: argparse.Namespace) -> int:
    from fusionscope.store.forget import forget, sessions_like

    with store_of(parsed) as connection:
        fits = sessions_like(connection, parsed.session)
        if len(parsed.session) < _SHORTEST_BEGINNING and parsed.session not in fits:
            raise FailedError(
                f"To forget cannot be undone: give at least {_SHORTEST_BEGINNING} characters of the session's id."
            )
        if parsed.session not in fits and len(fits) != 1:
            raise FailedError(
                f"More than one session begins with {parsed.session}: {', '.join(fits)}."
                if fits
                else f"No session's id begins with {parsed.session!r}."
            )
        session_id = parsed.session if parsed.session in fits else fits[0]
        removed = forget(connection, session_id)
    only_its = plural(removed, "turn")
    print(f"Forgot session {session_id} and {only_its} that only it had. Its log is not read again; it was not touched.")
    return 0
