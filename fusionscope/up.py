"""The program people leave running: index, then follow, show it on the page, and export what ends."""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

from fusionscope.export.endpoint import Endpoint
from fusionscope.export.sender import Sender
from fusionscope.follow.follow import Follower
from fusionscope.follow.lock import FollowerLock
from fusionscope.follow.process import follower_process, note_follower
from fusionscope.ingest.find import Root
from fusionscope.model import Turn
from fusionscope.store import delivery, metrics, read
from fusionscope.store.database import DamagedError, StoreError, connect, transaction
from fusionscope.store.rescue import is_damage, is_sound, set_aside

if TYPE_CHECKING:
    from fusionscope.page.serve import PageServer
    from fusionscope.page.settings import PageSettings

__all__ = ["Settings", "up"]


class Settings(NamedTuple):
    """What `up` is asked to do.

    ``installation``: the session root in one spelling. ``quiet_ms``: an open turn is given up after so long without an event.
    ``service_text``: keep the router's hint and the name of its rule.
    Without ``backfill``, turns that ended before the database was made are not sent.
    ``page``: what to serve, and where, or ``None``. ``open_page``: show it in the browser.
    """

    roots: Sequence[Root]
    database: Path
    endpoint: Endpoint | None
    installation: str
    metrics: str
    quiet_ms: int
    service_text: bool = False
    backfill: bool = True
    page: PageSettings | None = None
    open_page: bool = False


def up(settings: Settings, told: Callable[[Turn], None], say: Callable[[str], None]) -> None:
    """Follow until SIGINT or SIGTERM.

    ``told`` is called with every turn that has ended, ``say`` with sentences about what is going on; both from any thread.

    Raises:
        StoreError: the database cannot be used, or another process follows for it.
        AddressError: the page cannot listen where it should.
    """
    stop = _Stop()
    before = {number: signal.signal(number, stop.asked) for number in (signal.SIGINT, signal.SIGTERM)}
    lock = FollowerLock(settings.database)
    try:
        if not lock.take():
            raise StoreError(_who_has_it(settings.database))
        with ExitStack() as stack:
            if settings.page:
                stop.page = stack.enter_context(_page(settings, settings.page, say))
            while not stop.was_asked:
                try:
                    _follow(settings, told, say, stop)
                except (DamagedError, sqlite3.DatabaseError, UnicodeDecodeError) as error:
                    if not isinstance(error, DamagedError) and not is_damage(error):
                        raise
                    say(set_aside(settings.database).sentence)
    finally:
        lock.release()
        for number, handler in before.items():
            signal.signal(number, handler)


class _Stop:
    """That somebody asked to stop, from the first moment on. Takes no lock: it is told in a signal handler."""

    def __init__(self) -> None:
        self.was_asked = False
        self.follower: Follower | None = None
        self.page: PageServer | None = None

    def asked(self, number: int, frame: FrameType | None) -> None:
        self.was_asked = True
        if self.follower:
            self.follower.stop()
        if self.page:
            self.page.stop()


@contextmanager
def _page(settings: Settings, page: PageSettings, say: Callable[[str], None]) -> Iterator[PageServer]:
    from fusionscope.page.serve import PageServer

    with suppress(DamagedError):  # which is for the follower to mend
        connect(settings.database).close()  # the first visitor may come before it has looked
    with PageServer(page, say) as server:
        say(server.sentence)
        if settings.open_page:
            server.open()
        yield server


def _follow(settings: Settings, told: Callable[[Turn], None], say: Callable[[str], None], stop: _Stop) -> None:
    with closing(connect(settings.database)) as connection:
        if not is_sound(connection):
            raise DamagedError(f"The database {settings.database} is damaged.")
        with transaction(connection):
            note_follower(connection)
            if not settings.endpoint:
                delivery.only(connection, ())
        sender = None
        if settings.endpoint:
            sender = Sender(
                lambda: connect(settings.database),
                settings.endpoint,
                settings.installation,
                say,
                metrics=settings.metrics,
                since=None if settings.backfill else metrics.created_at(connection),
            )

        def wrote(fusion_ids: list[str]) -> None:
            for turn in read.turns_by_id(connection, fusion_ids):
                if not turn.is_open:
                    told(turn)
            if sender:
                sender.wake()

        touched = stop.page.changed if stop.page else lambda fusion_ids: None
        stop.follower = Follower(
            connection,
            settings.roots,
            wrote=wrote,
            touched=touched,
            say=say,
            quiet_ms=settings.quiet_ms,
            service_text=settings.service_text,
        )
        try:
            if stop.was_asked:
                return
            if sender:
                sender.start()
            stop.follower.run()
        finally:
            stop.follower = None
            if sender and not sender.stop():
                say("A request to the endpoint is still under way; what it carries is sent again at the next start.")


def _who_has_it(database: Path) -> str:
    return f"Process {follower_process(database)} already follows the logs for {database}; stop it first, or name another --db."
