"""`fusionscope turns` into a file: JSON, CSV, Parquet."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fusionscope.demo import write_demo


class Program:
    """`fusionscope turns` over the demo."""

    def __init__(self, directory: Path) -> None:
        self.root = directory / "copilot" / "session-state"
        write_demo(self.root.parent)
        self.places = ["--root", str(self.root), "--db", str(directory / "state" / "f.db")]

    def __call__(self, *words: str, code: int = 0, **environment: str) -> bytes:
        """Run it; returns what it printed, or its complaint."""
        done = subprocess.run(
            [sys.executable, "-m", "fusionscope", "turns", *words, *self.places],
            capture_output=True, timeout=60, check=False, env={**os.environ, **environment},
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        return done.stdout if code == 0 else done.stderr


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


@pytest.mark.parametrize("form", ["--json", "--csv"])
def test_a_named_file_holds_what_else_is_printed(program: Program, tmp_path: Path, form: str) -> None:
    printed = program(form)
    assert program(form, str(tmp_path / "out")) == b""
    assert (tmp_path / "out").read_bytes() == printed
    assert len(printed) > 5_000


@pytest.mark.parametrize("form", ["--json", "--csv", "--parquet"])
def test_no_file_is_written_among_those_of_the_cli(program: Program, form: str) -> None:
    before = sorted(program.root.rglob("*"))
    assert b"where only the CLI writes" in program(form, str(program.root / "out"), code=1)
    assert sorted(program.root.rglob("*")) == before


@pytest.mark.parametrize("form", ["--json", "--csv"])
def test_a_file_that_cannot_be_written_is_a_sentence(program: Program, tmp_path: Path, form: str) -> None:
    assert b"Cannot write" in program(form, str(tmp_path / "no" / "out"), code=1)


def test_parquet_without_pyarrow_says_what_to_install(program: Program, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "pyarrow.py").write_text("raise ImportError\n")
    told = program("--parquet", str(tmp_path / "out"), code=1, PYTHONPATH=str(blocked))
    assert told == (
        b"fusionscope: Parquet needs pyarrow, which is not installed: install fusionscope[parquet], or take --json."
        + os.linesep.encode()
    )
    assert not (tmp_path / "out").exists()


def test_parquet_has_the_turns_with_types(program: Program, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow (the extra `parquet`) is not installed")
    assert program("--parquet", str(tmp_path / "out")) == b""
    table = parquet.read_table(tmp_path / "out")
    expected = json.loads(program("--json"))
    assert table.column_names == list(expected[0])
    rows = table.to_pylist()
    for row, turn in zip(rows, expected, strict=True):
        for told, given in [(row, turn), *zip(row["legs"], turn["legs"], strict=True)]:
            for name in ("started_at", "ended_at"):
                given[name] = datetime.fromisoformat(given[name])
                assert told[name] == given[name]
        assert row == turn
    assert rows[0]["started_at"] == datetime(2026, 9, 9, 0, 3, 58, 10_000, tzinfo=UTC)
    assert sum(row["nano_aiu"] for row in rows) == 314_600_484_000
    assert b"Cannot write" in program("--parquet", str(tmp_path / "no" / "out"), code=1)
