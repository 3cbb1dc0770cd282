"""What is new costs the same however much is known already: no query that follows an append begins with a table that grows."""

from __future__ import annotations

import re

from tests.conftest import Stage
from tests.logs import Log, a_turn, place

#: the tables that have a row for everything that was ever read
LARGE = {
    "turn", "turn_sum", "leg", "leg_sum", "route", "handoff", "answer_commit", "completion", "session_mark", "sighting", "log",
    "outbox", "sent", "skipped",
}  # fmt: skip


def _scanned(stage: Stage, statement: str) -> set[str]:
    """The tables that a statement reads from end to end, by SQLite's own account."""
    steps = [str(row[3]) for row in stage.connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
    return {found[1] for step in steps if (found := re.match(r"SCAN (\w+)", step))}


def test_a_turn_that_is_appended_is_read_without_looking_at_all_others(stage: Stage) -> None:
    path = place(stage.root, a_turn("f1"))
    stage.index()
    statements: list[str] = []
    with path.open("ab") as file:
        file.write(bytes(Log("x").turn("f2")))
    stage.connection.set_trace_callback(statements.append)
    stage.index()
    stage.connection.set_trace_callback(None)
    assert len(stage.turns()) == 2
    begun = [
        words
        for words in statements
        if re.match(r"(WITH|SELECT|INSERT|UPDATE|DELETE)\b.*\b(turn|touched)\b", words.strip(), re.S)
    ]
    assert len(begun) > 10
    scans = {" ".join(words.split()): _scanned(stage, words) & LARGE for words in begun}
    assert {words: tables for words, tables in scans.items() if tables} == {}
