"""The account of a whole delivery, for tests that compare it with what should have become of every turn."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from fusionscope.export.answer import Later, Refused, Taken, TooLarge, Unfit, Unreachable
from fusionscope.export.batch import Step, Unwanted

__all__ = ["Delivery", "Rejection", "collect"]

K = TypeVar("K", bound=Hashable)


class Rejection(NamedTuple, Generic[K]):
    """A partial success: the receiver took the request with these keys, threw ``parts`` of them away, is not asked again."""

    keys: tuple[K, ...]
    parts: int
    message: str


@dataclass(frozen=True)
class Delivery(Generic[K]):
    """The account of one delivery. ``taken`` and ``waiting`` hold every key once, in order.

    ``waiting`` are the keys of which something is still to be sent; ``cut`` says of those that were sent in part how
    many of their parts are done; ``refused`` are those that were in the request that was answered with ``Refused``, and
    those that alone are unwanted.
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
            refused += within if isinstance(step.answer, Refused) else ()
            continue
        if isinstance(step.answer, Unwanted):
            refused += within
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
