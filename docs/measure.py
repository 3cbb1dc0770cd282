"""Measures what the real CLI emits and writes ``docs/emitted/{version}.json``: ``make emitted``, where the CLI was fetched."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from docs.emits import MEASURED, measured_path
from tests.real_cli.conftest import Cli, program_of
from tests.real_cli.emitted import emitted


def main() -> None:
    """Run each version once, offline, in a directory that goes afterwards."""
    for version in MEASURED:
        with tempfile.TemporaryDirectory() as directory:
            home = Path(directory) / "home"
            home.mkdir()
            found = emitted(Cli(version, program_of(version), home), Path(directory) / "copilot")
        measured_path(version).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
