"""Changing one key of a JSON object in its text, so that everything else of the text stays as it is.

Comments and trailing commas are allowed, as the CLI allows them in its settings. Text in, text out; no file is touched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["parsed", "put", "removed"]

_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])')
_SPACE = " \t\r\n"
_INDENT = "\n  "


class _Member(NamedTuple):
    """One key of the outermost object, and where it stands in the text: from its name to the end of its value."""

    name: str
    start: int
    value: int
    end: int


def parsed(text: str) -> dict[str, Any]:
    """The object that ``text`` holds; of no text an empty one.

    Raises:
        ValueError: it holds something else, or a key twice.
    """
    plain = _without_comments(text)
    held = json.loads(plain) if plain.strip() else {}
    if not isinstance(held, dict):
        raise ValueError("not a JSON object")
    if plain.strip() and len(list(_members(plain))) != len(held):
        raise ValueError("a key stands in it twice")
    return held


def put(text: str, name: str, value: Any) -> str:
    """``text`` with ``value`` under ``name``: in the place of the old one, else behind the last key, indented like it.

    Raises:
        ValueError: ``text`` holds no JSON object.
    """
    parsed(text)
    plain, written = _without_comments(text), json.dumps(value, ensure_ascii=False)
    entry = f"{json.dumps(name)}: {written}"
    if not plain.strip():
        return f"{{{_INDENT}{entry}\n}}\n"
    members = list(_members(plain))
    for member in members:
        if member.name == name:
            return text[: member.value] + written + text[member.end :]
    if not members:
        brace = plain.index("{") + 1
        return f"{text[:brace]}{_INDENT}{entry}\n{text[brace:].lstrip(_SPACE)}"
    last = members[-1]
    return f"{text[: last.end]},{text[_space_before(text, last.start) : last.start]}{entry}{text[last.end :]}"


def removed(text: str, name: str) -> str:
    """``text`` without the key ``name``, and without the comma that told it from its neighbour.

    Raises:
        ValueError: ``text`` holds no JSON object.
    """
    parsed(text)
    plain = _without_comments(text)
    members = list(_members(plain))
    place = next((place for place, member in enumerate(members) if member.name == name), None)
    if place is None:
        return text
    start, end = _space_before(text, members[place].start), members[place].end
    if place:
        comma = plain.index(",", members[place - 1].end)
        return text[:comma] + text[comma + 1 : start] + text[end:]
    if len(members) > 1:
        end = plain.index(",", end) + 1
    return text[:start] + text[end:]


def _without_comments(text: str) -> str:
    """Spaces in the place of comments and trailing commas, so that every other sign keeps its place."""

    def blank(found: re.Match[str]) -> str:
        return found[0] if found[0].startswith('"') else re.sub(r"[^\n]", " ", found[0])

    whole = " " + text[1:] if text.startswith("\ufeff") else text
    return _TRAILING_COMMA.sub(blank, _COMMENT.sub(blank, whole))


def _members(plain: str) -> Iterator[_Member]:
    at = _next(plain, plain.index("{") + 1)
    while plain[at] != "}":
        name, after = json.JSONDecoder().raw_decode(plain, at)
        value = _next(plain, _next(plain, after) + 1)
        _, end = json.JSONDecoder().raw_decode(plain, value)
        yield _Member(name, at, value, end)
        at = _next(plain, end)
        at = _next(plain, at + 1) if plain[at] == "," else at


def _next(plain: str, at: int) -> int:
    while plain[at] in _SPACE:
        at += 1
    return at


def _space_before(text: str, at: int) -> int:
    return len(text[:at].rstrip(_SPACE))
