"""Writes what is generated of the documents: ``make report``.

``FINDINGS.md`` and its pictures are what ``fusionscope report`` makes of the demo; of the others, the parts between marks.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from docs.emits import emits_parts
from docs.parts import filled
from docs.privacy import privacy_parts
from docs.upstream import upstream_parts
from fusionscope.demo import write_demo

__all__ = ["HERE", "documents"]

HERE = Path(__file__).parent

_NOTE = (
    "These are the 24 turns of the demo. They reproduce the figures of a public field report (CLI 1.0.84-2, 2026-09-09, "
    "one machine, one small Python project). One turn is in its log to the nano-AIU; the exact amounts of the others are ours, "
    "chosen so that they round to the printed ones. The report's medians of cascade and critique were not medians of three "
    "turns; those below are."
)


def documents() -> dict[Path, str]:
    """Return each generated file, relative to this directory, with what it must hold."""
    found = _report()
    for name, parts in (
        ("WHAT-THE-CLI-EMITS.md", emits_parts()),
        ("UPSTREAM.md", upstream_parts()),
        ("PRIVACY.md", privacy_parts()),
    ):
        found[Path(name)] = filled((HERE / name).read_text(encoding="utf-8"), parts)
    return found


def _report() -> dict[Path, str]:
    """The field report over the demo, made by the command."""
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        root, out = write_demo(directory / "copilot"), directory / "out"
        places = ["--root", str(root), "--db", str(directory / "demo.db"), "--out", str(out)]
        command = [sys.executable, "-m", "fusionscope", "report", *places, "--note", _NOTE]
        subprocess.run(command, cwd=HERE.parent, check=True, stdout=subprocess.DEVNULL)
        return {path.relative_to(out): path.read_text(encoding="utf-8") for path in sorted(out.rglob("*.*"))}


def main() -> None:
    """Write them all."""
    for path, text in documents().items():
        (HERE / path).parent.mkdir(exist_ok=True)
        (HERE / path).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
