"""Indexing only reads below the session root, and keeps nothing open: as the kernel sees it. Fault G9."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Stage
from tests.logs import Log, a_turn, place

_CALL = re.compile(r"(?:\[pid +\d+\] |\d+ +)?(\w+)\((.*)\) += ")
_READING = {
    "access", "close", "faccessat", "faccessat2", "fcntl", "fstat", "getdents64", "ioctl", "lseek", "lstat", "newfstatat",
    "open", "openat", "pread64", "read", "readlink", "readlinkat", "stat", "statfs", "statx",
}  # fmt: skip


def _names(root: Path, call: str, given: str) -> bool:
    """Whether a call is about something below ``root``, and does not only write its name somewhere."""
    return f"<{root}" in given or (f'"{root}' in given and "write" not in call)


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace (a Debian package) is not installed")
def test_a_pass_of_the_real_program_only_reads_below_the_root_and_closes_what_it_opens(stage: Stage, tmp_path: Path) -> None:
    log = a_turn("f1")
    path = place(stage.root, bytes(log) + b"\0" * 10)
    place(stage.root, Log("other").turn("f2"))
    path.with_name("workspace.yaml").write_text("id: x\n")

    def listing() -> list[tuple[str, int, int, int]]:
        found = [(str(path), path.lstat()) for path in sorted(stage.root.parent.rglob("session-state*/**/*"))]
        return [(name, status.st_mtime_ns, status.st_ctime_ns, status.st_size) for name, status in found]

    trace = tmp_path / "trace"
    words = ["strace", "-f", "-y", "-qq", "-s", "512", "-e", "trace=%file,%desc", "-o", str(trace)]
    words += [sys.executable, "-m", "fusionscope", "index", "--root", str(stage.root), "--db", str(tmp_path / "t" / "f.db")]
    before = listing()
    for content in (bytes(log), bytes(a_turn("f3"))):
        subprocess.run(words, check=True, capture_output=True)
        assert listing() == before
        calls = [line for line in trace.read_text().splitlines() if str(stage.root) in line and "execve(" not in line]
        calls = [call for call in calls if " = -1 ENOENT" not in call]  # most sessions have no workspace.yaml here
        made = [(found[1], found[2]) for call in calls if (found := _CALL.match(call)) and _names(stage.root, *found.groups())]
        assert {name for name, _ in made} <= _READING
        opens = [given for name, given in made if name in ("open", "openat")]
        assert sum(str(path) in given for given in opens) == 1
        assert not [given for given in opens if re.search("O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND", given)]
        assert not [given for name, given in made if name == "fcntl" and "LCK" in given]
        closed = sum(name == "close" for name, _ in made)
        assert closed == len(opens)
        path.write_bytes(content)  # what the next pass finds was replaced
        before = listing()
