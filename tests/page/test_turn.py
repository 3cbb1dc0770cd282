"""One turn: its waterfall, its money, its route, and the way to the turns beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fusionscope.model import PlannedLeg
from fusionscope.report import files
from tests.conftest import Stage
from tests.filled import fill
from tests.page.looking import Look
from tests.page.odd import ODD
from tests.turns import CASCADE, CASCADE_ID, TEN, leg, turn

LEGS = "The legs of this turn on one time axis, in log order"
TOKENS = "Tokens, calls and credits of each leg; fresh, cached and cache-written make the input"


@pytest.fixture
def cascade(stage: Stage, samples: Path) -> Stage:
    (stage.root / "s1").mkdir()
    (stage.root / "s1" / "events.jsonl").write_bytes((samples / "cascade-14.72.jsonl").read_bytes())
    stage.index()
    return stage


def test_the_public_cascade_is_told_leg_by_leg(cascade: Stage) -> None:
    reading = Look(cascade).at(f"/turns/{CASCADE_ID}")
    assert reading.headings[0] == "Cascade"
    assert reading.texts["sum"] == ["2026-09-09 02:42:54 UTC · 1 min 16 s · 14.72 credits ($0.15) · asked for hydrafusion"]
    assert [[row[0], *row[2:]] for row in reading.tables[LEGS][1:]] == [
        ["mai-code-1.1-flash drafted", "22 s", "0.58", "superseded"],
        ["gpt-5.6-sol judged", "11 s", "2.46", "reject"],
        ["gpt-5.6-sol repaired", "42 s", "11.69", "the answer"],
    ]
    assert "review share 20.6 %: 3.03 of 14.72 credits on legs that are not the answer" in reading.texts["li"]


def test_tokens_are_split_and_a_second_has_its_price(cascade: Stage) -> None:
    # 0.575436 / 22.160 = 0.026, 2.4572 / 10.727 = 0.229, 11.68696 / 42.293 = 0.276
    assert Look(cascade).at(f"/turns/{CASCADE_ID}").tables[TOKENS][1:] == [
        ["mai-code-1.1-flash drafted", "11,851", "3,968", "0", "2,754", "1", "0.58", "0.03"],
        ["gpt-5.6-sol judged", "3", "0", "2,336", "644", "1", "2.46", "0.23"],
        ["gpt-5.6-sol repaired", "9", "25,859", "13,834", "1,866", "3", "11.69", "0.28"],
        ["Turn", "11,863", "29,827", "16,170", "5,264", "5", "14.72", ""],
    ]


def test_the_route_and_the_ids_are_told(cascade: Stage) -> None:
    facts = Look(cascade).at(f"/turns/{CASCADE_ID}").facts
    assert [facts[name] for name in ("Policy", "Source", "Latency", "Fallback")] == [
        ["max"],
        ["capi_plan"],
        ["246 ms"],
        ["gpt-5.6-sol"],
    ]
    assert facts["Trace"] == ["0f479f4eedd568f7f1811a9f4b16745b"]
    assert facts["Turn"] == [CASCADE_ID]


def test_grafana_is_linked_where_there_is_one(cascade: Stage) -> None:
    assert "Open in Grafana" not in Look(cascade).at(f"/turns/{CASCADE_ID}").links
    links = Look(cascade, grafana_url="http://localhost:3000/").at(f"/turns/{CASCADE_ID}").links
    assert links["Open in Grafana"] == (
        "http://localhost:3000/d/fusionscope?var-traceId=0f479f4eedd568f7f1811a9f4b16745b&from=1788921714729&to=1788921910342"
    )


def test_a_turn_as_json_is_that_of_the_command(cascade: Stage) -> None:
    assert Look(cascade).json(f"/api/turns/{CASCADE_ID}") == files.turn_object(CASCADE)
    assert Look(cascade).client.get("/api/turns/other").status_code == 404


def test_parallel_critics_overlap_and_a_pause_is_seen(stage: Stage) -> None:
    fill(stage.connection, ODD)
    reading = Look(stage).at("/turns/fusion-parallel")
    bars = [
        attributes for tag, attributes in reading.tags if tag == "rect" and (attributes.get("class") or "").startswith("bar")
    ]
    # of 40.1 s: the draft from 0.2 to 10.2, critics from 10.5 to 16.5 and 20.5, the revision from 28.5 to 40
    assert [(bar["x"], bar["width"]) for bar in bars] == [
        ("0.50%", "24.94%"), ("26.18%", "14.96%"), ("26.18%", "24.94%"), ("71.07%", "28.68%"),
    ]  # fmt: skip
    assert "no leg ran for 8.3 s of 40 s" in reading.texts["li"]
    assert [row[4] for row in reading.tables[LEGS][1:]] == ["superseded", "", "", "the answer"]


def test_failed_legs_and_planned_ones_that_never_ran_are_told_apart(stage: Stage) -> None:
    fill(stage.connection, ODD)
    reading = Look(stage).at("/turns/fusion-failed-leg")
    fates = [
        attributes["class"] for tag, attributes in reading.tags if tag == "tr" and "fate" in (attributes.get("class") or "")
    ]
    assert fates == ["fate-failed", "fate-answer", "fate-planned", "fate-planned"]
    assert [[row[0], *row[2:]] for row in reading.tables[LEGS][1:]] == [
        ["m-small primary", "2.5 s", "–", "failed"],
        ["m-big drafted", "8.0 s", "3.00", "the answer"],
        ["judge", "–", "–", "planned, never ran"],
        ["repair", "–", "–", "planned, not asked for"],
    ]
    assert reading.texts["warning"] == [
        "degraded: primary_unavailable",
        "m-small failed as primary: primary_call_failed; m-big took over",
        "1 of 2 legs not metered: the log says no credits",
    ]


def test_an_open_turn_tells_what_it_has_so_far(stage: Stage) -> None:
    fill(stage.connection, ODD)
    reading = Look(stage).at("/turns/fusion-open")
    assert reading.headings[0] == "Cascade open"
    assert "5.0 s so far · 0.50 credits" in reading.texts["sum"][0]
    assert reading.tables[LEGS][2][4] == "planned, not yet"


def test_a_failed_route_says_who_served(stage: Stage) -> None:
    fill(stage.connection, ODD)
    reading = Look(stage).at("/turns/attempt-not-fused")
    assert reading.headings[0] == "Not fused"
    assert reading.texts["warning"] == ["not fused: router_timeout, served by m-big"]
    assert LEGS not in reading.tables


def test_the_turns_before_and_after_are_those_of_the_session(stage: Stage) -> None:
    fill(stage.connection, [*ODD, turn("elsewhere", session_id="s2", started_at=TEN + 61_000)])
    look = Look(stage)
    links = look.at("/turns/fusion-failed-leg").links
    assert (links["Turn before"], links["Turn after"]) == ("/turns/fusion-parallel", "/turns/fusion-open")
    assert {"Turn before", "Turn after"}.isdisjoint(look.at("/turns/elsewhere").links)


def test_the_beginning_of_an_id_leads_to_its_turn_or_to_a_choice(stage: Stage) -> None:
    fill(stage.connection, ODD)
    client = Look(stage).client
    answer = client.get("/turns/fusion-par", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (302, "/turns/fusion-parallel")
    choice = client.get("/turns/fusion-")
    assert choice.status_code == 404
    assert "/turns/fusion-open" in choice.text
    assert client.get("/turns/nobody").status_code == 404


@pytest.mark.parametrize("fusion_id", ["a b", "ü?#%", "a..b", "x" * 300])
def test_any_id_without_a_slash_has_an_address(stage: Stage, fusion_id: str) -> None:
    fill(stage.connection, [turn(fusion_id, leg())])
    look = Look(stage)
    (address,) = [link for text, link in look.at("/turns").links.items() if text.startswith("2026-11-30")]
    assert look.at(address).facts["Turn"][0].startswith(fusion_id[:190])


def test_a_turn_of_no_time_at_all_is_drawn(stage: Stage) -> None:
    nothing = turn("f1", leg(duration_ms=0.0, ended_at=TEN), started_at=TEN, ended_at=TEN, last_event_at=TEN, duration_ms=0.0,
                   routing_latency_ms=None, planned=(PlannedLeg("judge", "judge", "review", False),))  # fmt: skip
    fill(stage.connection, [nothing])
    assert [row[2] for row in Look(stage).at("/turns/f1").tables[LEGS][1:]] == ["0 s", "0 s", "–"][1:]


def test_a_planned_leg_names_the_model_that_the_route_named_for_it(stage: Stage) -> None:
    plan = (PlannedLeg("primary", "solver", "root", False), PlannedLeg("repair", "solver", "root", True))
    fill(stage.connection, [turn("f1", leg(is_answer=True), pattern="cascade", planned=plan, repair_model="m-repairer")])
    rows = Look(stage).at("/turns/f1").tables[LEGS][1:]
    assert (rows[1][0], rows[1][4]) == ("m-repairer repair", "planned, not needed")
