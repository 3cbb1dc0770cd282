"""``report`` and ``predictions``, run as a person runs them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fusionscope.demo import write_demo
from tests.logs import CREDIT, Log, place
from tests.test_cli import Program


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def _session(name: str, *patterns: str, begins: str = "2026-11-30T10:00:00") -> Log:
    log = Log(name, begins)
    log.start()
    for number, pattern in enumerate(patterns):
        fusion_id = f"{name}-{number}"
        log.user()
        log.resolved(fusion_id, pattern)
        log.leg(fusion_id, 0, "primary", "m-small", CREDIT)
        log.completed(fusion_id, 0, "m-small", pattern)
    return log


def test_the_report_is_a_document_with_its_pictures(program: Program, tmp_path: Path) -> None:
    write_demo(program.root.parent)
    out = tmp_path / "made" / "here"
    assert program("report", "--out", str(out), "--note", "A *note*.") == f"{out / 'FINDINGS.md'}\n"
    page = (out / "FINDINGS.md").read_text(encoding="utf-8")
    assert page.startswith("# Findings\n\nA \\*note\\*.\n\n**24 turns, 6 sessions, 2026-09-09 (UTC), 314.60 credits ($3.15)")
    # as in the field report, but for the medians of three
    (single,) = [line for line in page.splitlines() if line.startswith("| `single` | 18 | 187.03 |")]
    assert single.endswith("| 7.97 | 27.7 s |")
    assert "| `claude-opus-5` | 3 | 131.78 | 41.9 % |" in page
    assert "| judge rejection rate | verdicts that said reject | 67 % | 2 of 3 verdicts |" in page
    shown = {path.name for path in (out / "findings").iterdir()}
    assert len(shown) == 6
    assert all(f"(findings/{name})" in page for name in shown)


def test_the_report_on_some_turns_has_only_their_reviews(program: Program, tmp_path: Path) -> None:
    place(program.root, Log("a").turn("f1"))
    place(program.root, Log("b", "2026-12-01T10:00:00").turn("f2"))
    program("report", "--out", str(tmp_path / "all"))
    program("report", "--out", str(tmp_path / "one"), "--limit", "1")
    row = "| `m-small` | `m-big` | 0 | {} | 0 | {}.00 | n/a |"
    assert row.format(2, 4) in (tmp_path / "all" / "FINDINGS.md").read_text(encoding="utf-8")
    assert row.format(1, 2) in (tmp_path / "one" / "FINDINGS.md").read_text(encoding="utf-8")


def test_without_turns_nothing_is_written(program: Program, tmp_path: Path) -> None:
    program.root.mkdir(parents=True)
    assert "No session" in program("report", "--out", str(tmp_path / "out"))
    place(program.root, _session("a", "single"))
    assert program("report", "--out", str(tmp_path / "out"), "--pattern", "cascade") == "No turn fits.\n"
    assert not (tmp_path / "out").exists()


def test_the_report_is_not_written_among_the_sessions(program: Program) -> None:
    place(program.root, _session("a", "single"))
    program("report", "--out", str(program.root / "out"), code=1)
    assert "--out" in program.errors
    assert not (program.root / "out").exists()


@pytest.mark.skipif(os.name == "nt", reason="another error there")
def test_a_report_that_cannot_be_written_is_one_sentence(program: Program, tmp_path: Path) -> None:
    place(program.root, _session("a", "single"))
    (tmp_path / "file").write_text("")
    program("report", "--out", str(tmp_path / "file"), code=1)
    assert "name another directory with --out" in program.errors


def _file(tmp_path: Path, *patterns: str, more: str = "") -> str:
    path = tmp_path / "expected.toml"
    path.write_text(
        more + "".join(f'[[prompt]]\npattern = "{pattern}"\nask = "Why?"\n' for pattern in patterns), encoding="utf-8"
    )
    return str(path)


def test_predictions_are_compared_with_the_newest_session(program: Program, tmp_path: Path) -> None:
    place(program.root, _session("a", "critique", "critique"))
    place(program.root, _session("b", "single", "cascade", "single", begins="2026-12-01T10:00:00"))
    found = program.json("predictions", _file(tmp_path, "single", "single", "single"))
    assert (found["hits"], found["routed"], found["predictions"]) == (2, 3, 3)
    assert [each["name"] for each in found["prompts"]] == ["prompt 1", "prompt 2", "prompt 3"]


def test_predictions_are_compared_with_the_session_that_is_named(program: Program, tmp_path: Path) -> None:
    old = _session("a", "critique", "critique")
    place(program.root, old)
    place(program.root, _session("b", "single", begins="2026-12-01T10:00:00"))
    expected = _file(tmp_path, "critique")
    assert program.json("predictions", expected, "--session", old.session_id[:8])["hits"] == 1
    named = _file(tmp_path, "critique", more=f'session = "{old.session_id[:8]}"\n')
    assert program.json("predictions", named)["hits"] == 1
    each = f'[[prompt]]\npattern = "single"\n[[prompt]]\npattern = "critique"\nsession = "{old.session_id}"\n'
    (tmp_path / "each.toml").write_text(each, encoding="utf-8")
    found = program.json("predictions", str(tmp_path / "each.toml"))
    assert (found["hits"], found["unpredicted_turns"]) == (2, 1)


def test_a_session_that_nobody_knows_is_one_sentence(program: Program, tmp_path: Path) -> None:
    place(program.root, _session("a", "single"))
    program("predictions", _file(tmp_path, "single"), "--session", "zzz", code=1)
    assert "No session's id begins with 'zzz'" in program.errors


@pytest.mark.parametrize(
    "text",
    ["", "[[prompt]]\n", "[[prompt]]\npattern = 3\n", '[[prompt]]\npattern = ""\n', "prompt = []\n", "not toml", '"\udcff"'],
)
def test_a_file_of_another_shape_is_one_sentence(program: Program, tmp_path: Path, text: str) -> None:
    place(program.root, _session("a", "single"))
    path = tmp_path / "expected.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    program("predictions", str(path), code=1)
    assert "each [[prompt]] needs a pattern" in program.errors


def test_a_file_that_is_not_there_is_one_sentence(program: Program, tmp_path: Path) -> None:
    program("predictions", str(tmp_path / "none.toml"), code=1)
    assert "No such file" in program.errors


def test_without_a_turn_the_reason_is_said(program: Program, tmp_path: Path) -> None:
    program.root.mkdir(parents=True)
    assert "No session" in program("predictions", _file(tmp_path, "single"))
