"""Finding ccusage, the fastest other reader of Copilot CLI logs: a native program behind a launcher that runs in node."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

__all__ = ["HOW_TO_GET", "Ccusage", "find_ccusage"]

HOW_TO_GET = (
    "To compare with ccusage: `npm install ccusage@20.0.26` in a temporary directory, then"
    " `--ccusage DIRECTORY/node_modules/.bin/ccusage`."
)


class Ccusage(NamedTuple):
    """A program to start, its version as it says it, and whether node stands between (which costs a start of node)."""

    path: Path
    version: str
    through_node: bool


def find_ccusage(given: Path | None) -> Ccusage | None:
    """The native program behind ``given`` or behind ``ccusage`` on PATH, else what was found itself.

    Raises:
        OSError: what was given cannot be started.
        subprocess.CalledProcessError: it fails.
    """
    found = given or Path(shutil.which("ccusage") or "")
    if not found.name:
        return None
    launcher = found.resolve()
    # the launcher makes the native program executable when it runs for the first time
    version = subprocess.run([launcher, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.split()[-1]
    native = _native(launcher)
    return Ccusage(native or launcher, version, through_node=native is None and _is_script(launcher))


def _is_script(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def _native(launcher: Path) -> Path | None:
    """The native program, which npm lays beside the launcher's package or inside it."""
    if not _is_script(launcher):
        return launcher
    for directory in launcher.parents:
        for path in sorted(directory.glob("node_modules/@ccusage/ccusage-*/bin/ccusage*")):
            if os.access(path, os.X_OK):
                return path
    return None
