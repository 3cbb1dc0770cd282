"""One page of the outbox: taken from the store, sent, and noted in the store request by request.

The only place where a turn leaves the queue, for the daemon and for ``fusionscope export`` alike.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from fusionscope.export.answer import Answer, Later, Refused, Taken, TooLarge, Unfit, Unreachable
from fusionscope.export.batch import Step, Unwanted, deliver
from fusionscope.export.channel import Channel
from fusionscope.export.lock import sending
from fusionscope.store import delivery, outbox
from fusionscope.store.database import transaction
from fusionscope.store.outbox import Waiting

__all__ = ["PageEnd", "Pages", "settle"]

#: turns that are taken from the store at once
_PAGE = 200
#: refusals in a row after which it is not the turns that are at fault
_HOPELESS = 32

T = TypeVar("T")


class PageEnd(NamedTuple):
    """What became of a page.

    ``turns`` are done with; ``parts`` (spans or points) were taken; ``lost`` ones were thrown away by the receiver or are never
    taken, ``why_lost`` says why. ``parked`` turns are refused, ``why_parked``. ``stopped``: why the page ended early. ``busy``:
    another process sends now. All zero: nothing waits.
    """

    turns: int = 0
    parts: int = 0
    lost: int = 0
    why_lost: str = ""
    parked: int = 0
    why_parked: str = ""
    stopped: Later | Refused | Unreachable | None = None
    busy: bool = False

    @property
    def nothing(self) -> bool:
        """Whether there was nothing to do."""
        return self == PageEnd()

    @property
    def heard(self) -> bool:
        """Whether the receiver took a request."""
        return self.parts + self.lost > 0


class Pages(Generic[T]):
    """The pages of one channel.

    ``now`` gives the moment (ms). ``stopping`` is asked before every request. ``again`` is asked when the store could not be
    written, after a wait of its own if it likes: what the receiver took must be noted, or it is sent twice. Turns that ended
    before ``since`` (ms) are passed over.
    """

    bounded = True

    def __init__(
        self,
        channel: Channel[T],
        now: Callable[[], int],
        stopping: Callable[[], bool] = lambda: False,
        again: Callable[[sqlite3.Error], bool] = lambda error: False,
        *,
        since: int | None = None,
    ) -> None:
        self.signal = channel.signal
        self.unit = channel.unit
        self._channel = channel
        self._now = now
        self._stopping = stopping
        self._again = again
        self._since = since

    def begin(self, connection: sqlite3.Connection) -> None:
        """Nothing is to be prepared: every turn is queued when it ends."""

    def send(self, connection: sqlite3.Connection, longest: int) -> PageEnd:
        """Send the next page, at most ``longest`` parts in a request."""
        if self._since is not None:
            outbox.pass_over(connection, self.signal, self._since)
        if not outbox.anything_waits(connection, self.signal):
            return PageEnd()
        with sending(connection) as free:
            if not free:
                return PageEnd(busy=True)
            page = {item.turn.fusion_id: item for item in outbox.waiting(connection, self.signal, _PAGE)}
            return self._send(connection, page, longest)

    def _send(self, connection: sqlite3.Connection, page: dict[str, Waiting], longest: int) -> PageEnd:
        narrowing = _Narrowing(lambda: self._post(()))

        def post(parts: Sequence[T]) -> Answer:
            answer = self._post(parts)
            narrowing.hear(answer)
            return answer

        end = PageEnd()
        unnoted = 0
        #: turns that are refused, by what the receiver says; it may still turn out to refuse everything
        suspects: dict[str, str] = {}
        for step in deliver(self._channel.parcels(connection, list(page.values())), post, longest, narrowing.worth_it):
            if isinstance(step.answer, Later | Refused | Unreachable):
                return end._replace(stopped=narrowing.verdict(step.answer))
            if isinstance(step.answer, Unwanted):
                suspects[step.slices[0].key] = step.answer.why
                continue
            size, (lost, why) = _size(step), _lost(step)
            if size:
                end = self._park(connection, suspects, end)
            unnoted += lost
            finished = [page[part.key] for part in step.slices if part.stop == part.of]
            if finished:
                self._mark(connection, finished, unnoted, taken=size > 0 and isinstance(step.answer, Taken))
                unnoted = 0
            end = end._replace(
                turns=end.turns + len(finished),
                parts=end.parts + size - lost,
                lost=end.lost + lost,
                why_lost=end.why_lost or why,
            )
            if self._stopping():
                return end
        return self._park(connection, suspects, end)

    def _post(self, parts: Sequence[T]) -> Answer:
        if self._stopping():
            return Later(None, "this process is stopping")
        try:
            return self._channel.post(parts)
        except (ValueError, TypeError, OverflowError) as error:
            # what cannot be put into OTLP must not hold up the rest: it is found as what is refused is
            return Refused(400, f"something cannot be put into OTLP ({type(error).__name__})")

    def _mark(self, connection: sqlite3.Connection, finished: Sequence[Waiting], lost: int, *, taken: bool) -> None:
        def write() -> None:
            outbox.mark_sent(connection, self.signal, finished)
            if taken:
                delivery.note_taken(connection, self.signal, self._now())
            if lost:
                delivery.note_lost(connection, self.signal, lost)

        settle(connection, write, self._again)

    def _park(self, connection: sqlite3.Connection, suspects: dict[str, str], end: PageEnd) -> PageEnd:
        """Set the suspects aside: others are taken, so it is they that are refused."""

        def write() -> None:
            for fusion_id, why in suspects.items():
                outbox.park(connection, self.signal, fusion_id, why)
                delivery.note_trouble(connection, self.signal, self._now(), why)

        if not suspects:
            return end
        settle(connection, write, self._again)
        end = end._replace(parked=end.parked + len(suspects), why_parked=end.why_parked or next(iter(suspects.values())))
        suspects.clear()
        return end


class _Narrowing:
    """Tells a refusal of what was sent from a refusal of everything.

    A request without content is one that every receiver must take; where even that is refused, no smaller one will help.
    """

    def __init__(self, ask: Callable[[], Answer]) -> None:
        self._ask = ask
        self._asked: Answer | None = None
        self._in_a_row = 0

    def hear(self, answer: Answer) -> None:
        if isinstance(answer, Taken):
            self._in_a_row = 0

    def worth_it(self, refused: Refused) -> bool:
        if not refused.about_content:
            return False
        if self._asked is None:
            self._asked = self._ask()
        self._in_a_row += 1
        return isinstance(self._asked, Taken) and self._in_a_row <= _HOPELESS

    def verdict(self, answer: Later | Refused | Unreachable) -> Later | Refused | Unreachable:
        """What ended the page: where even nothing is answered with "later", that is what it is about."""
        return self._asked if isinstance(answer, Refused) and isinstance(self._asked, Later | Unreachable) else answer


def _size(step: Step[str]) -> int:
    return sum(part.stop - part.start for part in step.slices)


def _lost(step: Step[str]) -> tuple[int, str]:
    match step.answer:
        case Taken(rejected, message):
            return min(rejected, _size(step)), message if rejected else ""
        case TooLarge(why) | Unfit(why):
            return _size(step), why
    return 0, ""


def settle(connection: sqlite3.Connection, write: Callable[[], None], again: Callable[[sqlite3.Error], bool]) -> None:
    """Write in a transaction, as often as ``again`` says when the database is locked or its disk is full.

    Raises:
        sqlite3.Error: it could not be written.
    """
    while True:
        try:
            with transaction(connection):
                write()
            return
        except sqlite3.OperationalError as error:
            # a commit that failed leaves its transaction open
            if connection.in_transaction:
                connection.rollback()
            if not again(error):
                raise
