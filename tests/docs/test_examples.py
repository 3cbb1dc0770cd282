"""The example: one seeded bug, one failing test, six prompts, and an output in its README that is the program's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fusionscope.commands.expected import decode
from fusionscope.vocabulary import ENUMERATIONS
from tests.logs import CREDIT, Log, place

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return shutil.copytree(EXAMPLES / "pages", tmp_path / "pages")


def _unittest(project: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", "-m", "unittest"], cwd=project, capture_output=True, text=True, timeout=60, check=False
    )


def test_exactly_one_test_of_the_project_fails(project: Path) -> None:
    done = _unittest(project)
    assert "Ran 6 tests" in done.stderr
    assert "FAILED (failures=1)" in done.stderr
    assert "FAIL: test_at_the_end_the_last_page_is_in_it" in done.stderr


def test_the_bug_is_off_by_one(project: Path) -> None:
    path = project / "pages" / "links.py"
    before = path.read_text(encoding="utf-8")
    path.write_text(before.replace("min(first + width, pages)", "min(first + width, pages + 1)"), encoding="utf-8")
    assert path.read_text(encoding="utf-8") != before
    done = _unittest(project)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "OK")


def test_our_own_tests_do_not_collect_it() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "--ignore=tests", "--ignore=bench", "."],
        cwd=EXAMPLES.parent, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 5, done.stdout  # no test was collected


def test_there_are_six_prompts_with_published_patterns_and_the_readme_has_each() -> None:
    prompts = decode((EXAMPLES / "predictions.toml").read_bytes()).prompt
    assert len(prompts) == 6
    assert {prompt.pattern for prompt in prompts} == ENUMERATIONS["pattern"]
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [prompt.name for prompt in prompts if f"| {prompt.name} | {prompt.pattern} |" not in readme] == []


def test_the_output_in_the_readme_is_that_of_a_session_with_three_single_turns(tmp_path: Path) -> None:
    log = Log()
    log.start()
    for name, hundredths in (("f1", 225), ("f2", 421), ("f3", 903)):
        log.resolved(name, "single")
        log.leg(name, 0, "primary", "m-big", hundredths * CREDIT // 100)
        log.completed(name, 0, "m-big", "single")
    place(tmp_path / "sessions", log)
    done = subprocess.run(
        [sys.executable, "-m", "fusionscope", "predictions", EXAMPLES / "predictions.toml",
         "--root", tmp_path / "sessions", "--db", tmp_path / "f.db"],
        capture_output=True, text=True, timeout=60, check=True, env={**os.environ, "COLUMNS": "80"},
    )  # fmt: skip
    block = (EXAMPLES / "README.md").read_text(encoding="utf-8").partition("    prompt  ")[2].partition("\n\n")[0]
    expected = [line.strip() for line in f"prompt  {block}".splitlines()]
    assert [line.strip() for line in done.stdout.splitlines()[: len(expected)]] == expected
