"""What may stand on the wire: text that is short and printable, numbers that fit, moments that a clock can show.

The OTLP encoder sends ``None`` as an empty value, drops an int beyond 64 bits with a traceback in the log, fails on a
lone surrogate and never shortens a text. Everything a log can hold passes through here first.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.util.types import AttributeValue

__all__ = [
    "LONGEST_MOMENT",
    "LONGEST_NAME",
    "LONGEST_TEXT",
    "MARK",
    "attributes",
    "clean",
    "moment",
    "nanoseconds",
    "number",
]

#: characters; the longest id that a log may have, because a cut id is another id
LONGEST_TEXT = 512
LONGEST_NAME = 128
#: items of a list; a turn with more models or critics than this has no use for their names
_LONGEST_LIST = 64
#: ends every text that was cut
MARK = "… (cut)"

_LARGEST_INT = 2**63 - 1
#: the last millisecond whose nanoseconds fit a signed 64-bit integer, as back ends keep them: 2262-04-11
LONGEST_MOMENT = _LARGEST_INT // 1_000_000

#: categories of signs that show nothing, or turn the direction of what follows
_INVISIBLE = frozenset({"Cf", "Cs", "Co", "Cn"})
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


def clean(text: str, longest: int = LONGEST_TEXT) -> str:
    """Return ``text`` on one line, without control or invisible characters, at most ``longest`` long; a mark ends a cut one."""
    head = text[: 4 * longest]
    flat = " ".join(_CONTROL.sub(" ", head).split())
    if not flat.isascii():
        flat = "".join("\ufffd" if unicodedata.category(sign) in _INVISIBLE else sign for sign in flat)
    if len(head) == len(text) and len(flat) <= longest:
        return flat
    return flat[: longest - len(MARK)] + MARK


def number(value: float | None) -> int | float | None:
    """Return ``value``, or ``None`` where it is no amount: not known, not finite, beyond 64 bits, below zero."""
    if value is None or not 0 <= value <= (_LARGEST_INT if isinstance(value, int) else math.inf):
        return None
    return value if math.isfinite(value) else None


def attributes(values: Mapping[str, object]) -> dict[str, AttributeValue]:
    """Return the attributes that have a value, cleaned. What the log does not say is left off, never sent as empty."""
    found: dict[str, AttributeValue] = {}
    for key, value in values.items():
        if isinstance(value, str):
            if text := clean(value):
                found[key] = text
        elif isinstance(value, bool):
            found[key] = value
        elif isinstance(value, int):
            if -_LARGEST_INT <= value <= _LARGEST_INT:
                found[key] = value
        elif isinstance(value, float):
            if math.isfinite(value):
                found[key] = value
        elif isinstance(value, Sequence) and (texts := _texts(value)):
            found[key] = texts
    return found


def _texts(values: Sequence[object]) -> tuple[str, ...]:
    texts = [text for value in values[:_LONGEST_LIST] if (text := clean(str(value)))]
    if len(values) > _LONGEST_LIST:
        texts.append(MARK)
    return tuple(texts)


def moment(ms: float) -> int:
    """Return whole milliseconds since the epoch, inside what OTLP can say."""
    return 0 if isinstance(ms, float) and math.isnan(ms) else round(min(max(ms, 0), LONGEST_MOMENT))


def nanoseconds(ms: int) -> int:
    """Return a moment as OTLP has it. The log has milliseconds, so the last six digits stay zero."""
    return moment(ms) * 1_000_000
