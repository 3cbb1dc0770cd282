"""From the bytes of one line to a fact: the usual way, the slow way for odd lines, and what to do with damaged ones."""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

import msgspec

from fusionscope.decode.events import DECODERS, FUSION_TYPES, TYPES, TypeOnly
from fusionscope.decode.facts import fact_of
from fusionscope.decode.lenient import decode_leniently
from fusionscope.decode.unknown import unknown_fields, unknown_type
from fusionscope.store.facts import Fact, TurnFact, UnknownWord
from fusionscope.vocabulary import ORDINARY_TYPES

__all__ = ["RECORD_START", "Reading", "read_line", "read_record"]

RECORD_START = b'{"type":"'  # how the CLI begins every record (1.0.84, 1.0.102); another order of keys takes the slow way
_RESCUES = 20  # how many beginnings of a record to try in a damaged line: the whole one is the last or near it
_BOM = b"\xef\xbb\xbf"
_KINDS = {kind.encode(): kind for kind in DECODERS}
_TYPE_ONLY = msgspec.json.Decoder(TypeOnly)
_HALF_OF_A_PAIR = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,80}")


class Reading(NamedTuple):
    """What a line held: a fact, or an unknown event type, and what is bad of it. Nothing at all: an ordinary event.

    ``words`` are those of a Fusion event that this release does not know.
    """

    fact: Fact | None = None
    words: tuple[UnknownWord, ...] = ()
    unknown_type: str | None = None
    bad: str | None = None


def read_line(line: bytes, session_id: str) -> Reading:
    """Read one line (without its line end) of the log of ``session_id``.

    A damaged line may hold a whole record at its end, written after an incomplete one without a line end between them
    (github/copilot-cli#4098): it is recovered, and the line still counts as bad.
    """
    if not line.startswith(RECORD_START) or line[-1:] != b"}":
        line = line.strip(b" \t\r").removeprefix(_BOM)
    reading = read_record(line, session_id) if line else Reading()
    start = len(line)
    for _ in range(_RESCUES if reading.bad and not reading.fact else 0):
        if (start := line.rfind(RECORD_START, 1, start)) < 0:
            break
        if isinstance((rescued := read_record(line[start:], session_id)).fact, TurnFact):
            return rescued._replace(bad=reading.bad)
    return reading


def read_record(line: bytes, session_id: str) -> Reading:
    """Read ``line`` as one record and nothing else."""
    try:
        return _decode(line, session_id)
    except msgspec.ValidationError as error:
        return Reading(bad=f"not an event: {error}"[:200])
    except msgspec.DecodeError:
        # text cut in the middle of an emoji leaves half of it, which is no reason to lose the leg that said it
        whole, halves = _HALF_OF_A_PAIR.subn(rb"\\ufffd", line)
        return read_record(whole, session_id) if halves else Reading(bad="not JSON")
    except RecursionError:
        return Reading(bad="nested too deeply")


def _decode(line: bytes, session_id: str) -> Reading:
    kind = _type_of(line)
    if kind not in DECODERS:
        _TYPE_ONLY.decode(line)
        if kind in ORDINARY_TYPES:
            return Reading()
        return Reading(words=unknown_type(kind, line), unknown_type=kind if _NAME.fullmatch(kind) else "(not a name)")
    wrong: list[str] = []
    try:
        record = DECODERS[kind].decode(line)
    except msgspec.ValidationError:
        record, wrong = decode_leniently(line, TYPES[kind])
    # the same line always gives the same stand-in for an id, wherever it is copied to
    event_id = record.id or "line-" + hashlib.blake2b(line, digest_size=16).hexdigest()
    fact = fact_of(kind, record, event_id, session_id)
    words = unknown_fields(kind, line, fact) if fact and kind in FUSION_TYPES else ()
    return Reading(fact, words, bad=f"unusable field: {'; '.join(wrong)}"[:200] if wrong else None)


def _type_of(line: bytes) -> str:
    if line.startswith(RECORD_START):
        name = line[len(RECORD_START) : line.find(b'"', len(RECORD_START))]
        if name in _KINDS:
            return _KINDS[name]
        if name.isascii() and b"\\" not in name:
            return name.decode()
    return _TYPE_ONLY.decode(line).type
