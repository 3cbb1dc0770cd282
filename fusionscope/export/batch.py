"""Many turns in requests of bounded size, in order, with an exact account of what became of each.

Nothing here knows spans or HTTP: a parcel is a key and its parts, ``post`` sends parts and says what came of it. A
turn is divided only where it must be: when it alone is more than a request may hold, or more than the receiver takes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from fusionscope.export.answer import Answer, Later, Refused, Taken, TooLarge, Unfit, Unreachable

__all__ = ["LONGEST_BATCH", "Delivery", "Parcel", "Rejection", "Slice", "Step", "collect", "deliver"]

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


class Step(NamedTuple, Generic[K]):
    """One request: what was in it, and the answer.

    ``Taken``: the slices are done. ``TooLarge``, ``Unfit``: the one part in it is not taken even alone, so it is dropped
    and done. Any other answer is the last one, and nothing of the slices is done.
    """

    slices: tuple[Slice[K], ...]
    answer: Answer

    @property
    def done(self) -> bool:
        """Whether the slices need no further sending."""
        return isinstance(self.answer, Taken | TooLarge | Unfit)


def deliver(
    parcels: Iterable[Parcel[K, T]], post: Callable[[Sequence[T]], Answer], longest: int = LONGEST_BATCH
) -> Iterator[Step[K]]:
    """Send the parcels in order, at most ``longest`` parts in a request, and yield each step when it is done.

    A caller that stores each step before it asks for the next loses nothing when it is stopped in between. The steps
    end with the parcels or with the first answer that leaves its slices undone. A parcel without parts is done with the
    others and costs no request.
    """
    waiting = deque(_Load(parcel, 0, len(parcel.parts)) for parcel in parcels)
    size = longest
    while waiting:
        pending = [_batch(waiting, size)]
        largest, halved = 0, False
        while pending:
            loads = pending.pop()
            parts = [part for load in loads for part in load.parts()]
            answer = post(parts) if parts else Taken(0, "")
            if isinstance(answer, TooLarge | Unfit) and len(parts) > 1:
                halved = True
                pending += reversed(_halves(loads))
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


class Rejection(NamedTuple, Generic[K]):
    """A partial success: the receiver took the request with these keys, threw ``parts`` of them away, is not asked again."""

    keys: tuple[K, ...]
    parts: int
    message: str


@dataclass(frozen=True)
class Delivery(Generic[K]):
    """The account of one delivery. ``taken`` and ``waiting`` hold every key once, in order.

    ``waiting`` are the keys of which something is still to be sent; ``cut`` says of those that were sent in part how
    many of their parts are done; ``refused`` are those that were in the request that was answered with ``Refused``.
    ``dropped`` counts, by key, parts that are not taken even alone: too large, too old.
    """

    taken: tuple[K, ...]
    waiting: tuple[K, ...]
    cut: dict[K, int]
    refused: tuple[K, ...]
    dropped: dict[K, int]
    rejected: tuple[Rejection[K], ...]
    stopped: Later | Refused | Unreachable | None


def collect(keys: Iterable[K], steps: Iterable[Step[K]]) -> Delivery[K]:
    """Run the steps to their end and return the account. ``keys`` are those of all parcels, in order."""
    taken: dict[K, None] = {}
    cut: dict[K, int] = {}
    dropped: dict[K, int] = {}
    rejected = []
    refused: tuple[K, ...] = ()
    stopped: Later | Refused | Unreachable | None = None
    for step in steps:
        within = tuple(part.key for part in step.slices)
        if isinstance(step.answer, Later | Refused | Unreachable):
            stopped = step.answer
            refused = within if isinstance(step.answer, Refused) else ()
            continue
        for part in step.slices:
            cut[part.key] = part.stop
            if part.stop == part.of:
                del cut[part.key]
                taken[part.key] = None
            if isinstance(step.answer, TooLarge | Unfit) and part.stop > part.start:
                dropped[part.key] = dropped.get(part.key, 0) + 1
        if isinstance(step.answer, Taken) and (step.answer.rejected or step.answer.message):
            rejected.append(Rejection(within, step.answer.rejected, step.answer.message))
    waiting = tuple(key for key in keys if key not in taken)
    return Delivery(tuple(taken), waiting, cut, refused, dropped, tuple(rejected), stopped)
