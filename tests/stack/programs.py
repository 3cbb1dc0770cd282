"""Programs that the tests of the stack run, and no Python package brings: found, or said to be missing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

__all__ = ["ROOT", "missing", "program"]

ROOT = Path(__file__).parents[2]


def program(name: str) -> str:
    """Return the path of a program, from what `.ci/tools` fetched or from PATH; skip the test without it, in CI fail."""
    found = shutil.which(name, path=os.pathsep.join([str(ROOT / ".tools" / "usr" / "bin"), os.environ.get("PATH", "")]))
    return found or missing(name)


def missing(what: str) -> NoReturn:
    """Skip the test, in CI fail it: what is not run is not shown as passed."""
    reason = f"{what} is not here: .ci/tools fetches it"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
