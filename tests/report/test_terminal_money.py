"""Levels of money and turns without Fusion on a terminal: what is said, what is unknown, what fits."""

from __future__ import annotations

import pytest

from fusionscope.report.ordinary import fusion_median
from fusionscope.report.terminal import print_ledger, print_ledgers, print_ordinary_section, print_ordinary_turns
from fusionscope.store.ledger import Ledger, ledgers
from tests.conftest import Stage
from tests.logs import CREDIT, Log, place
from tests.money import MoneyLog
from tests.report.screen import printed, widest
from tests.report.test_ordinary import OLD, PART, TURNS
from tests.turns import CASCADE


def read(stage: Stage, *logs: Log) -> list[Ledger]:
    for log in logs:
        place(stage.root, log)
    stage.index()
    return ledgers(stage.connection)


def a_session(name: str = "s1") -> MoneyLog:
    log = MoneyLog(name)
    log.start()
    log.turn(f"f-{name}")
    log.ordinary(f"i-{name}", 3)
    log.compact(2)
    return log


def lines_of(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def test_a_session_is_explained_level_by_level(stage: Stage) -> None:
    log = a_session()
    log.total(17.5)
    log.resume()
    log.ordinary("i9", 1)
    shown = lines_of(printed(print_ledger, read(stage, log)[0], width=100))
    assert shown[0] == f"session {log.session_id} · 2026-11-30 10:00:01 UTC · CLI 1.0.84-4"
    for line in (
        "turns, counted 12.50 1 turn",
        "legs 12.50 3 legs",
        "roll-ups 12.50 1 roll-up",
        "usage records in turns 0 calls",
        "usage records outside 4.00 2 calls, those of the ordinary turns",
        "shutdown totals 17.50 1 shutdown",
        "outside: ordinary turns 4.00 2 turns",
        "outside: compaction 2.00 1 compaction",
        "turns less legs: 0.00 credits",
        "usage records less turns: nothing to compare (no usage records)",
        "shutdown totals less turns and ordinary calls: +1.00 credits",
        "after the last shutdown -1.00 (1)",
        "compaction +2.00 (1)",
    ):
        assert line in shown
    assert not any("unexplained" in line for line in shown)
    assert sum("Counted is what the Fusion turns cost" in line for line in shown) == 1


def test_what_nothing_explains_is_marked(stage: Stage) -> None:
    log = a_session()
    log.total(16)
    (found,) = read(stage, log)
    assert "! unexplained +0.50" in lines_of(printed(print_ledger, found))
    shown = lines_of(printed(print_ledgers, [found], width=80))
    assert f"2026-11-30 {log.session_id[:8]} 12.50 12.50 3.00 16.00 +0.50 ! +0.50" in shown
    assert "! is what nothing in the log explains." in shown


def test_a_line_a_session_has_its_levels_and_why_they_differ(stage: Stage) -> None:
    first, second, third, silent = a_session("s1"), MoneyLog("s2", "2026-11-30T11:00:00"), MoneyLog("s3"), MoneyLog("s4")
    first.total(17.5)
    second.start()
    second.ordinary("i1", None)
    second.total(0, status="unavailable")
    third._now = second._now
    third.turn("f3")
    silent.start()
    shown = printed(print_ledgers, read(stage, first, second, third, silent), width=100)
    rows = [line for line in lines_of(shown) if line.startswith("2026-11-30 ")]
    assert rows == [
        f"2026-11-30 {first.session_id[:8]} 12.50 12.50 3.00 17.50 +2.00 compaction",
        f"2026-11-30 {second.session_id[:8]} unknown unknown not metered",
        f"2026-11-30 {third.session_id[:8]} 12.50 12.50 no shutdown",
    ]
    # the two turns, and neither totals nor records
    assert "3 sessions · counted 25.00 credits ($0.25) · 1 more session without a word of money" in shown


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_the_views_of_money_fit_into_the_terminal(stage: Stage, width: int) -> None:
    log = a_session("s1")
    log.total(17.5, usageAccountingWatermarks={"x" * 400: 1})
    found = read(stage, log)
    for text in (printed(print_ledgers, found, width=width), printed(print_ledger, found[0], width=width)):
        assert widest(text) <= width
    if width >= 80:
        assert widest(printed(print_ordinary_turns, TURNS, width=width)) <= width
        assert widest(printed(print_ordinary_section, TURNS, fusion_median([CASCADE]), found, width=width)) <= width


def test_turns_without_fusion_are_titled_so_and_unknown_money_is_said(stage: Stage) -> None:
    shown = lines_of(printed(print_ordinary_turns, TURNS))
    assert shown[0] == "turns without Fusion · 5 turns · 18.00 credits ($0.18), 2 turns of unknown cost"
    assert "10:00 s1 m-one 1 0 4.0 s 1,000 50 2.00" in shown
    assert "10:00 s1 m-one 2 0 4.0 s unknown unknown unknown" in shown
    assert "10:00 s1 m-one 2 0 4.0 s 1,000 50 9.00+" in shown  # one of its two calls was not metered
    assert "credits unknown: the logs do not say them" in printed(print_ordinary_turns, [OLD])
    assert printed(print_ordinary_turns, []) == "no turns without Fusion\n"


def test_the_section_of_the_summary_puts_fusion_beside_each_model(stage: Stage) -> None:
    log = MoneyLog()
    log.start()
    log.ordinary("i1", 3)
    log.total(3, requests=1)
    several, fusion = [*TURNS, PART._replace(models=("a", "b"))], fusion_median([CASCADE])
    shown = lines_of(printed(print_ordinary_section, several, fusion, read(stage, log)))
    assert shown[1:] == [
        "Without Fusion (not in the figures above)",
        "6 turns · 2 sessions · 27.00 credits ($0.27), 3 turns of unknown cost",
        "",
        "answered by turns calls input output credits median known",
        "m-one 4 6 3,000 150 15.00 3.00 2 of 4",
        "m-two 1 1 1,000 50 3.00 3.00 1 of 1",
        "several models 1 2 1,000 50 9.00 unknown 0 of 1",
        "beside them: Fusion 1 14.72 1 of 1",
        "",
        "shutdown totals of sessions without a Fusion turn: 3.00 · 1 of 1 session metered",
        "1 call",
    ]


def test_where_everything_was_fusion_there_is_no_section(stage: Stage) -> None:
    log = MoneyLog()
    log.turn("f1")
    log.total(12.5)
    assert printed(print_ordinary_section, [], fusion_median(stage.turns()), read(stage, log)) == ""


def test_words_of_a_log_command_no_terminal(stage: Stage) -> None:
    log = MoneyLog()
    log.start(copilotVersion="\x1b[31m1")
    log.ordinary("i1", 3, "\x1b]0;owned\x07m")
    found = read(stage, log)
    text = printed(print_ledger, found[0]) + printed(print_ordinary_turns, found[0].ordinary)
    text += printed(print_ordinary_section, found[0].ordinary, fusion_median([]), found)
    assert not {"\x1b", "\x07"} & set(text)
    assert found[0].ordinary[0].nano_aiu == 3 * CREDIT
