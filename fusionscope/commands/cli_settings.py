"""Putting the status line into the CLI's settings, and taking it out: only when somebody asks for it, and says yes.

This module is the only code of Fusionscope that writes below the Copilot home, and it writes nothing there but the settings
file that it shows and the copy of it that it makes first. No other module imports it but ``statusline``, for ``--install`` and
``--uninstall``. The settings stand in ``settings.json`` in ``$COPILOT_HOME``, else in ``~/.copilot``, with comments if the
person likes (CLI 1.0.102: ``copilot help config``; older ones used ``config.json``, which the CLI moves there by itself).
"""

from __future__ import annotations

import argparse
import difflib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

from fusionscope.commands.jsonc import parsed as object_in
from fusionscope.commands.jsonc import put, removed
from fusionscope.commands.places import FailedError
from fusionscope.report.text import clean

__all__ = ["change_settings"]

_KEY = "statusLine"


def change_settings(parsed: argparse.Namespace) -> int:
    """Show what would change in the settings, and change it after a yes."""
    path = _settings_path(parsed.settings)
    before = _read(path)
    try:
        text = "" if before is None else before.decode()
        settings = object_in(text)
        after = _uninstalled(text, settings, path) if parsed.uninstall else put(text, _KEY, _status_line(parsed))
        expected = {key: value for key, value in settings.items() if key != _KEY}
        if {key: value for key, value in object_in(after).items() if key != _KEY} != expected:
            raise ValueError("it would not stay whole")
    except (ValueError, RecursionError) as error:
        raise FailedError(f"Cannot change {path}: it holds no JSON object that can be read ({error}).") from error
    if after == text:
        print(f"There is nothing to change in {path}.")
        return 0
    _show(path, text, after)
    if not parsed.yes and not _says_yes():
        print("Nothing was changed.")
        return 0
    copy = _replace(path, before, after.encode())
    print(f"Changed {path}." if copy is None else f"Changed {path}; as it was it is in {copy.name} beside it.")
    print("The CLI takes it from its next start on.")
    return 0


def _settings_path(named: Path | None) -> Path:
    home = os.environ.get("COPILOT_HOME")
    path = named or (Path(home).absolute() if home else Path.home() / ".copilot") / "settings.json"
    path = path.resolve()  # people keep such files elsewhere and link to them: the link stays
    if not path.parent.is_dir():
        raise FailedError(f"There is no directory {path.parent}: start the CLI once, or name its settings with --settings.")
    return path


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FailedError(f"Cannot read {path}: {(error.strerror or str(error)).lower()}.") from error


def _status_line(parsed: argparse.Namespace) -> dict[str, Any]:
    """What is to stand in the settings: the command as this very program can be started again, with the places given now."""
    program = "fusionscope" if shutil.which("fusionscope") else str(Path(sys.argv[0]).absolute())
    words = [program, "statusline"]
    if parsed.db:
        words += ["--db", str(parsed.db.absolute())]
    for root in parsed.root:
        words += ["--root", str(root.absolute())]
    return {"type": "command", "command": subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)}


def _uninstalled(text: str, settings: dict[str, Any], path: Path) -> str:
    there = settings.get(_KEY)
    command = there.get("command") if isinstance(there, dict) else None
    if there is not None and not (isinstance(command, str) and "fusionscope" in command):
        raise FailedError(f"The status line in {path} is another program's; it stays as it is.")
    return removed(text, _KEY)


def _show(path: Path, before: str, after: str) -> None:
    print(f"{path} would change like this:\n")
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "as it is", "as it would be", n=1, lineterm="")
    for line in lines:
        print(f"  {clean(line)}")
    print()


def _says_yes() -> bool:
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        raise FailedError("Nothing was changed: run this on a terminal to say yes, or give --yes.")
    try:
        return input("Change it? Type yes: ").strip().lower() == "yes"
    except EOFError:
        print()
        return False


def _replace(path: Path, before: bytes | None, after: bytes) -> Path | None:
    """Write the new settings in one step, after a copy of the old ones; returns the copy."""
    copy = None
    try:
        if before is not None:
            copy = _copied(path)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name + ".", delete=False) as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        try:
            if before is not None:
                shutil.copymode(path, file.name)
            if _read(path) != before:
                raise FailedError(f"Another program changed {path} meanwhile: nothing was changed, run this again.")
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise FailedError(f"Cannot write below {path.parent}: {(error.strerror or str(error)).lower()}.") from error
    return copy


def _copied(path: Path) -> Path:
    stamp = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
    copy = path.with_name(f"{path.name}.{stamp}.backup")
    number = 1
    while copy.exists():
        number += 1
        copy = path.with_name(f"{path.name}.{stamp}-{number}.backup")
    shutil.copy2(path, copy)
    return copy
