"""`reconcile`, `turns --ordinary` and the part of `summary` on turns without Fusion, run as a person runs them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.logs import CREDIT, a_turn, place
from tests.money import MoneyLog
from tests.test_cli import Program


@pytest.fixture
def program(tmp_path: Path) -> Program:
    program = Program(tmp_path)
    log = MoneyLog("mixed")
    log.start()
    log.turn("f1")
    log.ordinary("i1", 3)
    log.total(15.5)
    place(program.root, log)
    later = MoneyLog("later", "2026-12-01T10:00:00")
    later.start()
    later.ordinary("i2", None, "m-two")
    path = place(program.root, later)
    (path.parent / "workspace.yaml").write_text("client_name: github/cli\n")
    return program


def test_reconcile_lists_every_session_and_explains_one(program: Program) -> None:
    mixed, later = program.json("reconcile")
    assert mixed["counted"] == "turns"
    amounts = {name: level["nano_aiu"] for name, level in mixed["levels"].items()}
    assert amounts == {
        "turns": 25 * CREDIT // 2, "legs": 25 * CREDIT // 2, "roll_ups": 25 * CREDIT // 2, "usage_records_in_turns": None,
        "usage_records_outside": 3 * CREDIT, "shutdown_totals": 31 * CREDIT // 2,
    }  # fmt: skip
    assert [each["nano_aiu"] for each in mixed["differences"]] == [0, None, 0]
    assert later["outside"]["unknown_ordinary_turns"] == 1
    one = json.loads(program("reconcile", mixed["session_id"][:8], "--json"))
    assert one == mixed
    assert "turns, counted" in program("reconcile", mixed["session_id"][:8])
    assert mixed["session_id"][:8] in program("reconcile")


def test_sessions_are_filtered_by_client_and_start(program: Program) -> None:
    (later,) = program.json("reconcile", "--client", "github/cli")
    assert later["client"] == "github/cli"
    assert program.json("reconcile", "--since", "2026-12-01") == [later]
    assert len(program.json("reconcile", "--until", "2026-11-30")) == 1
    assert program("reconcile", "--client", "nobody") == "No session fits.\n"
    assert program.json("reconcile", "--client", "nobody") == []


def test_a_session_that_nobody_knows_or_too_many_fit_is_refused_with_a_sentence(program: Program) -> None:
    program("reconcile", "nothing-like-it", code=1)
    assert "No session's id begins with 'nothing-like-it'" in program.errors
    ids = ["aa-1", "aa-2"]
    for name in ids:
        place(program.root, a_turn(name), name)
    program("reconcile", "aa-", code=1)
    assert "More than one session begins with aa-: aa-1, aa-2." in program.errors
    place(program.root, a_turn("aa"), "aa")
    assert json.loads(program("reconcile", "aa", "--json"))["session_id"] == "aa"


def test_an_empty_reconciliation_has_a_named_cause(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.root.mkdir(parents=True)
    assert "No session log yet. Looked in" in program("reconcile")


def test_turns_without_fusion_are_asked_for_and_never_among_the_others(program: Program) -> None:
    assert [turn["fusion_id"] for turn in program.json("turns")] == ["f1"]
    first, second = program.json("turns", "--ordinary")
    assert (first["models"], first["credits"], first["usd"]) == (["m-one"], 3.0, 0.03)
    assert (second["models"], second["credits"], second["client"]) == (["m-two"], None, "github/cli")
    assert program.json("turns", "--ordinary", "--client", "github/cli") == [second]
    assert program("turns", "--ordinary").startswith("turns without Fusion")
    rows = list(csv.DictReader(program("turns", "--ordinary", "--csv").splitlines()))
    assert [(row["interaction_id"], row["credits"]) for row in rows] == [("i1", "3.0"), ("i2", "")]


def test_the_summary_has_them_under_a_key_of_their_own(program: Program) -> None:
    summary = program.json("summary")
    assert (summary["turns"], summary["nano_aiu"], list(summary["by_model"])) == (1, 25 * CREDIT // 2, ["m-big", "m-small"])
    assert list(summary)[-1] == "ordinary"
    ordinary = summary["ordinary"]
    assert (ordinary["turns"], ordinary["credits"], ordinary["known_turns"]) == (2, 3.0, 1)
    assert ordinary["fusion"] == {"known_turns": 1, "median_credits": 12.5}
    printed = program("summary")
    assert printed.index("Credits are the CLI's own figure") < printed.index("Without Fusion (not in the figures above)")
    assert program.json("summary", "--model", "m-two")["ordinary"]["turns"] == 1
    assert program.json("summary", "--pattern", "cascade")["ordinary"]["turns"] == 0
    assert "Without Fusion" not in program("summary", "--pattern", "cascade")


def test_where_nothing_was_fused_the_summary_says_so_and_shows_the_rest(tmp_path: Path) -> None:
    program = Program(tmp_path)
    log = MoneyLog()
    log.start()
    log.ordinary("i1", 3)
    place(program.root, log)
    printed = program("summary")
    assert printed.startswith("No Fusion turn yet: 1 session log")
    assert "1 turn · 1 session · 3.00 credits ($0.03)" in printed
