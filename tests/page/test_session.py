"""One session: a timeline of its turns of both kinds, what lies outside Fusion, and the levels of its money."""

from __future__ import annotations

from tests.conftest import Stage
from tests.filled import fill
from tests.logs import Log, place
from tests.money import MoneyLog
from tests.page.looking import Look
from tests.page.reading import Reading
from tests.turns import TEN, leg, turn

OUTSIDE, LEVELS = "Spent outside Fusion turns", "The levels of this session's money"
WITHOUT = "Turns without Fusion, oldest first"


def a_session() -> MoneyLog:
    """A Fusion turn of 12.5 credits, turns without Fusion of 3 and 1, a compaction of 2, a total of 17.5 before the last."""
    log = MoneyLog()
    log.start()
    log.turn("f1")
    log.ordinary("i1", 3)
    log.compact(2)
    log.total(17.5)
    log.resume()
    log.ordinary("i2", 1, model="m-two")
    return log


def session(stage: Stage, log: Log) -> Reading:
    place(stage.root, log)
    stage.index()
    return Look(stage).at(f"/sessions/{log.session_id}")


def test_a_session_is_a_timeline_of_its_turns(stage: Stage) -> None:
    log = Log("s1")
    log.start()
    log.turn("f1")
    log.resume()
    log.turn("f2")
    reading = session(stage, log)
    assert reading.texts["sum"] == ["2 turns, 25.00 credits · acme/w · main · CLI 1.0.84-4 · resumed 1 time"]
    rows = reading.tables["Turns of this session, oldest first"][1:]
    assert [row[8] for row in rows] == ["12.50", "12.50"]
    assert [
        str(attributes["href"]) for tag, attributes in reading.tags if attributes.get("tabindex") == "-1" and tag == "a"
    ] == [
        "/turns/f1",
        "/turns/f2",
    ]
    assert "Outside Fusion turns" not in reading.headings


def test_marks_stand_where_their_turns_ran_and_rise_with_their_credits(stage: Stage) -> None:
    stage.connection.execute("INSERT INTO log (path, root, session_id) VALUES (x'00', '', 's1')")
    whole = {"started_at": TEN, "ended_at": TEN + 10_000, "last_event_at": TEN + 10_000}
    last = {"started_at": TEN + 90_000, "ended_at": TEN + 100_000, "last_event_at": TEN + 100_000}
    fill(stage.connection, [turn("f1", leg(nano_aiu=4), **whole), turn("f2", leg(nano_aiu=1), **last)])
    marks = [attributes for tag, attributes in Look(stage).at("/sessions/s1").tags if tag == "rect"]
    assert [(mark["x"], mark["width"], mark["height"]) for mark in marks] == [
        ("0.00%", "10.00%", "100.0%"),
        ("90.00%", "10.00%", "25.0%"),
    ]


def test_what_lies_outside_fusion_is_told_apart_and_the_same_money_once(stage: Stage) -> None:
    reading = session(stage, a_session())
    assert reading.tables[OUTSIDE] == [
        ["What", "Credits", "Of"],
        ["ordinary turns", "4.00", "2 turns"],
        ["their usage records", "4.00", "2 calls, the same money"],
        ["compaction", "2.00", "1 compaction"],
    ]
    assert "6.00 credits ($0.06), not in the figures of Fusion turns." in reading.texts["lead"]
    assert reading.texts["sum"][0].startswith("1 turn, 12.50 credits")


def test_ordinary_turns_are_in_the_timeline_and_said_to_be_without_fusion(stage: Stage) -> None:
    reading = session(stage, a_session())
    assert [[row[1], *row[2:]] for row in reading.tables[WITHOUT][1:]] == [
        ["m-one", "1", "0", "1,000", "50", "2.0 s", "3.00"],
        ["m-two", "1", "0", "1,000", "50", "2.0 s", "1.00"],
    ]
    marks = [attributes for tag, attributes in reading.tags if tag == "rect"]
    # of 18 s: the Fusion turn began 9 s before its end at 10:00:09, the others lasted from second 10 to 12 and from 16 to 18
    assert [(mark["class"], mark["x"], mark["width"], mark["height"]) for mark in marks] == [
        ("p0", "0.00%", "50.00%", "100.0%"),
        ("ordinary", "55.56%", "11.11%", "24.0%"),
        ("ordinary", "88.89%", "11.11%", "8.0%"),
    ]
    assert "without Fusion, 3.00 credits" in reading.texts["main"][0]
    assert [words for words in reading.texts["li"] if words in ("cascade", "without Fusion")] == ["cascade", "without Fusion"]


def test_the_levels_stand_side_by_side_with_what_explains_their_differences(stage: Stage) -> None:
    reading = session(stage, a_session())
    assert reading.tables[LEVELS][1:] == [
        ["turns, counted", "12.50", "1 turn"],
        ["legs", "12.50", "3 legs"],
        ["roll-ups", "12.50", "1 roll-up"],
        ["usage records in turns", "–", "0 calls"],
        ["usage records outside", "4.00", "2 calls, those of the ordinary turns"],
        ["shutdown totals", "17.50", "1 shutdown"],
        ["outside: ordinary turns", "4.00", "2 turns"],
        ["outside: compaction", "2.00", "1 compaction"],
    ]
    assert reading.texts["difference"] == [
        "Turns less legs: 0.00 credits.",
        "Usage records less turns: nothing to compare (no usage records).",
    ]
    # 17.5 - 12.5 - 4 = 1: the last turn came after the total, which holds the compaction
    assert reading.tables["Shutdown totals less turns and ordinary calls: +1.00 credits"][1:] == [
        ["after the last shutdown", "-1.00", "1"],
        ["compaction", "+2.00", "1"],
    ]


def test_money_that_nothing_explains_is_named(stage: Stage) -> None:
    log = MoneyLog()
    log.start()
    log.turn("f1")
    log.total(20)
    rows = session(stage, log).tables["Shutdown totals less turns and ordinary calls: +7.50 credits"]
    assert rows[1:] == [["unexplained", "+7.50", ""]]


def test_what_the_log_does_not_say_is_a_word_and_not_0(stage: Stage) -> None:
    log = MoneyLog()
    log.start()
    log.ordinary("i1", None)
    log.ask("i2")
    log.call(1, "c1")
    log.call(None, "c2")
    log.reply("i2", "c2")
    log.compact(None)
    reading = session(stage, log)
    assert reading.tables[OUTSIDE][1:] == [
        ["ordinary turns", "1.00", "2 turns, 2 of unknown cost"],
        ["their usage records", "1.00", "3 calls, 2 of unknown cost, the same money"],
        ["compaction", "not metered", "1 compaction"],
    ]
    assert [row[7] for row in reading.tables[WITHOUT][1:]] == ["unknown", "1.00 and more"]
    assert "1.00 credits ($0.01), as far as the log says, not in the figures of Fusion turns." in reading.texts["lead"]
    assert "No Fusion turn in this session yet." in reading.texts["empty"]


def test_a_log_without_usage_records_has_replies_without_tokens_or_cost(stage: Stage) -> None:
    log = MoneyLog()
    log.start()
    log.ask("i1")
    log.reply("i1")
    reading = session(stage, log)
    assert [row[1:] for row in reading.tables[WITHOUT][1:]] == [["m-one", "1", "0", "unknown", "unknown", "1.0 s", "unknown"]]
    assert "What this cost is unknown: the log does not say it." in reading.texts["lead"]


def test_a_session_of_very_many_ordinary_turns_shows_the_newest(stage: Stage) -> None:
    log = MoneyLog()
    log.start()
    for number in range(203):
        log.ordinary(f"i{number}", 1, model=f"m{number}")
    reading = session(stage, log)
    shown = reading.tables[WITHOUT][1:]
    assert (len(shown), shown[0][1], shown[-1][1]) == (200, "m3", "m202")
    assert "3 turns before them are left out." in reading.texts["zone"][-2]
    assert reading.tables[OUTSIDE][1] == ["ordinary turns", "203.00", "203 turns"]


def test_no_session_is_said_so(stage: Stage) -> None:
    assert Look(stage).client.get("/sessions/nobody").status_code == 404
