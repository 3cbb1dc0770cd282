"""The preflight in compose.yaml, run as the user that the follower runs as, on real files."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stack.programs import ROOT

#: whoever runs the tests as root runs the preflight as somebody else
OTHER = 12_345
NOT_ROOT = OTHER if os.getuid() == 0 else os.getuid()


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory that everybody may enter, unlike pytest's own; with a state directory as the image has it."""
    place = Path(tempfile.mkdtemp(prefix="preflight "))
    place.chmod(0o755)
    (place / "state").mkdir()
    (place / "state").chmod(0o1777)
    yield place
    shutil.rmtree(place)


def preflight(place: Path) -> tuple[int, str]:
    done = subprocess.run(
        # Debian's Python or that of the tests: whichever a stranger may run
        ["python3", str(copied(place)), str(place / "session-state"), str(place / "state")],
        env={"PATH": "/usr/bin:/bin", "SESSIONS": "~/.copilot/session-state"},
        user=NOT_ROOT if os.getuid() == 0 else None,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr.strip()


def copied(place: Path) -> Path:
    """The script where a stranger may read it."""
    script = place / "preflight.py"
    script.write_bytes((ROOT / "stack/follower/preflight.py").read_bytes())
    script.chmod(0o644)
    return script


def session(place: Path, name: str = "a") -> Path:
    log = place / "session-state" / name / "events.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("{}\n", encoding="utf-8")
    return log


def test_sessions_that_can_be_read_are_all_it_wants(place: Path) -> None:
    session(place)
    assert preflight(place) == (0, "")


def test_a_directory_without_sessions_is_fine(place: Path) -> None:
    (place / "session-state").mkdir()
    os.chown(place / "session-state", NOT_ROOT, -1)
    assert preflight(place) == (0, "")


def test_a_missing_directory_is_told_by_the_name_that_the_person_knows(place: Path) -> None:
    code, said = preflight(place)
    assert code == 1
    assert said.startswith("preflight: There is no directory ~/.copilot/session-state. Run copilot once, which makes it.")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a directory of root")
def test_a_directory_that_docker_made_is_told_from_one_of_the_cli(place: Path) -> None:
    (place / "session-state").mkdir(mode=0o755)
    code, said = preflight(place)
    assert code == 1
    assert "belongs to root: Docker made it because it was missing" in said
    assert "sudo rmdir ~/.copilot/session-state" in said


@pytest.mark.parametrize("closed", ["log", "session", "root"])
def test_logs_that_only_their_owner_may_read_ask_for_that_user(place: Path, closed: str) -> None:
    log = session(place)
    path = {"log": log, "session": log.parent, "root": log.parent.parent}[closed]
    path.chmod(0o600 if path is log else 0o700)
    if os.getuid() != 0:
        path.chmod(0)
    owner = path.stat()
    code, said = preflight(place)
    path.chmod(0o700)
    assert code == 1
    assert f"the follower runs as user {NOT_ROOT}" in said
    assert said.endswith(f"FUSIONSCOPE_USER={owner.st_uid}:{owner.st_gid} docker compose up -d")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make files of somebody else")
def test_logs_of_mode_0600_are_read_as_their_owner(place: Path) -> None:
    log = session(place)
    log.chmod(0o600)
    for path in (log, log.parent, log.parent.parent):
        os.chown(path, OTHER, OTHER)
    assert preflight(place) == (0, "")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make files of somebody else")
def test_a_database_of_another_user_is_told_before_anything_fails(place: Path) -> None:
    session(place)
    database = place / "state" / "fusionscope.db"
    database.touch(mode=0o600)
    os.chown(database, 1_000, 1_000)
    code, said = preflight(place)
    assert code == 1
    assert "Set FUSIONSCOPE_USER to 1000:1000" in said
