"""`fusionscope statusline` as the CLI runs it: a process, JSON on its standard input, one line or nothing."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fusionscope.follow.lock import FollowerLock
from fusionscope.store.database import connect
from tests.logs import CREDIT, Log, a_turn, place

_LINE = "cascade  m-small 0.50 > m-big reject 2.00 > m-big 10.00  =  12.50 cr $0.13\n"
_SESSION = a_turn().session_id


class Line:
    """The command with a Copilot home and a database of its own."""

    def __init__(self, directory: Path) -> None:
        self.home = directory / "copilot"
        self.root = self.home / "session-state"
        self.root.mkdir(parents=True)
        self.database = directory / "state" / "f.db"

    def __call__(self, status: Any, *words: str, **environment: str) -> str:
        """What it prints for a status; it must end well and say nothing else, whatever happens."""
        given = status if isinstance(status, bytes) else json.dumps(status).encode()
        places = {"COPILOT_HOME": str(self.home), "FUSIONSCOPE_DB": str(self.database), "NO_COLOR": "1", "COLUMNS": "200"}
        done = subprocess.run(
            [sys.executable, "-m", "fusionscope", "statusline", *words],
            input=given, capture_output=True, timeout=60, check=True, env={**os.environ, **places, **environment},
        )  # fmt: skip
        assert done.stderr == b""
        return done.stdout.decode("ascii")


@pytest.fixture
def line(tmp_path: Path) -> Line:
    return Line(tmp_path)


def test_the_newest_turn_of_the_session_is_shown_without_anything_set_up_before(line: Line) -> None:
    place(line.root, a_turn())
    place(line.root, Log("other").turn("f2"))
    assert line({"session_id": _SESSION, "transcript_path": str(line.root / _SESSION), "version": "1.0.102"}) == _LINE


def test_each_leg_shows_as_soon_as_it_is_in_the_log(line: Line) -> None:
    lines = a_turn().lines
    expected = {
        2: "no Fusion turn yet\n",
        3: "cascade  open  ...  =  not metered so far\n",
        4: "cascade  open  m-small 0.50 > ...  =  0.50 cr $0.01 so far\n",
        5: "cascade  open  m-small 0.50 > m-big reject 2.00 > ...  =  2.50 cr $0.03 so far\n",
        9: _LINE,
    }
    for count, shown in expected.items():
        place(line.root, b"".join(lines[:count]))
        assert line({"session_id": _SESSION}) == shown


def test_the_total_of_the_session_counts_its_turns_and_no_other_sessions(line: Line) -> None:
    place(line.root, a_turn().turn("f2"))
    place(line.root, Log("other").turn("f3"))
    subprocess.run([sys.executable, "-m", "fusionscope", "index", "--root", line.root, "--db", line.database], check=True)
    assert line({"session_id": _SESSION}) == _LINE.replace("\n", "  session 25.00 cr\n")


def test_only_the_sessions_own_log_is_read(line: Line) -> None:
    place(line.root, a_turn())
    place(line.root, Log("other").turn("f2"))
    line({"session_id": _SESSION})
    with closing(connect(line.database)) as connection:
        assert [row[0] for row in connection.execute("SELECT fusion_id FROM turn")] == ["f1"]


def test_lines_that_say_nothing_of_a_turn_are_left_to_the_next_reader(line: Line) -> None:
    log = a_turn()
    place(line.root, log)
    line({"session_id": _SESSION})
    log.event("assistant.message", content="x" * 10_000)
    path = place(line.root, log)
    assert line({"session_id": _SESSION}) == _LINE
    with closing(connect(line.database)) as connection:
        (offset,) = connection.execute("SELECT offset FROM log").fetchone()
    assert offset < path.stat().st_size
    log.resolved("f2")
    place(line.root, log)
    assert line({"session_id": _SESSION}) == "cascade  open  ...  =  not metered so far  session 12.50 cr\n"


def test_a_log_that_was_replaced_is_read_again(line: Line) -> None:
    place(line.root, a_turn().turn("f2"))
    line({"session_id": _SESSION})
    place(line.root, a_turn())
    assert line({"session_id": _SESSION}).startswith("cascade  rewound  m-small")


def test_where_another_process_follows_the_line_shows_what_that_one_read(line: Line) -> None:
    place(line.root, a_turn())
    line({"session_id": _SESSION})
    lock = FollowerLock(line.database)
    assert lock.take()
    place(line.root, a_turn().turn("f2"))
    assert line({"session_id": _SESSION}) == _LINE
    lock.release()


def test_a_session_of_another_place_is_found_by_the_directory_that_the_cli_names(line: Line, tmp_path: Path) -> None:
    elsewhere = place(tmp_path / "config" / "session-state", a_turn())
    assert line({"session_id": _SESSION, "transcript_path": str(elsewhere.parent)}) == _LINE
    assert line({"transcript_path": str(elsewhere)}) == _LINE


def test_options_name_places_and_the_width(line: Line, tmp_path: Path) -> None:
    place(tmp_path / "here" / "session-state", a_turn())
    words = ["--root", str(tmp_path / "here"), "--db", str(tmp_path / "g.db"), "--width", "50"]
    assert line({"session_id": _SESSION}, *words) == "cascade  0.50 > reject 2.00 > 10.00  =  12.50 cr\n"
    assert not line.database.exists()


def test_the_columns_of_the_environment_are_obeyed_and_styles_can_be_had(line: Line) -> None:
    place(line.root, a_turn())
    assert line({"session_id": _SESSION}, COLUMNS="20") == "cascade  12.50 cr\n"
    done = subprocess.run(
        [sys.executable, "-m", "fusionscope", "statusline"],
        input=json.dumps({"session_id": _SESSION}), capture_output=True, check=True, text=True,
        env={**os.environ, "COPILOT_HOME": str(line.home), "FUSIONSCOPE_DB": str(line.database), "COLUMNS": "20"},
    )  # fmt: skip
    assert done.stdout == "cascade  \x1b[1m12.50 cr\x1b[0m\n"


@pytest.mark.parametrize(
    "status",
    [
        b"", b"{", b"[]", b"null", b"7", b'"x"', b"\xff\xfe", b'{"session_id": null}', b'{"session_id": 7}', b"[" * 100_000,
        b'{"session_id": ".."}', b'{"session_id": "../../x"}', b'{"session_id": "a\\u0000b"}', b'{"transcript_path": 7}',
        b'{"session_id": "' + b"x" * (2 << 20) + b'"}',
    ],
)  # fmt: skip
def test_a_status_that_names_no_session_gives_nothing(line: Line, status: bytes) -> None:
    assert line(status) == ""


def test_an_unknown_session_has_no_turn_yet(line: Line) -> None:
    place(line.root, a_turn())
    line({"session_id": _SESSION})
    assert line({"session_id": "nobody"}) == "no Fusion turn yet\n"


def test_a_forgotten_session_is_not_read_again(line: Line) -> None:
    place(line.root, a_turn())
    line({"session_id": _SESSION})
    words = ["forget", _SESSION, "--root", str(line.root), "--db", str(line.database)]
    subprocess.run([sys.executable, "-m", "fusionscope", *words], check=True, capture_output=True)
    assert line({"session_id": _SESSION}) == "no Fusion turn yet\n"


def test_a_database_that_is_damaged_newer_or_none_gives_nothing_and_stays(line: Line) -> None:
    place(line.root, a_turn())
    line({"session_id": _SESSION})
    whole = line.database.read_bytes()
    with closing(sqlite3.connect(line.database)) as connection:
        connection.execute("PRAGMA user_version = 99")
    assert line({"session_id": _SESSION}) == ""
    for content in (b"this is no database" * 100, whole[:8_192] + b"\xff" * 40_000):
        for path in line.database.parent.iterdir():
            path.unlink()
        line.database.write_bytes(content)
        assert line({"session_id": _SESSION}) == ""
        assert line.database.read_bytes() == content


def test_a_database_that_is_written_to_meanwhile_shows_what_is_known(line: Line) -> None:
    place(line.root, a_turn())
    line({"session_id": _SESSION})
    place(line.root, a_turn().turn("f2"))
    with closing(connect(line.database)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        assert line({"session_id": _SESSION}) == _LINE
        connection.rollback()


def test_a_database_that_cannot_be_made_gives_nothing(line: Line) -> None:
    place(line.root, a_turn())
    assert line({"session_id": _SESSION}, FUSIONSCOPE_DB=str(line.root / "f.db")) == ""
    assert line({"session_id": _SESSION}, FUSIONSCOPE_DB="/dev/null/f.db") == ""
    assert [path.name for path in line.root.iterdir()] == [_SESSION]


def test_what_a_log_says_cannot_command_the_terminal(line: Line) -> None:
    log = Log()
    log.start()
    log.resolved("f1", "casc\x1b]0;x\x07ade\n")
    log.leg("f1", 0, "primary", "m\x1b[2J\x9b1mall", CREDIT, "re\rject")
    place(line.root, log)
    shown = line({"session_id": log.session_id})
    assert shown == "casc?]0;x?ade?  open  m?[2J?1mall re?ject 1.00 > ...  =  1.00 cr $0.01 so far\n"


def test_nothing_is_written_below_the_copilot_home(line: Line) -> None:
    place(line.root, a_turn())
    before = {path: path.stat().st_mtime_ns for path in line.home.rglob("*")}
    line({"session_id": _SESSION})
    assert {path: path.stat().st_mtime_ns for path in line.home.rglob("*")} == before
