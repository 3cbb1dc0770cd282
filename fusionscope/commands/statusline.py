"""``fusionscope statusline``: the line below the input field of the CLI. Silent on any trouble: it must never disturb.

The CLI runs it with the session's status as JSON on its standard input (CLI 1.0.102: ``copilot help config``, ``statusLine``).
Of that it reads the session's id and directory, and no more. A person waits for the line, so this imports little and late.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fusionscope.commands.database import FailedError, database_at
from fusionscope.follow.lock import FollowerLock
from fusionscope.follow.roots import roots
from fusionscope.ingest.find import LOG_NAME, Found, Root, signature
from fusionscope.ingest.glance import may_matter
from fusionscope.store.database import open_to_read

if TYPE_CHECKING:
    import argparse

__all__ = ["print_line", "statusline"]

_MOST_INPUT = 1 << 20  # bytes; the CLI gives about two thousand
_PATIENCE_S = 0.2  # for a database that another process writes to
_READING_S = 1.0  # the first look at a long session is spread over several lines


class _Asked(NamedTuple):
    """What the CLI says of its session: the id, and the directory where its log is, if it says so."""

    session_id: str
    directory: Path | None


def statusline(parsed: argparse.Namespace) -> int:
    """The command with its options: prints the line, or changes the CLI's settings."""
    if parsed.install or parsed.uninstall:
        from fusionscope.commands.cli_settings import change_settings

        return change_settings(parsed)
    if sys.stdin is not None and sys.stdin.isatty():
        raise FailedError("The CLI runs this and tells it the session; `fusionscope statusline --install` sees to that.")
    return print_line(parsed.db, roots(parsed.root, os.environ, Path.home()), parsed.width)


def print_line(database: Path | None = None, given: Sequence[Root] = (), width: int | None = None) -> int:
    """Print the line for the session that standard input names. Never fails, and says nothing where it cannot tell."""
    with suppress(Exception):
        asked = _asked(sys.stdin.buffer.read(_MOST_INPUT))
        line = _line(asked, database, given or roots((), os.environ, Path.home()), width or _width(os.environ)) if asked else ""
        if line:
            sys.stdout.buffer.write(line.encode("ascii", "replace") + b"\n")
            sys.stdout.buffer.flush()
    return 0


def _asked(status: bytes) -> _Asked | None:
    """The session that the status names; ``transcript_path`` is its directory, or the log in it."""
    told = json.loads(status)
    path = told.get("transcript_path")
    directory = Path(path) if isinstance(path, str) and path else None
    if directory is not None and directory.suffix == ".jsonl":
        directory = directory.parent
    session_id = told.get("session_id") or (directory.name if directory else None)
    if not isinstance(session_id, str) or not session_id.strip(".") or set(session_id) & {"/", "\\", "\0"}:
        return None
    return _Asked(session_id, directory if directory and directory.name == session_id else None)


def _line(asked: _Asked, named: Path | None, places: Sequence[Root], width: int | None) -> str:
    from fusionscope.report.status_line import status_line
    from fusionscope.store.session import newest_of_session, session_spent

    database = database_at(named, places)
    # a status line that cannot read what is new still shows what is known
    with suppress(Exception):
        if not FollowerLock(database).is_taken():
            _catch_up(database, asked, places)
    with closing(open_to_read(database, _PATIENCE_S)) as connection:
        turn = newest_of_session(connection, asked.session_id)
        if turn is None:
            return "no Fusion turn yet"
        spent = session_spent(connection, asked.session_id)
    return status_line(turn, spent.turns, spent.nano_aiu, width, styled="NO_COLOR" not in os.environ)


def _catch_up(database: Path, asked: _Asked, places: Sequence[Root]) -> None:
    """Read what is new in the session's log, if it is worth it."""
    found = _log(asked, places)
    if found is None or not _is_new(database, found[1]):
        return
    # the decoder's library looks for this one, does without, and is loaded faster for it
    sys.modules.setdefault("typing_extensions", None)  # type: ignore[arg-type]
    from fusionscope.follow.one import read_one
    from fusionscope.store.database import connect

    with closing(connect(database)) as connection:
        connection.execute(f"PRAGMA busy_timeout = {round(_PATIENCE_S * 1000)}")
        read_one(connection, *found, seconds=_READING_S)


def _log(asked: _Asked, places: Sequence[Root]) -> tuple[str, Found] | None:
    """The session's log, with the root that it is below: one of ours, else the directory that the CLI names."""
    directories = [root.path for root in places] + ([asked.directory.parent] if asked.directory else [])
    for directory in directories:
        path = os.path.join(os.fsencode(directory / asked.session_id), LOG_NAME)  # noqa: PTH118 - bytes
        with suppress(OSError):
            status = os.stat(path)  # noqa: PTH116
            root = os.fsencode(directory).decode(errors="backslashreplace")
            return root, Found(path, asked.session_id, signature(status), status.st_size)
    return None


def _is_new(database: Path, log: Found) -> bool:
    """Whether the log has something that the database has not, and that can matter to the line."""
    try:
        with closing(open_to_read(database, _PATIENCE_S)) as connection:
            row = connection.execute("SELECT signature, offset, line_start FROM log WHERE path = ?", (log.path,)).fetchone()
            forgotten = connection.execute("SELECT 1 FROM forgotten WHERE session_id = ?", (log.session_id,)).fetchone()
    except sqlite3.OperationalError:
        return not database.exists()
    if forgotten or row is None:
        return not forgotten
    known, offset, line_start = row
    return bool(known != log.signature and (line_start is not None or may_matter(log.path, offset)))


def _width(environment: Mapping[str, str]) -> int | None:
    """The columns there are: as the environment says, else those of the terminal, which is none of our streams."""
    told = environment.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    with suppress(OSError), open("/dev/tty", "rb", buffering=0) as terminal:
        return os.get_terminal_size(terminal.fileno()).columns or None
    return None
