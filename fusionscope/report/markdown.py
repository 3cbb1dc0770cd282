"""Pieces of Markdown whose text may come from a log: nothing in it becomes a tag, a picture or the edge of a cell."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fusionscope.report.text import shown

__all__ = ["code", "table", "text"]

_BACKTICKS = re.compile(r"`+")
_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|!&~])")


def code(text: str) -> str:
    """Return ``text`` as code that can stand in a cell: a bar is escaped, backticks are fenced by more of them."""
    safe = shown(text).strip().replace("|", "\\|") or " "
    fence = "`" * (1 + max((len(run) for run in _BACKTICKS.findall(safe)), default=0))
    pad = " " if "`" in safe else ""
    return f"{fence}{pad}{safe}{pad}{fence}"


def text(words: str) -> str:
    """Return a person's sentence with every sign that Markdown or HTML would take for its own escaped."""
    return _SIGNS.sub(r"\\\1", shown(words, 1_000)).strip()


def table(heading: Sequence[str], rows: Sequence[Sequence[str]], numbers: int | None = None) -> list[str]:
    """Return the lines of a table; columns from the ``numbers``-th on stand to the right."""
    right = len(heading) if numbers is None else numbers
    rule = ["---:" if place >= right else "---" for place in range(len(heading))]
    return [f"| {' | '.join(cells)} |" for cells in (heading, rule, *rows)]
