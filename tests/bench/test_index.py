"""The benchmark of reading runs, and says whether the answer is exact. Nothing here looks at a time."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from bench.ccusage import find_ccusage
from bench.measure import Run, medians
from bench.state import write_state
from bench.truth import TRUTH_NAME

needs_unix = pytest.mark.skipif(not hasattr(os, "wait4") or not shutil.which("cat"), reason="needs wait4 and cat")


@needs_unix
def test_wrong_answer_fails_the_benchmark(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from bench.index import main

    truth = write_state(tmp_path, 50_000, 1, seed=1)
    (tmp_path / TRUTH_NAME).write_text(json.dumps({**vars(truth), "legs": truth.legs + 1}))
    assert main(["--state", str(tmp_path), "--runs", "1"]) == 1
    printed = capsys.readouterr().out
    assert "fusionscope index, cold" in printed
    # and nothing else is wrong
    assert printed.endswith(f"The answer is WRONG:\n  legs: {truth.legs}, in truth {truth.legs + 1}\n")


@pytest.mark.skipif(sys.platform == "win32", reason="scripts need a Unix")
def test_ccusage_is_the_native_program_behind_the_launcher(tmp_path: Path) -> None:
    launcher = _script(tmp_path / "node_modules" / "ccusage" / "src" / "cli.js", "echo ccusage 20.0.26")
    link = tmp_path / "node_modules" / ".bin" / "ccusage"
    link.parent.mkdir()
    link.symlink_to(launcher)
    found = find_ccusage(link)
    assert found is not None
    assert found == (launcher, "20.0.26", True)
    native = _script(tmp_path / "node_modules" / "@ccusage" / "ccusage-some-os" / "bin" / "ccusage", "true")
    assert find_ccusage(link) == (native, "20.0.26", False)


def test_medians_of_each_figure() -> None:
    assert medians([Run(1, 9, 5), Run(3, 7, 5), Run(2, 8, 50)]) == Run(2, 8, 5)


def _script(path: Path, command: str) -> Path:
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{command}\n")
    path.chmod(0o755)
    return path
