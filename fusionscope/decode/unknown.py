"""What a Fusion event says that this release does not know: by name, never by value."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator

import msgspec

from fusionscope.decode.events import FUSION_TYPES, Record
from fusionscope.decode.facts import moment
from fusionscope.store.facts import Fact, UnknownWord
from fusionscope.vocabulary import UNREAD_FIELDS

__all__ = ["unknown_fields", "unknown_type"]

_NAME = re.compile(r"[A-Za-z0-9_.]{1,60}")  # what could be text is not kept as a name
_MOST = 20  # words of one event
_ENVELOPE = frozenset({"type", "data", "id", "timestamp", "parentId", "ephemeral", "agentId"})
_KEYS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LISTED_KEYS = msgspec.json.Decoder(list[dict[str, msgspec.Raw]])


class _Named(msgspec.Struct, rename="camel"):
    fusion_id: str


_ANY_FUSION = msgspec.json.Decoder(Record[_Named])


def unknown_fields(kind: str, line: bytes, fact: Fact) -> tuple[UnknownWord, ...]:
    """The fields of the Fusion event ``line``, which states ``fact``, that are in neither the allow-list nor the vocabulary."""
    envelope = _KEYS.decode(line)
    fields = [*(envelope.keys() - _ENVELOPE), *_unknown(envelope["data"], kind)]
    if not fields:
        return ()
    owner, event_id, at, agent_id = fact[:4]
    names = dict.fromkeys(field if _NAME.fullmatch(field) else "(not a name)" for field in sorted(fields))
    return tuple(UnknownWord(owner, event_id, at, agent_id, f"{kind} {name}") for name in list(names)[:_MOST])


def _unknown(data: msgspec.Raw, kind: str) -> Iterator[str]:
    given = _KEYS.decode(data)
    yield from given.keys() - _KNOWN[kind]
    for key, (within, listed) in _INNER[kind].items():
        if key in given and bytes(given[key]) != b"null":
            try:
                items = _LISTED_KEYS.decode(given[key]) if listed else [_KEYS.decode(given[key])]
            except msgspec.ValidationError:
                continue  # it was counted as a field that cannot be used
            yield from (f"{key}.{name}" for item in items for name in item.keys() - within)


def _inner(struct: type[msgspec.Struct]) -> dict[str, tuple[frozenset[str], bool]]:
    """Of each field that holds objects: the fields these may have, and whether it is a list of them."""
    found = {}
    for field in msgspec.structs.fields(struct):
        for option in typing.get_args(field.type):
            (item, *_) = typing.get_args(option) or (option,)
            if isinstance(item, type) and issubclass(item, msgspec.Struct):
                found[field.encode_name] = (frozenset(item.__struct_encode_fields__), item is not option)
    return found


_INNER = {kind: _inner(struct) for kind, struct in FUSION_TYPES.items()}
_KNOWN = {
    kind: frozenset(struct.__struct_encode_fields__) | UNREAD_FIELDS.get(kind, frozenset())
    for kind, struct in FUSION_TYPES.items()
}


def unknown_type(kind: str, line: bytes) -> tuple[UnknownWord, ...]:
    """A Fusion event of an unknown type as a word of the turn that it names, if it names one."""
    if ".fusion_" not in kind or not _NAME.fullmatch(kind):
        return ()
    try:
        record = _ANY_FUSION.decode(line)
        return (UnknownWord(record.data.fusion_id, record.id or "", moment(record.timestamp), record.agent_id, kind),)
    except msgspec.ValidationError:
        return ()
