"""Where the session logs lie: the directories that the CLI itself would use, or those that the person names."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from fusionscope.ingest.find import Root

__all__ = ["cli_root", "roots"]

_STATE_DIRECTORY = "session-state"


def roots(given: Sequence[Path], environment: Mapping[str, str], home: Path) -> list[Root]:
    """The roots to read: those given, else the one that the CLI itself would use.

    A given path may name a Copilot home or a directory of sessions.
    """
    if given:
        return list(dict.fromkeys(Root(_sessions_of(path), "given with --root") for path in given))
    return [cli_root(environment, home)]


def cli_root(environment: Mapping[str, str], home: Path) -> Root:
    """The root that a CLI would use that is started here without ``--config-dir``.

    The CLI takes ``COPILOT_HOME`` as it stands, relative to its working directory and without expanding ``~`` (CLI 1.0.102).
    """
    if copilot_home := environment.get("COPILOT_HOME"):
        return Root(Path(copilot_home).absolute() / _STATE_DIRECTORY, f"COPILOT_HOME is {copilot_home}")
    return Root(home / ".copilot" / _STATE_DIRECTORY, "the CLI's default; COPILOT_HOME is not set")


def _sessions_of(path: Path) -> Path:
    below = path.absolute() / _STATE_DIRECTORY
    # unlike Path.is_dir, it says no where it may not look
    if os.path.isdir(below) or not os.path.isdir(path) or path.name == ".copilot":  # noqa: PTH112
        return below if path.name != _STATE_DIRECTORY else path.absolute()
    return path.absolute()
