"""``fusionscope watch``: the newest turns on a terminal, as they come. Follows the logs itself where nobody else does."""

from __future__ import annotations

import argparse
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from fusionscope.commands.places import (
    FailedError,
    bring_up_to_date,
    console,
    database_of,
    is_followed,
    roots_of,
    warn,
    why_empty,
)
from fusionscope.follow.lock import FollowerLock
from fusionscope.ingest.find import Root
from fusionscope.store import read
from fusionscope.store.database import connect, snapshot
from fusionscope.store.drift import drift
from fusionscope.store.session import session_spent, spent_since

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from fusionscope.follow.follow import Follower
    from fusionscope.report.terminal_watch import Frame

__all__ = ["watch"]

_SHOWN = 60  # turns; more than any terminal has lines
_TICK_S = 0.2
_DRIFT_S = 60.0  # how often to look for unknown words: it goes through the whole store
_JOIN_S = 5.0
_SAID_S = 30.0
_DAY_MS = 86_400_000


def watch(parsed: argparse.Namespace) -> int:
    """Show until q or Ctrl-C; with ``--once`` print one picture."""
    if parsed.once:
        return _once(parsed)
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        raise FailedError("This needs a terminal; in a pipe take `fusionscope watch --once`, or `fusionscope turns`.")
    from fusionscope.commands.keys import pressed_keys

    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        with closing(connect(database_of(parsed))) as connection, pressed_keys() as wait_for_key:
            _show(connection, parsed, wait_for_key)
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)
    return 0


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _once(parsed: argparse.Namespace) -> int:
    from rich.text import Text

    from fusionscope.report.terminal_canvas import canvas_for
    from fusionscope.report.terminal_watch import watch_lines

    with closing(connect(database_of(parsed))) as connection:
        if not is_followed(parsed):
            warn(bring_up_to_date(connection, parsed).problems)
        frame = _frame(connection, parsed, _drift(connection), "", None)._replace(keys="")
    shown = console()
    lines = watch_lines(canvas_for(shown), frame, shown.height)
    shown.print(Text("\n").join(lines), overflow="crop", no_wrap=True)
    return 0


def _show(connection: sqlite3.Connection, parsed: argparse.Namespace, wait_for_key: Callable[[float], str]) -> None:
    from rich.live import Live

    from fusionscope.commands.keys import REDRAW

    shown = console()
    following = _Following(database_of(parsed), roots_of(parsed), parsed.service_text)
    drifted, drift_due = None, 0.0
    with following, Live(console=shown, screen=True, auto_refresh=False) as live:
        seen: Any = None
        while True:
            followed = following.look()
            (version,) = connection.execute("PRAGMA data_version").fetchone()
            now = (version, shown.size, followed, following.trouble, _midnight())
            if now != seen:
                if time.monotonic() >= drift_due:
                    drifted, drift_due = _drift(connection), time.monotonic() + _DRIFT_S
                frame = _frame(connection, parsed, drifted, followed, following.trouble)
                live.update(_Picture(shown, frame), refresh=True)
                seen = now
            key = wait_for_key(_TICK_S)
            if key in ("q", "Q"):
                return
            if key == REDRAW:
                shown.set_alt_screen(True)
                seen = None


class _Picture:
    """A frame for the terminal, as large as that is when it is drawn."""

    def __init__(self, console: Console, frame: Frame) -> None:
        self._console = console
        self._frame = frame

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        from fusionscope.report.terminal_canvas import canvas_for
        from fusionscope.report.terminal_watch import watch_lines

        lines = watch_lines(canvas_for(self._console), self._frame, self._console.height)
        yield Text("\n", overflow="crop", no_wrap=True).join(lines)


def _frame(
    connection: sqlite3.Connection, parsed: argparse.Namespace, drifted: str | None, source: str, trouble: str | None
) -> Frame:
    from fusionscope.report.terminal_watch import Frame

    with snapshot(connection):
        turns = read.turns(connection, read.Selection(session=parsed.session, limit=_SHOWN))
        session = session_spent(connection, turns[-1].session_id) if turns else (0, None)
        day = spent_since(connection, _midnight())
        empty = "" if turns else why_empty(connection, roots_of(parsed))
    return Frame(turns, session, day, drifted, source, trouble, empty)


def _drift(connection: sqlite3.Connection) -> str | None:
    from fusionscope.report.drift import drift_sentence

    found = drift(connection)
    return drift_sentence(found.words, found.types)


def _midnight() -> int:
    """The start of the local day, ms UTC."""
    now = datetime.now().astimezone()
    begun = datetime.combine(now.date(), datetime.min.time()).astimezone()
    return (begun.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


class _Following:
    """Follows in a thread of its own as long as no other process does. It takes no lock: who wants to follow may."""

    def __init__(self, database: Path, roots: Sequence[Root], service_text: bool) -> None:
        self._said: tuple[str, float] = ("", 0.0)
        self._lock = FollowerLock(database)
        self._database = database
        self._roots = roots
        self._service_text = service_text
        self._thread: threading.Thread | None = None
        self._follower: Follower | None = None
        self._error: BaseException | None = None

    def __enter__(self) -> _Following:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def look(self) -> str:
        """Begin or end following as it is needed; returns who does, in words. Raises what ended it."""
        if self._error:
            raise self._error
        if self._lock.is_taken():
            self._stop()
            return "another process follows the logs"
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        return "following the logs"

    def _stop(self) -> None:
        if self._thread:
            if self._follower:
                self._follower.stop()
            self._thread.join(_JOIN_S)
            self._thread = self._follower = None

    def _run(self) -> None:
        from fusionscope.follow.follow import Follower

        try:
            with closing(connect(self._database)) as connection:
                self._follower = Follower(
                    connection, self._roots, wrote=lambda fusion_ids: None, say=self._heard, quiet_ms=_DAY_MS,
                    service_text=self._service_text,
                )  # fmt: skip
                self._follower.run()
        except BaseException as error:
            # raised again where it can be told
            self._error = error

    @property
    def trouble(self) -> str | None:
        """What the follower had to say, for as long as it takes to read it."""
        sentence, until = self._said
        return sentence if time.monotonic() < until else None

    def _heard(self, sentence: str) -> None:
        self._said = sentence, time.monotonic() + _SAID_S
