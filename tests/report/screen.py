"""A terminal for tests: what is printed on it, as text."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC
from typing import Any

from rich.cells import cell_len
from rich.console import Console

from fusionscope.report.terminal_canvas import Canvas, canvas_for

Print = Callable[..., None]


def canvas(width: int = 80) -> Canvas:
    return canvas_for(Console(width=width, file=io.StringIO()), UTC)


def printed(print_view: Print, *values: Any, width: int = 80, encoding: str = "utf-8", **console: Any) -> str:
    """Return what a view prints to a file of that width and encoding, in UTC, whatever the machine's environment says."""
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    print_view(Console(width=width, file=file, **{"_environ": {}, **console}), *values, zone=UTC)
    file.flush()
    return raw.getvalue().decode(encoding)


def widest(text: str) -> int:
    return max(cell_len(line) for line in text.split("\n"))
