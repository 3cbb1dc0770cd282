"""Where logs lie, who may read them, and how many there are. Faults of kinds F and G."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

import pytest

from fusionscope.follow.index import index
from fusionscope.ingest import log as ingest_log
from fusionscope.ingest.find import Root
from fusionscope.store import read
from tests.conftest import Stage
from tests.follow.files import append, rewound
from tests.logs import CREDIT, Log, a_turn, place

WHOLE = 25 * CREDIT // 2
LONG_AGO = 1_700_000_000


def many(stage: Stage, number: int) -> list[Path]:
    """Old sessions of one turn each."""
    paths = [place(stage.root, bytes(Log(f"s{n}").turn(f"f{n}")), f"session-{n:03}") for n in range(number)]
    for path in paths:
        os.utime(path, (LONG_AGO, LONG_AGO))
    return paths


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The logs that were opened."""
    paths: list[Path] = []
    really = ingest_log._open

    def note(path: bytes) -> FileIO:
        paths.append(Path(os.fsdecode(path)))
        return really(path)

    monkeypatch.setattr(ingest_log, "_open", note)
    monkeypatch.setattr(ingest_log, "_YOUNG_NS", 0)  # the test does not wait until a file is old
    return paths


def test_a_later_pass_opens_only_what_changed(stage: Stage, opened: list[Path]) -> None:
    paths = many(stage, 300)
    stage.index()
    assert sorted(opened) == paths
    opened.clear()
    stage.index()
    assert opened == []
    append(paths[7], bytes(Log("later").turn("later")))
    paths[8].rename(paths[8].with_name("x"))
    shutil.copy2(paths[8].with_name("x"), paths[8])  # the same bytes, size and time in another file
    done = stage.index()
    assert opened == paths[7:9]
    assert (done.new_bytes, done.turns) == (len(bytes(Log("later").turn("later"))), ["later"])


def test_a_large_log_takes_the_memory_of_a_block(stage: Stage) -> None:
    filler = b"".join(Log("filler").event("tool.execution_complete", result={"content": "x" * 900}) for _ in range(200))
    with place(stage.root, b"", "large").open("ab") as file:
        for n in range(100):
            file.write(bytes(Log(f"s{n}").turn(f"f{n}")) + filler)
    tracemalloc.start()
    done = stage.index()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert done.new_bytes > 20_000_000
    assert (len(stage.turns()), stage.nano_aiu()) == (100, 100 * WHOLE)
    assert peak < 8_000_000


def test_sessions_deleted_in_the_middle_of_a_pass_are_no_error_and_lose_nothing(stage: Stage) -> None:
    paths = many(stage, 20)
    stage.index()
    for path in paths:
        append(path, bytes(Log(f"again {path.parent.name}").turn(f"again {path.parent.name}")))

    def delete_all(done: int, total: int) -> None:
        for directory in stage.root.iterdir():
            shutil.rmtree(directory)

    index(stage.connection, [Root(stage.root, "a test")], delete_all)
    stage.index()
    assert stage.index().problems == []
    # the one log that was read before the deletion had a second turn
    assert (len(stage.turns()), stage.nano_aiu(), rewound(stage)) == (21, 21 * WHOLE, set())


def test_a_root_that_is_away_for_a_while_has_lost_no_session(stage: Stage) -> None:
    many(stage, 3)
    stage.index()
    before = stage.connection.execute("SELECT path, offset, generation, gone FROM log ORDER BY path").fetchall()
    stage.root.rename(stage.root.with_name("unmounted"))
    (problem,) = stage.index().problems
    assert problem == f"Cannot read {stage.root} (a test): no such file or directory."
    assert stage.connection.execute("SELECT path, offset, generation, gone FROM log ORDER BY path").fetchall() == before
    stage.root.with_name("unmounted").rename(stage.root)
    assert (stage.index().new_bytes, stage.nano_aiu()) == (0, 3 * WHOLE)


@pytest.mark.parametrize("readable", [4_096, 8_192])
def test_a_log_that_cannot_be_read_to_its_end_is_read_again_and_nothing_is_doubled(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, readable: int
) -> None:
    class Failing(FileIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() + (size or 0) > readable:
                raise OSError(5, "Input/output error")
            return super().read(size)

    path = place(stage.root, a_turn("f1"))
    stage.index()
    log = Log("other")
    for n in range(2, 5):
        log.event("session.fusion_debated")
        log.turn(f"f{n}")
    path.write_bytes(b"bad\n" + bytes(log))  # another file: read again from its first byte
    monkeypatch.setattr(ingest_log, "_BLOCK", 4_096)
    with monkeypatch.context() as broken:
        broken.setattr(ingest_log, "FileIO", Failing)
        problems = stage.index().problems + stage.index().problems
        assert set(problems) == {f"Cannot read {path}: input/output error."}
        assert rewound(stage) <= {"f1"}
    assert stage.index().problems == []
    assert (len(stage.turns()), stage.nano_aiu(), rewound(stage)) == (4, 4 * WHOLE, {"f1"})
    assert (stage.reasons(), read.unknown_types(stage.connection)) == (["not JSON"], {"session.fusion_debated": 3})


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may read everything, so tests of permissions run as somebody else."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(user)


@pytest.fixture
def public() -> Iterator[Stage]:
    """A stage in a place that others may enter."""
    with tempfile.TemporaryDirectory() as directory:
        Path(directory).chmod(0o755)
        stage = Stage(Path(directory))
        yield stage
        stage.connection.close()


@pytest.mark.parametrize("what", ["log", "directory"])
def test_what_may_not_be_read_is_named_and_read_when_it_may_be(public: Stage, what: str) -> None:
    locked = place(public.root, a_turn("f1"), "locked")
    readable = place(public.root, a_turn("f2"), "readable")
    public.index()
    append(locked, bytes(Log("x").turn("f3")))
    append(readable, bytes(Log("y").turn("f4")))
    subject = locked if what == "log" else locked.parent
    subject.chmod(0)
    with as_nobody():
        assert public.index().problems == [f"Cannot read {locked}: permission denied."]
    assert sorted(turn.fusion_id for turn in public.turns()) == ["f1", "f2", "f4"]
    assert public.connection.execute("SELECT sum(gone) FROM log").fetchone() == (0,)
    subject.chmod(0o755)
    with as_nobody():
        assert (public.index().problems, public.nano_aiu(), rewound(public)) == ([], 4 * WHOLE, set())


@pytest.mark.parametrize(
    "name",
    [
        b"with spaces # and %20",
        b"a\xffb",
        b"C:\\Users\\\xc3\x84 b\\.copilot",
        b"\\\\wsl.localhost\\U",
        b"n" * 255,
        b"new\nline",
    ],
    ids=["spaces", "no text", "drive", "share", "255 bytes", "line end"],
)
@pytest.mark.parametrize("what", ["root", "session"])
def test_names_may_be_anything_that_the_file_system_takes(stage: Stage, tmp_path: Path, name: bytes, what: str) -> None:
    root = tmp_path / os.fsdecode(name) if what == "root" else stage.root
    session = root / ("session" if what == "root" else os.fsdecode(name))
    session.mkdir(parents=True)
    (session / "events.jsonl").write_bytes(bytes(a_turn()) + b"bad\n")
    for _ in range(2):
        done = stage.index(root)
        assert (done.logs, done.problems) == (1, [])
    assert (stage.nano_aiu(), stage.skipped()) == (WHOLE, 1)
    words = ["turns", "--json", "--root", os.fsdecode(os.fsencode(root)), "--db", str(tmp_path / "other.db")]
    for command in (words, ["skipped", *words[2:]]):
        ran = subprocess.run([sys.executable, "-m", "fusionscope", *command], capture_output=True)
        assert (ran.returncode, ran.stderr) == (0, b"")


def test_a_root_behind_a_symbolic_link_is_the_same_root(stage: Stage, tmp_path: Path) -> None:
    place(stage.root, bytes(a_turn()) + b"bad\n")
    link = tmp_path / "link"
    link.symlink_to(stage.root, target_is_directory=True)
    done = stage.index(link)
    assert (done.logs, stage.nano_aiu()) == (1, WHOLE)
    stage.index(link, stage.root)
    assert (len(stage.turns()), stage.nano_aiu(), len(read.sessions(stage.connection))) == (1, WHOLE, 1)


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="there is no second file system to write to")
def test_a_root_on_another_device_is_read_as_any(stage: Stage, tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
        other = Path(directory) / "session-state"
        if other.parent.stat().st_dev == stage.root.stat().st_dev:
            pytest.skip("the second file system is the first")
        place(other, a_turn("f1"), "s1")
        place(stage.root, a_turn("f2"), "s2")
        (stage.root / "s3").symlink_to(other / "s1", target_is_directory=True)
        stage.index(stage.root, other)
    assert (len(stage.turns()), stage.nano_aiu()) == (2, 2 * WHOLE)
