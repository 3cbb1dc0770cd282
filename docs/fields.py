"""What the allow-list lets through, as names in the log: the leaves of ``decode/events.py``, event type by event type."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from inspect import get_annotations
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import FieldInfo, fields

from fusionscope.decode.events import DECODERS

__all__ = ["Leaf", "data_of", "event_types", "leaves", "passed_over"]


class Leaf(NamedTuple):
    """A field with a value. ``path`` is its name in the log, below the event's data; ``owner`` the struct that declares it.

    ``phasePlan[].kind`` is a field of each object of a list, ``modelMetrics.*`` each key of an object.
    """

    path: str
    owner: type[Struct]
    name: str


def data_of(event_type: str) -> type[Struct]:
    """Return the struct of an event's data."""
    (data,) = typing.get_args(DECODERS[event_type].type)
    return typing.cast("type[Struct]", data)


def event_types() -> dict[type[Struct], list[str]]:
    """Return the event types that are read, by the struct of their data."""
    found: dict[type[Struct], list[str]] = {}
    for event_type in DECODERS:
        found.setdefault(data_of(event_type), []).append(event_type)
    return found


def leaves(struct: type[Struct], before: str = "") -> Iterator[Leaf]:
    """Yield the leaves of ``struct``, those of the structs in it too, in the order of its fields."""
    for field in fields(struct):
        path = f"{before}{field.encode_name}"
        inner, step = _inner(field)
        if step == ".*":
            yield Leaf(f"{path}.*", _declares(struct, field.name), field.encode_name)
        elif inner is None:
            yield Leaf(path, _declares(struct, field.name), field.encode_name)
        if inner is not None:
            yield from leaves(inner, f"{path}{step}.")


def passed_over(data: dict[str, Any], struct: type[Struct], before: str = "") -> Iterator[str]:
    """Yield the names in an event's ``data`` that the allow-list does not have, those in its objects by their paths."""
    known = {field.encode_name: field for field in fields(struct)}
    for name, value in data.items():
        if name not in known:
            yield f"{before}{name}"
            continue
        inner, step = _inner(known[name])
        if inner is None or value is None:
            continue
        for one in [value] if step == "" else value if step == "[]" else value.values():
            yield from passed_over(one, inner, f"{before}{name}{step}.")


def _inner(field: FieldInfo) -> tuple[type[Struct] | None, str]:
    """The struct in a field, and how one gets from the field to it."""
    for option in typing.get_args(field.type) or (field.type,):
        if isinstance(option, type) and issubclass(option, Struct):
            return option, ""
        origin, parts = typing.get_origin(option), typing.get_args(option)
        if origin is list:
            return parts[0], "[]"
        if origin is dict:
            last = parts[-1]
            return (last if isinstance(last, type) and issubclass(last, Struct) else None), ".*"
    return (field.type, "") if isinstance(field.type, type) and issubclass(field.type, Struct) else (None, "")


def _declares(struct: type[Struct], attribute: str) -> type[Struct]:
    return next(base for base in struct.__mro__ if attribute in get_annotations(base))
