"""Where a command's result goes: standard output, or a file that somebody names. Never among the files of the CLI."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from fusionscope.commands.places import FailedError, keep_out
from fusionscope.ingest.find import Root

__all__ = ["STDOUT", "destination", "write_out"]

#: what stands for standard output where a file may be named
STDOUT = "-"


def destination(named: str, roots: Sequence[Root]) -> Path:
    """The file ``named``; refuses one that would lie where only the CLI writes."""
    path = Path(named).absolute()
    keep_out(path, "The file", "FILE", roots)
    return path


def write_out(content: str, named: str | None, roots: Sequence[Root]) -> None:
    """Write text as it is, its line ends too, to standard output or to the file ``named``."""
    if named in (None, STDOUT):
        sys.stdout.flush()
        sys.stdout.buffer.write(content.encode())
        return
    path = destination(str(named), roots)
    try:
        path.write_bytes(content.encode())
    except OSError as error:
        raise FailedError(f"Cannot write {path}: {(error.strerror or str(error)).lower()}.") from error
