"""Where the database is. Imports next to nothing: the status line waits for it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from fusionscope.ingest.find import Root

__all__ = ["FailedError", "database_at", "keep_out", "state_directory"]

_PLATFORM: str = sys.platform


class FailedError(Exception):
    """A command cannot go on; the message is one sentence for a person."""


def database_at(named: Path | None, roots: Sequence[Root]) -> Path:
    """Where the database is that somebody named, or the usual one.

    It must not lie among the files that it is made from: those are the CLI's.
    """
    given = named or os.environ.get("FUSIONSCOPE_DB")
    if given:
        try:
            path = Path(given).expanduser().absolute()
        except RuntimeError as error:
            raise FailedError(f"Cannot tell where {given} is: {error}") from error
    else:
        path = state_directory(os.environ) / "fusionscope.db"
    keep_out(path, "The database", "--db", roots)
    return path


def state_directory(environment: Mapping[str, str]) -> Path:
    """The platform's directory for the state of this program.

    On Linux it is told without platformdirs, which takes as long to load as the interpreter to start. A test compares the two.
    """
    home = environment.get("XDG_STATE_HOME", "")
    if _PLATFORM == "linux" and (not home or home.startswith("/")):
        return (Path(home) if home else Path.home() / ".local" / "state") / "fusionscope"
    import platformdirs

    return platformdirs.user_state_path("fusionscope", appauthor=False)


def keep_out(path: Path, what: str, option: str, roots: Sequence[Root]) -> None:
    """See that ``path`` does not lie where only the CLI writes.

    Raises:
        FailedError: it does; ``what`` it would be and the ``option`` that names another place are in its sentence.
    """
    for directory in [*(root.path for root in roots), Path.home() / ".copilot"]:
        if path.resolve().is_relative_to(directory.resolve()):
            raise FailedError(
                f"{what} {path} would lie below {directory}, where only the CLI writes; name another with {option}."
            )
