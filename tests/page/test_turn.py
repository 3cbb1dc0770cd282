"""One turn: its waterfall, its money, its route, and the way to the turns beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fusionscope.model import Critic, PlannedLeg
from fusionscope.report import files
from tests.conftest import Stage
from tests.filled import fill
from tests.logs import CREDIT, Log, place
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
    assert Look(cascade).json(f"/api/turns/{CASCADE_ID}") == files.turn_details(CASCADE)
    assert Look(cascade).client.get("/api/turns/other").status_code == 404


def test_tool_calls_are_folded_below_their_leg_and_those_of_no_leg_come_last(stage: Stage) -> None:
    log = Log()
    log.start()
    log.resolved("f1")
    log.tool_start("f1", 0, "c1", "task")
    log.tool_start("f1", 0, "c2", "bash", parentToolCallId="c1")
    log.tool_end("f1", 0, "c2", success=False, error={"code": "timeout", "message": "x"})
    log.tool_end("f1", 0, "c1")
    log.leg("f1", 0, "primary", "m-small", CREDIT)
    log.tool("f1", None, "c3", "memory")
    log.leg("f1", 1, "judge", "m-big", CREDIT, "accept")
    place(stage.root, log)
    stage.index()
    reading = Look(stage).at("/turns/f1")
    # c1 from second 3 to 6, c2 from 4 to 5, c3 one second
    calls = ["task 3.0 s ok", "level 2: bash 1.0 s failed: timeout"]
    assert [words for words in reading.texts["li"] if words[:4] in ("task", "leve", "memo")] == [*calls, "memory 1.0 s ok"]
    assert [row[0] for row in reading.tables[LEGS][1:]] == [
        "m-small drafted", f"2 tool calls (1 failed) {' '.join(calls)}", "m-big judged",
    ]  # fmt: skip
    assert "Tool calls of no leg in the log" in reading.headings
    folded = [attributes for tag, attributes in reading.tags if tag == "details"]
    assert [(each["id"], "open" in each) for each in folded] == [("calls-1", False), ("calls-of-no-leg", False)]


def test_calls_of_a_leg_that_still_runs_are_shown_before_it_ends(stage: Stage) -> None:
    log = Log()
    log.start()
    log.resolved("f1")
    log.tool_start("f1", 0, "c1", "bash")
    place(stage.root, log)
    stage.index()
    reading = Look(stage).at("/turns/f1")
    assert "Their leg has no end in the log yet, or the log ties them to none." in reading.texts["lead"]
    assert "bash – no end yet" in reading.texts["li"]


def test_a_shell_says_its_exit_code(stage: Stage) -> None:
    fill(stage.connection, [turn("f1", leg())])
    run = "INSERT INTO {} (fusion_id, event_id, at, tool_call_id, {}) VALUES ('f1', ?, ?, 'c', ?, ?)"
    stage.connection.execute(run.format("tool_start", "phase_id, name"), ("e1", TEN, "f1:p0", "bash"))
    stage.connection.execute(run.format("tool_end", "success, exit_code"), ("e2", TEN + 800, 0, 127))
    assert "bash 0.8 s failed, exit 127" in Look(stage).at("/turns/f1").texts["li"]


def test_a_turn_without_tool_calls_has_nothing_to_unfold(cascade: Stage) -> None:
    assert "details" not in {tag for tag, _ in Look(cascade).at(f"/turns/{CASCADE_ID}").tags}


def test_very_many_calls_of_a_leg_are_told_by_tool(stage: Stage) -> None:
    log = Log()
    log.start()
    log.resolved("f1")
    for number in range(201):
        log.tool("f1", 0, f"c{number}", "bash" if number % 3 else "view", success=number != 1)
    log.leg("f1", 0, "primary", "m-small", CREDIT, durationMs=500_000)
    place(stage.root, log)
    stage.index()
    reading = Look(stage).at("/turns/f1")
    by_tool = ["view x67, 1 min 7 s", "bash x134 (1 failed), 2 min 14 s"]
    assert [words for words in reading.texts["li"] if " x" in words] == by_tool
    assert "more than 200 calls, by tool; the JSON has each" in reading.texts["zone"]
    (leg_object,) = Look(stage).json("/api/turns/f1")["legs"]
    assert len(leg_object["tool_calls"]) == 201


def test_what_is_not_known_of_a_turn_is_a_note(stage: Stage) -> None:
    log = Log()
    log.start()
    log.resolved("f1", "debate", hue=1)
    place(stage.root, log)
    stage.index()
    assert Look(stage).at("/turns/f1").texts["notes"] == [
        "not known to this release: pattern debate and field hue of fusion_resolved; run fusionscope doctor"
    ]


def test_everything_the_log_says_of_the_route_is_told_and_nothing_else(stage: Stage) -> None:
    said = turn(
        "f1", leg(), rule_id="r7", rule_index=3, rule_name="long ones", hint="big refactoring", steered=True,
        follow_up=(("userTurn", "reuse_primary"), ("compactionTurn", "reroute")), agent_id="agent-9", interaction_id="i-1",
        critics=(Critic("m-a", "f1:c0", "high"), Critic("m-b", "f1:c1", None)),
    )  # fmt: skip
    fill(stage.connection, [said, turn("f2", leg(), steered=False), turn("f3", leg())])
    stage.connection.execute("INSERT INTO log (path, root, session_id, client) VALUES (x'00', '', 's1', 'github/cli')")
    look = Look(stage)
    facts = look.at("/turns/f1").facts
    wanted = {
        "Rule": "r7", "Rule index": "3", "Rule name": "long ones", "Hint": "big refactoring",
        "Critics": "m-a (high) and m-b", "Follow-up": "userTurn: reuse_primary and compactionTurn: reroute",
        "Steered": "yes, the person spoke while it ran", "Sub-agent": "agent-9", "Interaction": "i-1", "Client": "github/cli",
    }  # fmt: skip
    assert {name: facts[name][0] for name in wanted} == wanted
    assert look.at("/turns/f2").facts["Steered"] == ["no"]
    assert set(wanted) & set(look.at("/turns/f3").facts) == {"Client"}


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
