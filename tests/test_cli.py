"""The commands, run as a person runs them: a process, its output, its exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fusionscope.demo import write_demo
from tests.conftest import Stage
from tests.logs import CREDIT, Log, a_turn, place

CASCADE = "fusion-fa51fa07-905f-4e5a-8567-79bfa8c0da00"


class Program:
    """Fusionscope with a root and a database of its own."""

    def __init__(self, directory: Path) -> None:
        self.root = directory / "copilot" / "session-state"
        self.database = directory / "state" / "f.db"

    def __call__(self, *words: str, code: int = 0, places: bool = True, **environment: str) -> str:
        """Run a command, see that it ends with ``code``, and return what it printed; a failure must be one sentence."""
        given = ["--root", str(self.root), "--db", str(self.database)] if places else []
        done = subprocess.run(
            [sys.executable, "-m", "fusionscope", *words, *given],
            capture_output=True, text=True, encoding="utf-8", timeout=60, check=False,
            env={**os.environ, "PYTHONIOENCODING": "utf-8", "TZ": "UTC", **environment},
        )  # fmt: skip
        self.errors = done.stderr
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        if code == 1:
            assert done.stderr.count("\n") == 1
        return done.stdout

    def json(self, *words: str) -> Any:
        """The JSON that a command prints."""
        return json.loads(self(*words, "--json"))


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


@pytest.fixture
def demo(program: Program) -> Program:
    write_demo(program.root.parent)
    return program


def test_without_a_command_the_newest_turn_is_printed_leg_by_leg(demo: Program) -> None:
    printed = demo()
    assert printed == demo("last") == demo("show", "fusion-fa51")
    for fact in ("cascade", "1 min 16 s", "14.72 credits ($0.15)", "asked for hydrafusion"):
        assert fact in printed.splitlines()[0] + printed.splitlines()[1]
    legs = [line.split() for line in printed.splitlines() if "ed  " in line and ":" not in line][:3]
    drafted, judged, repaired = (" ".join(leg) for leg in legs)
    assert all(fact in drafted for fact in ("mai-code-1.1-flash drafted", "22 s 0.58 superseded"))
    assert all(fact in judged for fact in ("gpt-5.6-sol judged", "11 s 2.46 reject"))
    assert all(fact in repaired for fact in ("gpt-5.6-sol repaired", "42 s 11.69 the answer"))
    assert max(map(len, printed.splitlines())) <= 80


@pytest.mark.parametrize("words", [("--tools",), ("last", "--tools"), ("show", "f1", "--tools")])
def test_tool_calls_are_shown_below_their_leg_when_asked_for(program: Program, words: tuple[str, ...]) -> None:
    log = Log()
    log.resolved("f1", "single")
    for number in range(9):
        log.tool("f1", 0, f"c{number}", "bash", success=number != 3)
    log.leg("f1", 0, "primary", "m-small", CREDIT, durationMs=19_000)
    log.completed("f1", 0, "m-small", "single", durationMs=20_200.0)
    place(program.root, log)
    plain, folded = program("show", "f1"), program(*words)
    assert "bash" not in plain
    assert "9 tool calls (1 failed): --tools shows them" in plain
    assert "\n    bash x9 (1 failed), 9.0 s\n" in folded
    every = program(*words[:-1], "--tools=all")
    assert sum(line.startswith("    bash ") for line in every.splitlines()) == 9
    shown = program.json("show", "f1")
    assert [call["success"] for call in shown["legs"][0]["tool_calls"]].count(False) == 1
    assert shown["tool_calls"] == []


def test_a_pipe_sees_no_colour(demo: Program) -> None:
    assert "\x1b" not in demo("turns") + demo("summary") + demo("last")


def test_the_summary_of_the_demo_has_the_headline_figures_of_the_field_report(demo: Program) -> None:
    summary = demo.json("summary")
    assert (summary["turns"], summary["compound_turns"], summary["compound_rate"]) == (24, 6, 0.25)
    assert (summary["judged"], summary["judge_rejections"]) == (3, 2)
    assert round(100 * summary["judge_rejection_rate"]) == 67
    assert round(100 * summary["review_share"], 1) == 2.5
    assert (summary["requests"], summary["tokens"]["input"], summary["tokens"]["output"]) == (96, 1_524_207, 25_713)
    medians = {name: round(pattern["median_credits"], 2) for name, pattern in summary["by_pattern"].items()}
    assert medians == {"single": 7.97, "cascade": 13.11, "critique": 45.05}
    credits = {name: round(model["nano_aiu"] / 1e9, 2) for name, model in summary["by_model"].items()}
    assert credits == {"gpt-5.6-sol": 180.73, "claude-opus-5": 131.78, "gpt-5.6-luna": 0.98, "mai-code-1.1-flash": 0.92,
                       "gpt-5.6-terra": 0.19}  # fmt: skip
    assert summary["skipped_records"] == summary["open_turns"] == 0


def test_turns_as_json_are_an_array_oldest_first_with_every_leg(demo: Program) -> None:
    turns = demo.json("turns")
    assert len(turns) == 24
    assert turns == sorted(turns, key=lambda turn: turn["started_at"])
    cascade = turns[-1]
    assert (cascade["fusion_id"], cascade["nano_aiu"], cascade["credits"], cascade["usd"]) == (
        CASCADE, 14_719_596_000, 14.719596, 0.14719596,
    )  # fmt: skip
    assert (cascade["started_at"], cascade["duration_ms"]) == ("2026-09-09T02:42:54.729Z", 75_613)
    assert [leg["nano_aiu"] for leg in cascade["legs"]] == [575_436_000, 2_457_200_000, 11_686_960_000]
    assert [leg["is_answer"] for leg in cascade["legs"]] == [False, False, True]


def test_turns_are_filtered_by_what_is_asked(demo: Program) -> None:
    assert len(demo.json("turns", "--pattern", "critique")) == 3
    assert len(demo.json("turns", "--model", "claude-opus-5")) == 3
    assert [turn["fusion_id"] for turn in demo.json("turns", "--since", "2026-09-09T02:42:54Z")] == [CASCADE]
    assert [turn["fusion_id"] for turn in demo.json("turns", "--limit", "1")] == [CASCADE]
    assert len(demo.json("turns", "--until", "2026-09-09")) == 24
    assert demo.json("turns", "--since", "2026-09-10") == []
    assert demo.json("summary", "--pattern", "cascade")["turns"] == 3


def test_turns_as_csv_have_a_row_each(demo: Program) -> None:
    rows = demo("turns", "--csv").splitlines()
    assert (len(rows), rows[0].split(",")[0]) == (25, "fusion_id")


def test_indexing_says_what_it_read_and_the_second_time_reads_nothing(demo: Program) -> None:
    assert "in 6 session logs; 24 turns are new or changed." in demo("index")
    assert demo("index") == "Read 0 new bytes in 6 session logs; 0 turns are new or changed.\n"


def test_verbose_prints_a_line_a_turn(demo: Program) -> None:
    demo("index", "-v")
    lines = demo.errors.splitlines()
    assert len(lines) == 24
    assert "fusion-fa51fa07 cascade legs=3 models=gpt-5.6-sol,mai-code-1.1-flash credits=14.72" in lines
    demo("index", "--verbose")
    assert demo.errors == ""


def test_no_index_shows_what_was_known_before(demo: Program) -> None:
    assert demo.json("turns", "--no-index") == []
    demo("index")
    assert len(demo.json("turns", "--no-index")) == 24


def test_without_a_session_directory_index_says_where_it_looked_and_why(program: Program, tmp_path: Path) -> None:
    program("index", code=1)
    assert str(program.root) in program.errors
    program("index", places=False, code=1, FUSIONSCOPE_DB=str(tmp_path / "f.db"))
    assert os.path.join(".copilot", "session-state") in program.errors  # noqa: PTH118 - as it is printed
    assert "COPILOT_HOME is not set" in program.errors
    program("index", places=False, code=1, FUSIONSCOPE_DB=str(tmp_path / "f.db"), COPILOT_HOME=str(tmp_path / "elsewhere"))
    assert str(tmp_path / "elsewhere" / "session-state") in program.errors


def test_a_root_may_be_named_by_its_copilot_home(demo: Program) -> None:
    words = ["turns", "--json", "--db", str(demo.database), "--root", str(demo.root.parent)]
    assert len(json.loads(demo(*words, places=False))) == 24


def test_an_empty_answer_has_a_named_cause(program: Program) -> None:
    program.root.mkdir(parents=True)
    assert "No session log yet. Looked in" in program("last")
    log = Log()
    log.start()
    place(program.root, log)
    assert "No Fusion turn yet: 1 session log" in program("last")
    place(program.root, a_turn())
    assert program("turns", "--pattern", "nothing") == "No turn fits.\n"


def test_rates_with_nothing_to_divide_by_are_null(program: Program) -> None:
    program.root.mkdir(parents=True)
    summary = program.json("summary")
    assert [summary[name] for name in ("compound_rate", "judge_rejection_rate", "review_share")] == [None] * 3
    assert summary["routing_latency_ms"] == {"min": None, "mean": None, "max": None}


def test_bad_records_are_counted_in_the_summary_and_listed(program: Program) -> None:
    path = place(program.root, bytes(a_turn()) + b"garbage\n{}\n")
    assert program.json("summary")["skipped_records"] == 2
    listed = program("skipped").splitlines()
    assert listed[0] == f"{path}: byte {len(bytes(a_turn()))}, 7 bytes: not JSON"
    assert len(listed) == 2


def test_an_unknown_id_and_one_that_fits_many_are_refused_with_a_sentence(demo: Program) -> None:
    demo("show", "nothing-like-it", code=1)
    assert "No turn's id begins with" in demo.errors
    demo("show", "fusion-", code=1)
    assert "More than one turn" in demo.errors


@pytest.mark.parametrize(
    "words", [["nonsense"], ["turns", "--since", "soon"], ["turns", "--json", "--csv"], ["turns", "--limit", "0"]]
)
def test_wrong_usage_exits_with_2(program: Program, words: list[str]) -> None:
    program(*words, code=2)


def test_the_database_may_not_lie_among_the_files_of_the_cli(program: Program) -> None:
    program.root.mkdir(parents=True)
    program("index", "--root", str(program.root), "--db", str(program.root / "x.db"), places=False, code=1)
    assert "where only the CLI writes" in program.errors
    assert list(program.root.iterdir()) == []


def test_a_database_that_is_none_is_refused_with_a_sentence(demo: Program) -> None:
    demo.database.parent.mkdir()
    demo.database.write_text("this is not a database, it is a text of some length" * 100)
    demo("last", code=1)
    assert "file is not a database" in demo.errors


def test_terminal_output_and_csv_hold_no_command_from_a_log(program: Program) -> None:
    log = Log()
    log.resolved("f1", "\x1b]0;owned\x07single", primary="=cmd()")
    log.leg("f1", 0, "primary", "=cmd()\x1b[31m", 5, role="\x9b31m")
    log.completed("f1", 0, "=cmd()\x1b[31m", "\x1b]0;owned\x07single")
    place(program.root, log)
    printed = "".join(program(*words) for words in (["last"], ["turns"], ["summary"], ["index", "-v"], ["turns", "--json"]))
    assert not {"\x1b", "\x07", "\x9b"} & set(printed + program.errors)
    assert ",'=cmd()" in program("turns", "--csv")


def test_the_demo_prints_the_newest_turn_and_the_summary_and_leaves_nothing(program: Program, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    printed = program("demo", "--once", places=False, TMPDIR=str(temporary))
    assert "14.72 credits ($0.15)" in printed
    assert "25 %  (6 of 24)" in printed
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [["turns", "--db", "~nobody-of-this-name/x.db"], ["show", "\udcff"], ["turns", "--session", "\udcff"],
     ["up", "--db", os.devnull + "/f.db"], ["turns", "--db", os.devnull + "/f.db"]],
)  # fmt: skip
def test_whatever_is_named_there_is_an_answer_in_one_sentence(demo: Program, words: list[str]) -> None:
    where = [] if "--db" in words else ["--db", str(demo.database)]
    demo(*words, "--root", str(demo.root), *where, places=False, code=1)


def test_the_demo_does_not_write_among_real_sessions(demo: Program) -> None:
    before = sorted(demo.root.rglob("*"))
    demo("demo", "--directory", str(demo.root.parent), places=False, code=1)
    assert "has sessions already" in demo.errors
    assert sorted(demo.root.rglob("*")) == before


def test_a_session_is_forgotten_only_by_enough_of_its_id(demo: Program) -> None:
    demo("forget", "2", code=1)
    assert "at least 8 characters" in demo.errors
    assert len(demo.json("turns")) == 24
    assert "Forgot session 2f604569" in demo("forget", "2f604569")
    assert len(demo.json("turns")) == 23


def test_a_closed_pipe_is_no_error(demo: Program) -> None:
    demo("index")
    words = [sys.executable, "-m", "fusionscope", "turns", "--json", "--root", str(demo.root), "--db", str(demo.database)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""


def test_money_is_added_once(program: Program) -> None:
    log = a_turn()
    log.event("session.usage_record", usage={"model": "m-big", "copilotUsage": {"totalNanoAiu": 12_500_000_000}})
    log.shutdown(totalNanoAiu=12_500_000_000, modelMetrics={"m-big": {"totalNanoAiu": 12_000_000_000}})
    place(program.root, log)
    assert program.json("summary")["nano_aiu"] == 25 * CREDIT // 2


def test_an_open_turn_is_counted_and_costs(program: Program) -> None:
    log = a_turn()
    del log.lines[5:]
    place(program.root, log)
    summary = program.json("summary")
    assert (summary["turns"], summary["open_turns"], summary["nano_aiu"]) == (1, 1, 5 * CREDIT // 2)


def test_nothing_below_the_session_root_is_touched(demo: Program, stage: Stage) -> None:
    def listing() -> list[tuple[str, int, int, int]]:
        found = [(path, path.lstat()) for path in sorted(demo.root.parent.rglob("*"))]
        return [(str(path), status.st_mtime_ns, status.st_ctime_ns, status.st_size) for path, status in found]

    before = listing()
    for words in (["index"], ["last"], ["turns"], ["summary"]):
        demo(*words)
    assert listing() == before
