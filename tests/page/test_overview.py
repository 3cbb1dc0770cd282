"""The overview says the figures of the field report, of any range, however many there are of anything."""

from __future__ import annotations

import json
import time
from datetime import datetime
from pathlib import Path

import pytest

from fusionscope.demo import write_demo
from fusionscope.page.filters import midnight
from fusionscope.report import files
from fusionscope.report.summary import of_turns
from tests.conftest import Stage
from tests.filled import fill
from tests.logs import Log, a_turn, place
from tests.page.looking import Look
from tests.page.odd import ODD
from tests.page.reading import Reading
from tests.turns import TEN, leg, turn

CREDIT = 1_000_000_000
DAY_MS = 86_400_000


@pytest.fixture
def demo(stage: Stage, tmp_path: Path) -> Stage:
    stage.index(write_demo(tmp_path / "demo"))
    return stage


def figures(reading: Reading) -> dict[str, str]:
    """The headline figures with all that stands beside them."""
    names = ("Turns", "Credits", "Mean turn", "Compound rate", "Judge rejection rate", "Review share")
    return {name: reading.facts[name][0] for name in names if name in reading.facts}


def test_the_headline_figures_of_the_demo_come_with_what_they_count(demo: Stage) -> None:
    # 314.60 / 24 = 13.1083; not the answer: 0.58 + 2.46, 0.66 + 0.52 and 2.05 of the cascades, 1.48 of the critics
    assert figures(Look(demo).at("/?range=all")) == {
        "Turns": "24",
        "Credits": "314.60$3.15 at list price",
        "Mean turn": "13.11 creditsover 24 turns",
        "Compound rate": "25 %6 of 24 turns that more than one model ran",
        "Judge rejection rate": "67 %2 of 3 verdicts said reject",
        "Review share": "2.5 %7.74 of 314.60 credits not spent on the answer",
    }


def test_the_tables_of_the_demo_are_those_of_the_field_report(demo: Stage) -> None:
    tables = Look(demo).at("/?range=all").tables
    assert [row[:4] for row in tables["Legs and credits by the model that ran the leg"][1:]] == [
        ["gpt-5.6-sol", "24", "180.73", "57.4"],
        ["claude-opus-5", "3", "131.78", "41.9"],
        ["gpt-5.6-luna", "2", "0.98", "0.3"],
        ["mai-code-1.1-flash", "2", "0.92", "0.3"],
        ["gpt-5.6-terra", "1", "0.19", "0.1"],
    ]
    kinds = {row[0]: row[2] for row in tables["Legs and credits by kind of leg"][1:]}
    assert kinds == {"primary": "188.61", "draft": "95.87", "repair": "23.62", "judge": "5.02", "critic": "1.48"}
    assert [[*row[:3], *row[5:]] for row in tables["Turns and credits by pattern"][1:]] == [
        ["single", "18", "187.03", "7.97", "27.7"],
        ["cascade", "3", "30.22", "13.11", "63.8"],
        ["critique", "3", "97.35", "45.05", "60.9"],
    ]


def test_the_worth_of_review_compares_accepted_drafts_with_the_median_single_turn(demo: Stage) -> None:
    # one turn with an accepted draft: 2.39 credits where the median single turn cost 7.97; checks 2.05 + 2.46, and 0.52
    assert Look(demo).at("/?range=all").tables["Worth of review by drafter and judge"][1:] == [
        ["mai-code-1.1-flash", "gpt-5.6-sol", "1", "1", "4.50", "5.58"],
        ["gpt-5.6-luna", "gpt-5.6-sol", "0", "1", "0.52", "–"],
    ]


def test_the_phase_ledger_holds_every_leg_once(demo: Stage) -> None:
    rows = Look(demo).at("/?range=all").tables["Legs by kind and model: time, tokens and credits"][1:]
    assert sum(int(row[2]) for row in rows) == 32
    assert sum(int(row[4]) for row in rows) == 96
    assert sum(int(row[6].replace(",", "")) for row in rows) == 1_524_207
    judges = next(row for row in rows if row[0] == "judge")
    assert [judges[1], judges[2], judges[9]] == ["gpt-5.6-sol", "3", "5.02"]


def test_the_charts_and_the_table_below_them_say_the_same(demo: Stage) -> None:
    reading = Look(demo).at("/?range=all")
    rows = reading.tables["Turns and credits by hour"][1:]
    assert sum(int(row[1]) for row in rows) == 24
    assert round(sum(float(row[2]) for row in rows), 2) == pytest.approx(314.60, abs=0.02)
    titles = [text for text in reading.texts["main"][0].split("credits a turn") if text]
    assert len(titles) == len(rows) + 1


def test_a_filter_gives_the_figures_of_its_turns(demo: Stage) -> None:
    assert figures(Look(demo).at("/?range=all&pattern=cascade"))["Compound rate"] == (
        "100 %3 of 3 turns that more than one model ran"
    )
    assert figures(Look(demo).at("/?range=all&model=claude-opus-5"))["Turns"] == "3"
    assert figures(Look(demo).at("/?since=2026-09-09&until=2026-09-09"))["Turns"] == "24"
    assert "No turn fits" in Look(demo).html("/?until=2026-09-01")


def test_without_a_range_the_last_30_days_are_shown_or_all_when_there_are_none_in_them(stage: Stage, demo: Stage) -> None:
    look = Look(stage)
    chosen = [("All", "24"), ("30 days", "1")]
    for name, turns in chosen:
        reading = look.at("/")
        marked = [attributes for tag, attributes in reading.tags if attributes.get("aria-current") == "true"]
        assert marked[0]["href"] == reading.links[name]
        assert figures(reading)["Turns"] == turns
        fill(stage.connection, [turn("now", leg(), started_at=int(time.time() * 1000))])


def test_changes_are_told_against_as_many_days_before(stage: Stage) -> None:
    now = int(time.time() * 1000)
    today = midnight(datetime.now().astimezone().date())
    fill(stage.connection, [turn(f"n{n}", leg(f"n{n}:p0", nano_aiu=CREDIT), started_at=now - n) for n in range(3)])
    long_ago = [turn(f"b{n}", leg(nano_aiu=2 * CREDIT), started_at=today - 20 * DAY_MS - n) for n in range(2)]
    fill(stage.connection, long_ago)
    assert figures(Look(stage).at("/?range=7d"))["Turns"] == "3"
    fill(stage.connection, [each._replace(started_at=today - 9 * DAY_MS) for each in long_ago])
    found = figures(Look(stage).at("/?range=7d"))
    assert found["Turns"] == "3+50 %"
    assert found["Credits"] == "3.00$0.03 at list price-25 %"
    assert found["Mean turn"] == "1.00 creditsover 3 turns-50 %"
    assert found["Compound rate"].endswith("turns that more than one model ranunchanged")


def test_what_is_not_known_is_said(stage: Stage) -> None:
    fill(stage.connection, ODD)
    found = figures(Look(stage).at("/?range=all"))
    assert found["Turns"] == "51 open"
    # 20 + 3 + 0.5 so far + 1; the failed route has none
    assert found["Credits"] == "24.50$0.25 at list price, 1 turn not metered"
    assert found["Mean turn"] == "8.00 creditsover 3 turns"
    assert found["Judge rejection rate"] == "n/ano judge gave a verdict"


def test_nothing_yet_is_said_in_words(stage: Stage) -> None:
    assert "No Fusion turn yet." in Look(stage).html("/")


def test_a_format_that_moved_is_said_on_every_view_in_one_sentence(stage: Stage) -> None:
    log = a_turn("f1")
    for fusion_id in ("f2", "f3"):
        log.resolved(fusion_id, "debate")
    log.event("session.fusion_vote")
    log.event("session.other")
    place(stage.root, log)
    stage.index()
    look = Look(stage)
    said = "Not known to this release: pattern debate (2 turns) and event type fusion_vote (1 event); run fusionscope doctor."
    for address in ("/", "/turns", "/turns/f1", "/sessions", f"/sessions/{log.session_id}"):
        reading = look.at(address)
        assert reading.texts["drift"] == [f"{said} See what"], address
        assert reading.links["See what"] == "/health"
    assert look.at("/health").texts["drift"] == [said]
    assert said in Reading(look.client.get("/turns/nobody").text).texts["drift"][0]
    assert said in Reading(look.html("/turns", **{"x-fragment": "1"})).texts["drift"][0]


def test_a_format_that_did_not_move_is_no_word(stage: Stage) -> None:
    log = a_turn("f1")
    log.event("session.other")
    place(stage.root, log)
    stage.index()
    assert "drift" not in Look(stage).at("/").texts


def test_a_word_that_comes_while_the_page_is_open_is_told(stage: Stage) -> None:
    place(stage.root, a_turn("f1"))
    stage.index()
    look = Look(stage)
    assert "drift" not in look.at("/").texts
    odd = Log("s2")
    odd.start()
    odd.resolved("f2", "debate")
    place(stage.root, odd)
    stage.index()
    assert look.at("/").texts["drift"][0].startswith("Not known to this release: pattern debate (1 turn)")


def test_a_turn_that_ends_changes_what_was_added_up_before(stage: Stage) -> None:
    look = Look(stage)
    fill(stage.connection, [turn("f1", leg(nano_aiu=CREDIT))])
    assert figures(look.at("/?range=all"))["Credits"].startswith("1.00")
    fill(stage.connection, [turn("f1", leg(nano_aiu=CREDIT), leg("f1:p1", nano_aiu=CREDIT))])
    assert figures(look.at("/?range=all"))["Credits"].startswith("2.00")


def test_the_summary_is_that_of_the_command(demo: Stage) -> None:
    said, wanted = Look(demo).json("/api/summary"), json.loads(files.summary_json(of_turns(demo.turns()), 0))
    for name, each in said["by_pattern"].items():
        assert each.pop("mean_seconds") == pytest.approx(wanted["by_pattern"][name].pop("mean_seconds"))
    assert said == wanted
    assert Look(demo).json("/api/summary?pattern=single")["turns"] == 18


def test_the_summary_has_what_is_not_known(stage: Stage) -> None:
    log = Log()
    log.start()
    log.resolved("f1", "debate", contractVersion=3)
    log.event("session.fusion_vote")
    place(stage.root, log)
    stage.index()
    assert Look(stage).json("/api/summary")["drift"] == {
        "unknown_words": {"contract 3": 1, "pattern debate": 1}, "unknown_types": {"session.fusion_vote": 1}, "contract": 3,
    }  # fmt: skip


def test_a_client_has_the_figures_of_its_turns(stage: Stage) -> None:
    for name, client in (("s1", "github/cli"), ("s2", "vscode")):
        path = place(stage.root, Log(name).turn(f"f-{name}"), name)
        (path.parent / "workspace.yaml").write_text(f"client_name: {client}\n")
    stage.index()
    look = Look(stage)
    assert figures(look.at("/?range=all"))["Credits"].startswith("25.00")
    of_one = look.at("/?range=all&client=vscode")
    assert figures(of_one)["Credits"].startswith("12.50")
    assert [attributes["href"] for tag, attributes in of_one.tags if tag == "a" and "f-s" in (attributes["href"] or "")] == [
        "/turns/f-s2"
    ]
    assert look.json("/api/summary?client=vscode")["turns"] == 1
    assert look.json("/api/summary?client=nobody")["turns"] == 0


def test_any_data_makes_a_page_below_60_kb(stage: Stage) -> None:
    """Years of turns, hundreds of long names of everything."""

    def name(kind: str, number: int) -> str:
        return f"{kind}-{number}-{'x' * 80}"

    turns = [
        turn(
            f"fusion-{number:08}-{'0' * 30}",
            *[leg(f"p{n}", model=name("model", (number + n) % 300), kind=name("kind", number % 200)) for n in range(3)],
            leg(f"{number}:j", kind="judge", verdict="reject", model=name("judge", number % 100), scope="review"),
            pattern=name("pattern", number % 150), repository=name("repository", number), started_at=TEN + number * DAY_MS,
        )
        for number in range(400)
    ]  # fmt: skip
    fill(stage.connection, turns)
    html = Look(stage).html("/?range=all")
    assert len(html.encode()) < 60_000
    assert figures(Reading(html))["Turns"] == "400"
