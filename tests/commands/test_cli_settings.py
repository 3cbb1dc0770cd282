"""`fusionscope statusline --install`: shown first, done after a yes, everything else of the settings as it was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("needs a terminal of its own, as Unix has them", allow_module_level=True)
import pty

_SETTINGS = '{\n  // mine\n  "theme": "dark",\n  "footer": {"showBranch": true}\n}\n'


class Settings:
    """A Copilot home with settings, and the command on PATH."""

    def __init__(self, directory: Path) -> None:
        self.home = directory / "copilot"
        self.home.mkdir()
        self.path = self.home / "settings.json"
        self.path.write_text(_SETTINGS)
        program = directory / "bin" / "fusionscope"
        program.parent.mkdir()
        program.write_text("")
        program.chmod(0o755)
        self.environment = {**os.environ, "COPILOT_HOME": str(self.home)}
        self.environment["PATH"] = f"{program.parent}{os.pathsep}{os.environ['PATH']}"

    def run(self, *words: str, code: int = 0) -> str:
        """Run the command in a pipe; returns what it said."""
        done = subprocess.run(
            [sys.executable, "-m", "fusionscope", "statusline", *words],
            capture_output=True, timeout=60, check=False, text=True, env=self.environment, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr

    def answer(self, answer: str, words: Sequence[str]) -> str:
        """Run it on a terminal of its own and type ``answer``."""
        child, terminal = pty.fork()
        if child == 0:
            os.execve(sys.executable, [sys.executable, "-m", "fusionscope", "statusline", *words], self.environment)
        said, answered = b"", False
        while True:
            try:
                said += os.read(terminal, 4_096)
            except OSError:
                break
            if not answered and b"Type yes:" in said:
                os.write(terminal, answer.encode() + b"\r")
                answered = True
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        os.close(terminal)
        return said.decode()

    def others(self) -> list[str]:
        """What is beside the settings."""
        return sorted(path.name for path in self.home.iterdir() if path != self.path)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path)


def test_in_a_pipe_the_change_is_shown_and_not_made(settings: Settings) -> None:
    said = settings.run("--install", code=1)
    assert '\n  +  "statusLine": {"type": "command", "command": "fusionscope statusline"}\n' in said
    assert "Nothing was changed" in said
    assert (settings.path.read_text(), settings.others()) == (_SETTINGS, [])


def test_a_typed_yes_makes_the_change_after_a_copy(settings: Settings) -> None:
    settings.path.chmod(0o640)
    said = settings.answer("yes", ["--install"])
    expected = _SETTINGS.replace(
        "true}\n", 'true},\n  "statusLine": {"type": "command", "command": "fusionscope statusline"}\n'
    )
    assert settings.path.read_text() == expected
    assert settings.path.stat().st_mode & 0o777 == 0o640
    (copy,) = settings.others()
    assert copy.startswith("settings.json.")
    assert copy.endswith(".backup")
    assert (settings.home / copy).read_text() == _SETTINGS
    assert copy in said


@pytest.mark.parametrize("answer", ["no", "", "y", "\x04"])
def test_any_other_answer_changes_nothing(settings: Settings, answer: str) -> None:
    assert "Nothing was changed." in settings.answer(answer, ["--install"])
    assert (settings.path.read_text(), settings.others()) == (_SETTINGS, [])


def test_to_install_again_changes_nothing_and_to_uninstall_gives_the_old_text_back(settings: Settings) -> None:
    settings.run("--install", "--yes")
    assert "nothing to change" in settings.run("--install")
    assert len(settings.others()) == 1
    settings.run("--uninstall", "--yes")
    assert settings.path.read_text() == _SETTINGS
    assert "nothing to change" in settings.run("--uninstall")


def test_two_changes_within_a_second_leave_two_copies(settings: Settings) -> None:
    settings.run("--install", "--yes")
    settings.run("--uninstall", "--yes")
    settings.run("--install", "--yes")
    assert len(settings.others()) == 3


def test_the_status_line_of_another_program_is_replaced_only_by_install(settings: Settings) -> None:
    other = '{"statusLine": {"type": "command", "command": "~/mine.sh", "padding": 1}}'
    settings.path.write_text(other)
    assert "another program's" in settings.run("--uninstall", "--yes", code=1)
    assert settings.path.read_text() == other
    said = settings.run("--install", "--yes")
    assert '\n  -{"statusLine": {"type": "command", "command": "~/mine.sh", "padding": 1}}' in said
    assert json.loads(settings.path.read_text()) == {"statusLine": {"type": "command", "command": "fusionscope statusline"}}


@pytest.mark.parametrize("content", [b"{", b"[1]", b"\xff\xfe", b'{"a": 1, "a": 2}', b"[" * 100_000])
def test_settings_that_cannot_be_read_are_refused_and_stay(settings: Settings, content: bytes) -> None:
    settings.path.write_bytes(content)
    assert "no JSON object" in settings.run("--install", "--yes", code=1)
    assert (settings.path.read_bytes(), settings.others()) == (content, [])


def test_settings_that_are_not_there_yet_are_made_beside_the_sessions(settings: Settings) -> None:
    settings.path.unlink()
    settings.run("--install", "--yes")
    assert json.loads(settings.path.read_text())["statusLine"]["command"] == "fusionscope statusline"
    assert settings.path.stat().st_mode & 0o777 == 0o600


def test_a_home_that_is_not_there_is_not_made(settings: Settings, tmp_path: Path) -> None:
    settings.environment["COPILOT_HOME"] = str(tmp_path / "nowhere")
    assert "There is no directory" in settings.run("--install", "--yes", code=1)
    assert not (tmp_path / "nowhere").exists()


def test_a_link_to_the_settings_stays_a_link(settings: Settings, tmp_path: Path) -> None:
    real = settings.path.rename(tmp_path / "dotfile.json")
    settings.path.symlink_to(real)
    settings.run("--install", "--yes")
    assert settings.path.is_symlink()
    assert "statusLine" in real.read_text()


def test_places_given_now_become_part_of_the_command(settings: Settings, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    settings.run("--install", "--yes", "--settings", str(other), "--db", str(tmp_path / "my db"), "--root", str(tmp_path))
    command = json.loads(other.read_text())["statusLine"]["command"]
    assert command == f"fusionscope statusline --db '{tmp_path}/my db' --root {tmp_path}"
    assert settings.path.read_text() == _SETTINGS


def test_a_directory_that_may_not_be_written_is_a_sentence(settings: Settings) -> None:
    settings.path.unlink()
    settings.path.mkdir()
    assert "Cannot read" in settings.run("--install", "--yes", code=1)


def test_without_a_pipe_it_says_who_runs_it(settings: Settings) -> None:
    parent, child = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "fusionscope", "statusline", "--width", "9"],
        stdin=child, capture_output=True, text=True, check=False, env=settings.environment,
    )  # fmt: skip
    os.close(parent)
    os.close(child)
    assert (done.returncode, done.stdout) == (1, "")
    assert "The CLI runs this" in done.stderr
