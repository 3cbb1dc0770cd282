"""Generated parts of a document written by hand: what stands between ``<!-- part NAME -->`` and ``<!-- end -->``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

__all__ = ["filled"]

_PART = re.compile(r"<!-- part (\S+) -->\n.*?<!-- end -->\n", re.DOTALL)


def filled(document: str, parts: Mapping[str, Sequence[str]]) -> str:
    """Return ``document`` with the lines of each part in its place.

    Raises:
        KeyError: a part has no place, or a place no part.
    """
    places = _PART.findall(document)
    if sorted(places) != sorted(parts):
        raise KeyError(f"places {sorted(places)}, parts {sorted(parts)}")

    def part(found: re.Match[str]) -> str:
        return f"<!-- part {found[1]} -->\n\n" + "".join(f"{line}\n" for line in parts[found[1]]) + "\n<!-- end -->\n"

    return _PART.sub(part, document)
