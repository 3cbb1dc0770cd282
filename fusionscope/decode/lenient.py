"""Decoding an event with a field that is not as it should be: the field is lost, not the event and its credits."""

from __future__ import annotations

import typing
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Raw, Struct, ValidationError

from fusionscope.decode.events import LONGEST_WORD, Id, Name, Record

__all__ = ["decode_leniently"]

_KEYS = msgspec.json.Decoder(dict[str, Raw])


class _UnusableIdError(ValidationError):
    """An id cannot be used: without it, the event would be taken for another's."""


class _Envelope(Struct):
    data: Raw
    timestamp: datetime
    id: Id | None = None
    agent_id: Id | None = msgspec.field(default=None, name="agentId")


_ENVELOPE = msgspec.json.Decoder(_Envelope)


def decode_leniently(line: bytes, data: type[Struct]) -> tuple[Record[Any], list[str]]:
    """Decode the event ``line``, whose data is of the type ``data``, without the fields that cannot be used.

    These are as if absent; what was wrong with each is said, by name and never by value. A word that is too long is cut, which
    is nothing wrong. Raises ``msgspec.ValidationError`` where an id, or what no event can be without, cannot be used.
    """
    envelope = _ENVELOPE.decode(line)
    wrong: list[str] = []
    decoded = _struct(envelope.data, data, wrong)
    return Record(decoded, envelope.timestamp, envelope.id, envelope.agent_id), wrong


def _struct(raw: Raw, struct: type[Struct], wrong: list[str]) -> Struct:
    given, values = _KEYS.decode(raw), {}
    for field in msgspec.structs.fields(struct):
        if field.encode_name in given:
            value = given[field.encode_name]
            try:
                values[field.name] = msgspec.json.decode(value, type=field.type)
            except ValidationError as error:
                options = (field.type, *typing.get_args(field.type))
                try:
                    values[field.name] = _usable_part(value, options, wrong)
                except _UnusableIdError:
                    raise
                except ValidationError:
                    if Id in options:
                        raise _UnusableIdError(str(error)) from None
                    if field.required:
                        raise error from None
                    wrong.append(f"{field.encode_name}: {error}")
        elif field.required:
            raise ValidationError(f"Object missing required field `{field.encode_name}`")
    return struct(**values)


def _usable_part(value: Raw, options: tuple[Any, ...], wrong: list[str]) -> Struct | str:
    for option in options:
        if isinstance(option, type) and issubclass(option, Struct):
            return _struct(value, option, wrong)
    if Name not in options:
        raise ValidationError
    return msgspec.json.decode(value, type=str)[: LONGEST_WORD - 1] + "…"
