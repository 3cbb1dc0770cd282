"""The list of turns: one row a turn, filters, orders, pages; every view of it has an address."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest

from fusionscope.demo import write_demo
from tests.conftest import Stage
from tests.filled import fill
from tests.logs import Log, place
from tests.page.looking import Look
from tests.page.odd import ODD
from tests.page.reading import Reading
from tests.turns import CASCADE, CASCADE_ID, TEN, leg, turn

CREDIT = 1_000_000_000


def rows(reading: Reading) -> list[list[str]]:
    """The rows of turns, without their headings."""
    return reading.tables["Turns"][1:]


def ids(reading: Reading) -> list[str]:
    """The ids of the turns that are listed, in their order."""
    return [str(attributes["id"])[2:] for tag, attributes in reading.tags if tag == "tr" and "data-row" in attributes]


def test_a_row_says_what_there_is_to_say_of_a_turn(stage: Stage, samples: Path) -> None:
    (stage.root / "s1").mkdir()
    (stage.root / "s1" / "events.jsonl").write_bytes((samples / "cascade-14.72.jsonl").read_bytes())
    stage.index()
    assert stage.turns() == [CASCADE]
    reading = Look(stage).at("/turns")
    # 20.6 % = (0.575436 + 2.457200) / 14.719596
    assert rows(reading) == [
        [
            "2026-09-09 02:42",
            "cascade",
            "mai-code-1.1-flashgpt-5.6-sol",
            "reject",
            "3",
            "5",
            "246",
            "1 min 16 s",
            "14.72",
            "20.6",
        ]
    ]
    assert reading.links["2026-09-09 02:42"] == f"/turns/{CASCADE_ID}"
    assert reading.texts["sum"] == ["1 turn, 14.72 credits"]


def test_turns_that_did_not_end_well_say_so(stage: Stage) -> None:
    fill(stage.connection, ODD)
    found = [[row[1], row[3], row[7], row[8], row[9]] for row in rows(Look(stage).at("/turns"))]
    assert found == [
        ["single", "rewound", "2.1 s", "1.00", "0.0"],
        ["not fused", "", "–", "–", "–"],
        ["cascade", "open", "–", "0.50", "0.0"],
        ["cascade", "degraded", "11 s", "3.00", "0.0"],
        ["critique", "", "40 s", "20.00", "60.0"],
    ]


def test_a_turn_that_was_not_fused_says_who_served_it_and_is_found_by_that_word(stage: Stage) -> None:
    log = Log().turn("f1")
    log.route_failed("a1", "router_timeout", "m-big")
    place(stage.root, log)
    stage.index()
    assert [row[1:3] for row in rows(Look(stage).at("/turns?pattern=not+fused"))] == [["not fused", "by m-big"]]


@pytest.mark.parametrize(
    ("query", "turns"),
    [
        ("pattern=cascade", 3),
        ("pattern=unknown", 0),
        ("model=claude-opus-5", 3),
        ("model=claude-opus-5&pattern=critique", 2),
        ("state=completed", 24),
        ("state=open", 0),
        ("repository=acme/ratelimit", 24),
        ("repository=acme/other", 0),
        ("q=fusion-21ffd791", 1),
        ("q=21ffd791-6701", 1),
        ("since=2026-09-09", 24),
        ("until=2026-09-08", 0),
        ("range=today", 0),
        ("range=no-such-range&since=x&until=2026-13-01", 24),
    ],
)
def test_filters_narrow_the_list_and_its_sum(stage: Stage, tmp_path: Path, query: str, turns: int) -> None:
    stage.index(write_demo(tmp_path / "demo"))
    reading = Look(stage).at(f"/turns?{query}")
    assert reading.texts["sum"][0].split()[0] == str(turns)
    assert len(ids(reading)) == turns
    assert ("No turn fits." in reading.texts["main"][0]) == (turns == 0)


def test_a_filter_stays_in_the_form_and_in_every_address_of_the_page(stage: Stage, tmp_path: Path) -> None:
    stage.index(write_demo(tmp_path / "demo"))
    reading = Look(stage).at("/turns?pattern=cascade&range=all&q=fusion")
    assert reading.links["Credits"] == "?range=all&pattern=cascade&q=fusion&sort=credits"
    assert reading.links["Today"] == "?range=today&pattern=cascade&q=fusion"
    chosen = [attributes for tag, attributes in reading.tags if tag == "option" and "selected" in attributes]
    assert len(chosen) == 1
    fields = {attributes["name"]: attributes["value"] for tag, attributes in reading.tags if tag == "input"}
    assert fields == {"since": "", "until": "", "q": "fusion", "range": "all"}


@pytest.mark.parametrize(
    ("sort", "first", "last"),
    [("credits", "51.79", "0.51"), ("-credits", "0.51", "51.79"), ("when", "14.72", "2.25"), ("-when", "2.25", "14.72")],
)
def test_turns_are_ordered_as_asked(stage: Stage, tmp_path: Path, sort: str, first: str, last: str) -> None:
    stage.index(write_demo(tmp_path / "demo"))
    found = rows(Look(stage).at(f"/turns?sort={sort}"))
    assert (found[0][8], found[-1][8]) == (first, last)


def test_a_second_click_turns_the_order_round(stage: Stage, tmp_path: Path) -> None:
    stage.index(write_demo(tmp_path / "demo"))
    look = Look(stage)
    assert look.at("/turns").links["Credits"] == "?sort=credits"
    assert look.at("/turns?sort=credits").links["Credits"] == "?sort=-credits"
    sorted_by = [
        (attributes["aria-sort"], attributes["scope"])
        for _, attributes in look.at("/turns?sort=-time").tags
        if "aria-sort" in attributes
    ]
    assert sorted_by == [("none", "col"), ("ascending", "col"), ("none", "col"), ("none", "col")]


@pytest.mark.parametrize("sort", ["when", "-when", "credits", "-time", "review"])
def test_pages_show_every_turn_once_on_the_way_there_and_back(stage: Stage, sort: str) -> None:
    """Many turns begin in one millisecond, cost the same, or say nothing of either."""
    turns = [
        turn(f"f{n:03}", leg(f"f{n:03}:p0", nano_aiu=(n % 5) * CREDIT if n % 7 else None), started_at=TEN + n // 9,
             reported_nano_aiu=None, duration_ms=None if n % 4 == 0 else float(n % 3))
        for n in range(130)
    ]  # fmt: skip
    fill(stage.connection, turns)
    look = Look(stage)
    pages = [look.at(f"/turns?sort={sort}")]
    while "On" in pages[-1].links:
        pages.append(look.at("/turns" + pages[-1].links["On"]))
    seen = [ids(page) for page in pages]
    assert [len(page) for page in seen] == [50, 50, 30]
    assert sorted(chain(*seen)) == [f"f{n:03}" for n in range(130)]
    back = look.at("/turns" + pages[-1].links["Back"])
    assert ids(back) == seen[1]
    first = look.at("/turns" + back.links["Back"])
    assert ids(first) == seen[0]
    assert "Back" not in first.links


@pytest.mark.parametrize(
    "cursor", ["x", "%00", "W10", "e30", "WzEsMl0", "WzEsMiwzXQ", "W3RydWUsMSwiYSJd", "WyJ4IiwxLCJhIl0", "a" * 5_000]
)
def test_a_cursor_that_is_none_begins_at_the_beginning(stage: Stage, cursor: str) -> None:
    fill(stage.connection, ODD)
    assert len(ids(Look(stage).at(f"/turns?after={cursor}"))) == 5
    assert len(ids(Look(stage).at(f"/turns?before={cursor}&sort=review"))) == 5


def test_markup_in_a_log_is_text(stage: Stage) -> None:
    bold = "<b>x</b>\u202e'\"&"
    fill(
        stage.connection, [turn(bold, leg(model=bold, kind=bold, verdict=bold), pattern=bold, repository=bold, session_id=bold)]
    )
    look = Look(stage)
    for path in ("/", "/turns", "/sessions"):
        html = look.html(path)
        assert "<b>" not in html
        assert "&lt;b&gt;" in html


def test_turns_as_json_are_those_of_the_command(stage: Stage, tmp_path: Path) -> None:
    stage.index(write_demo(tmp_path / "demo"))
    assert Look(stage).json("/api/turns") == stage.shown()
    assert [each["pattern"] for each in Look(stage).json("/api/turns?pattern=cascade")] == ["cascade"] * 3
    assert Look(stage).json("/api/turns?limit=2") == stage.shown()[-2:]


def test_a_fragment_is_what_stands_in_the_frame(stage: Stage) -> None:
    fill(stage.connection, ODD)
    look = Look(stage)
    fragment = look.html("/turns", **{"X-Fragment": "1"})
    assert fragment.startswith("<title>Turns · Fusionscope</title>")
    assert "<header" not in fragment
    assert fragment.partition("</title>")[2].strip() in look.html("/turns")


def test_turns_are_narrowed_by_the_client_that_wrote_them(stage: Stage) -> None:
    for name, client in (("s1", "github/cli"), ("s2", "vscode"), ("s3", None)):
        path = place(stage.root, Log(name).turn(f"f-{name}"), name)
        if client:
            (path.parent / "workspace.yaml").write_text(f"client_name: {client}\n")
    stage.index()
    look = Look(stage)
    reading = look.at("/turns?client=github%2Fcli")
    assert ids(reading) == ["f-s1"]
    assert "client=github%2Fcli" in reading.links["All"]
    assert [one["fusion_id"] for one in look.json("/api/turns?client=vscode")] == ["f-s2"]
    assert ids(look.at("/turns")) == ["f-s3", "f-s2", "f-s1"]
