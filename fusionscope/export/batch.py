"""Many turns in requests of bounded size, in order, with an exact account of what became of each.

Nothing here knows spans or HTTP: a parcel is a key and its parts, ``post`` sends parts and says what came of it. A
turn is divided only where it must be: when it alone is more than a request may hold, or more than the receiver takes.
A request that is refused for what is in it is halved until the turn is found that is the cause, and the rest is sent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from fusionscope.export.answer import Answer, Later, Refused, Taken, TooLarge, Unfit, Unreachable

__all__ = ["LONGEST_BATCH", "Parcel", "Slice", "Step", "Unwanted", "deliver"]

#: spans in one request; more gains little and makes what is lost with one bad answer larger
LONGEST_BATCH = 512

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class Parcel(NamedTuple, Generic[K, T]):
    """What is sent under one key: the parts of one turn."""

    key: K
    parts: Sequence[T]


class Slice(NamedTuple, Generic[K]):
    """The parts ``start`` to ``stop`` (not included) of the ``of`` parts of one parcel."""

    key: K
    start: int
    stop: int
    of: int


class Unwanted(NamedTuple):
    """One parcel alone is refused, while others are taken."""

    status: int
    why: str


class Step(NamedTuple, Generic[K]):
    """One request: what was in it, and the answer.

    ``Taken``: the slices are done. ``TooLarge``, ``Unfit``: the one part in it is not taken even alone, so it is dropped
    and done. ``Unwanted``: the one parcel in it is refused; what is left of it is not sent, the others are. Any other
    answer is the last one, and nothing of the slices is done.
    """

    slices: tuple[Slice[K], ...]
    answer: Answer | Unwanted

    @property
    def done(self) -> bool:
        """Whether the slices need no further sending."""
        return isinstance(self.answer, Taken | TooLarge | Unfit)


def deliver(
    parcels: Iterable[Parcel[K, T]],
    post: Callable[[Sequence[T]], Answer],
    longest: int = LONGEST_BATCH,
    narrow: Callable[[Refused], bool] = lambda answer: False,
) -> Iterator[Step[K]]:
    """Send the parcels in order, at most ``longest`` parts in a request, and yield each step when it is done.

    A caller that stores each step before it asks for the next loses nothing when it is stopped in between. The steps
    end with the parcels or with the first answer that leaves its slices undone. A parcel without parts is done with the
    others and costs no request. ``narrow`` says of a refusal whether a smaller request may be taken.
    """
    waiting = deque(_Load(parcel, 0, len(parcel.parts)) for parcel in parcels)
    size = longest
    while waiting:
        pending = [_batch(waiting, size)]
        largest, halved, divided = 0, False, False
        while pending:
            loads = pending.pop()
            parts = [part for load in loads for part in load.parts()]
            answer = post(parts) if parts else Taken(0, "")
            if isinstance(answer, TooLarge | Unfit) and len(parts) > 1:
                halved = True
                pending += reversed(_halves(loads))
                continue
            if isinstance(answer, Refused) and narrow(answer):
                full = [load for load in loads if load.size]
                if len(full) > 1 or not divided:
                    # one turn alone is asked about twice before it is blamed
                    pending += reversed(_halves(loads)) if len(full) > 1 else [loads]
                    divided = True
                    continue
                if len(full) < len(loads):
                    yield Step(tuple(load.slice() for load in loads if not load.size), Taken(0, ""))
                yield Step((full[0].slice(),), Unwanted(*answer))
                _discard(full[0].parcel, waiting, pending)
                continue
            yield Step(tuple(load.slice() for load in loads), answer)
            if isinstance(answer, Later | Refused | Unreachable):
                return
            if isinstance(answer, Taken):
                largest = max(largest, len(parts))
        # what the receiver takes is learned, and tried again: one huge span must not make all later requests small
        size = (largest or size) if halved else min(longest, 2 * size)


@dataclass(frozen=True)
class _Load(Generic[K, T]):
    """Some of the parts of a parcel, on their way."""

    parcel: Parcel[K, T]
    start: int
    stop: int

    def parts(self) -> Sequence[T]:
        return self.parcel.parts[self.start : self.stop]

    def slice(self) -> Slice[K]:
        return Slice(self.parcel.key, self.start, self.stop, len(self.parcel.parts))

    def cut(self, at: int) -> tuple[_Load[K, T], _Load[K, T]]:
        return _Load(self.parcel, self.start, at), _Load(self.parcel, at, self.stop)

    @property
    def size(self) -> int:
        return self.stop - self.start


def _batch(waiting: deque[_Load[K, T]], size: int) -> list[_Load[K, T]]:
    """Take the next parcels as long as they fit; of one that alone does not fit, as much as does."""
    if waiting[0].size > size:
        first, rest = waiting[0].cut(waiting[0].start + size)
        waiting[0] = rest
        return [first]
    found: list[_Load[K, T]] = []
    room = size
    while waiting and waiting[0].size <= room:
        room -= waiting[0].size
        found.append(waiting.popleft())
    return found


def _halves(loads: Sequence[_Load[K, T]]) -> tuple[list[_Load[K, T]], list[_Load[K, T]]]:
    """Divide between two parcels, as near to the middle as that goes; a parcel itself only where it is the only one."""
    total = sum(load.size for load in loads)
    before = 0
    cuts = []
    for index, load in enumerate(loads):
        if 0 < before < total:
            cuts.append((abs(2 * before - total), index))
        before += load.size
    if cuts:
        _, index = min(cuts)
        return list(loads[:index]), list(loads[index:])
    index = next(index for index, load in enumerate(loads) if load.size)
    first, second = loads[index].cut(loads[index].start + loads[index].size // 2)
    return [*loads[:index], first], [second, *loads[index + 1 :]]


def _discard(parcel: Parcel[K, T], waiting: deque[_Load[K, T]], pending: list[list[_Load[K, T]]]) -> None:
    """Forget what is left of a parcel that was cut."""
    if waiting and waiting[0].parcel is parcel:
        waiting.popleft()
    for loads in pending:
        loads[:] = [load for load in loads if load.parcel is not parcel]
    pending[:] = [loads for loads in pending if loads]
