"""Every shape a Fusion turn can take, from its log to what a person sees. Faults of kind D, with the values written there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fusionscope.export.identity import resource
from fusionscope.export.spans import turn_spans
from fusionscope.model import Turn
from fusionscope.report.groups import group_by
from fusionscope.report.terminal import Tools, print_turn
from fusionscope.store import read
from fusionscope.store.lean import lean_turns
from fusionscope.store.read import Selection
from fusionscope.store.session import session_spent
from fusionscope.store.totals import totals
from tests.conftest import Stage
from tests.export.receiver import values
from tests.export.wire import arrived_spans
from tests.logs import CREDIT, Log, a_turn, place
from tests.report.screen import printed

WHOLE = 25 * CREDIT // 2
F = "github.copilot.fusion."


def text_of(turn: Turn, tools: Tools = Tools.NONE, width: int = 80) -> str:
    def view(console: Any, shown: Turn, zone: Any) -> None:
        print_turn(console, shown, zone=zone, tools=tools)

    return printed(view, turn, width=width)


def line_of(turn: Turn, word: str) -> str:
    return next(line for line in text_of(turn).split("\n") if word in line)


def indexed(stage: Stage, log: Log | bytes) -> list[Turn]:
    place(stage.root, log)
    stage.index()
    return stage.turns()


def test_a_cascade_is_a_root_of_nine_seconds_and_three_legs_with_their_verdict_and_handoff(stage: Stage) -> None:
    (turn,) = indexed(stage, a_turn())
    root, *legs = arrived_spans(turn_spans(turn, resource("/root", "host")))
    assert root.end_time_unix_nano - root.start_time_unix_nano == 9_000_000_000
    models = [values(span.attributes)["gen_ai.response.model"] for span in legs]
    assert models == ["m-small", "m-big", "m-big"]
    assert [leg.verdict for leg in turn.legs] == [None, "reject", None]
    assert [(made.source_phase_id, made.target_phase_id) for made in turn.handoffs] == [("f1:p1", "f1:p2")]
    assert (turn.nano_aiu, turn.answer_phase_id) == (WHOLE, "f1:p2")


def test_a_critic_has_no_verdict_and_that_is_no_error(stage: Stage) -> None:
    log = Log()
    log.start()
    log.user()
    log.resolved("f1", "critique")
    log.leg("f1", 0, "draft", "m-a", 50 * CREDIT)
    log.leg("f1", 1, "critic", "m-b", CREDIT)
    log.leg("f1", 2, "revision", "m-a", 3 * CREDIT)
    log.completed("f1", 2, "m-a", "critique")
    (turn,) = indexed(stage, log)
    assert (turn.state, turn.nano_aiu, turn.legs[1].verdict, stage.skipped()) == ("completed", 54 * CREDIT, None, 0)
    assert line_of(turn, "m-b").split()[1:2] == ["criticised"]
    assert "54.00 credits" in text_of(turn)
    assert "!" not in text_of(turn)


def test_a_failed_leg_names_the_leg_that_took_over(stage: Stage) -> None:
    log = Log()
    log.resolved("f1", "single", "m-x", "m-y")
    log.leg_failed("f1", 0, "primary", "m-x", 700_000_000, degradedToPhaseId="f1:p1", errorMessage="400 ...")
    log.leg("f1", 1, "primary", "m-y", 300_000_000)
    log.completed("f1", 1, "m-y", "single", degradedReason="primary_failed")
    (turn,) = indexed(stage, log)
    text = text_of(turn)
    assert "single  f1  degraded" in text
    assert "1.00 credits" in text
    assert "! degraded: primary_failed\n! m-x failed as primary: primary_call_failed; m-y took over\n" in text
    assert line_of(turn, "m-x").endswith("failed")


@pytest.mark.parametrize("fusion_id", [None, "f9"])
def test_a_failed_route_says_why_and_who_served_with_or_without_a_fusion_id(stage: Stage, fusion_id: str | None) -> None:
    log = Log()
    log.start()
    log.user()
    log.route_failed("a1", "router_timeout", "m-big", **({"fusionId": fusion_id} if fusion_id else {}))
    log.event("assistant.message", model="m-big", content="hello")
    (turn,) = indexed(stage, log)
    assert (turn.fusion_id, turn.legs, stage.skipped()) == (fusion_id or "a1", (), 0)
    text = text_of(turn)
    assert text.startswith("not fused  ")
    assert "! not fused: router_timeout, served by m-big\n" in text


def test_a_log_that_begins_in_mid_turn_is_incomplete_and_says_what_is_not_itemised(stage: Stage) -> None:
    (turn,) = indexed(stage, b"".join(a_turn().lines[4:]))
    text = text_of(turn)
    assert text.startswith("cascade  f1  incomplete ")
    assert "! 1 of 3 legs missing: not in the log\n! start not in log: " in text
    assert "! not itemised: 0.50 credits (total 12.50, legs 12.00)\n" in text
    assert (len(turn.legs), turn.nano_aiu) == (2, WHOLE)


def test_a_turn_that_was_killed_after_its_judge_is_abandoned_and_costs_what_it_cost(stage: Stage) -> None:
    log = a_turn()
    del log.lines[5:]
    log.resume()
    first, second = indexed(stage, log.turn("f2"))
    assert (first.state, first.nano_aiu, second.state, second.nano_aiu) == ("abandoned", 5 * CREDIT // 2, "completed", WHOLE)
    assert stage.nano_aiu() == 15 * CREDIT
    text = text_of(first)
    assert "cascade  f1  abandoned" in text
    assert "2.50 credits" in text
    assert "! abandoned: the log has no end of this turn\n" in text


def test_a_commit_that_is_written_twice_is_one_commit(stage: Stage) -> None:
    log = a_turn()
    log.lines.insert(8, log.lines[7].replace(b'"id":"', b'"id":"again-'))
    (turn,) = indexed(stage, log)
    assert (turn.commit_id, turn.commit_kind, turn.answer_phase_id) == ("f1:c", "text", "f1:p2")
    root = arrived_spans(turn_spans(turn, resource("/root", "host")))[0]
    assert [event.name for event in root.events].count(F + "commit") == 1


def test_a_follow_up_without_a_route_is_a_turn_of_its_own_with_an_unknown_pattern(stage: Stage) -> None:
    log = a_turn()
    log.user()
    log.leg("f2", 0, "follow_up", "m-small", CREDIT)
    first, second = indexed(stage, log)
    assert (first.fusion_id, len(first.legs), first.nano_aiu) == ("f1", 3, WHOLE)
    assert (second.fusion_id, second.pattern, second.nano_aiu) == ("f2", None, CREDIT)
    assert text_of(second).startswith("unknown  f2  open, incomplete ")
    assert "followed up" in line_of(second, "m-small")


def test_a_turn_of_a_sub_agent_that_runs_inside_another_is_told_by_its_agent_and_costs_by_itself(stage: Stage) -> None:
    log, other = a_turn("root"), Log("other", "2026-11-30T10:00:00.500")
    other.turn("child")
    child = [json.dumps(json.loads(line) | {"agentId": "ag-1"}, separators=(",", ":")).encode() + b"\n" for line in other.lines]
    mixed = [line for pair in zip(log.lines[1:], child, strict=True) for line in pair]
    place(stage.root, b"".join([log.lines[0], *mixed]))
    stage.index()
    found = {turn.fusion_id: turn for turn in stage.turns()}
    assert {name: (turn.agent_id, len(turn.legs), turn.nano_aiu, turn.state) for name, turn in found.items()} == {
        "root": (None, 3, WHOLE, "completed"),
        "child": ("ag-1", 3, WHOLE, "completed"),
    }
    assert "sub-agent ag-1" in text_of(found["child"])
    assert "sub-agent" not in text_of(found["root"])


def test_legs_that_do_not_add_up_to_the_total_are_said_and_the_total_is_the_headline(stage: Stage) -> None:
    log = a_turn()
    log.lines[3] = log.lines[3].replace(b'"totalNanoAiu":500000000', b'"totalNanoAiu":400000000')
    (turn,) = indexed(stage, log)
    text = text_of(turn)
    assert "12.50 credits" in text
    assert "! not itemised: 0.10 credits (total 12.50, legs 12.40)\n" in text


def test_a_session_that_asked_for_fusion_and_got_none_is_listed_and_is_no_error(stage: Stage) -> None:
    log = Log()
    log.start()
    log.user()
    log.event("session.error", errorType="query", message="x")
    assert indexed(stage, log) == []
    (session,) = read.sessions(stage.connection)
    assert (session.selected_model, session.turns, stage.skipped()) == ("hydrafusion", 0, 0)


def test_of_two_routes_of_one_turn_the_last_counts_whichever_is_read_first(stage: Stage) -> None:
    log = Log()
    first, second = log.resolved("f1", "cascade"), log.resolved("f1", "critique")
    assert [turn.pattern for turn in indexed(stage, second + first)] == ["critique"]
    assert stage.connection.execute("SELECT count(*) FROM route").fetchone() == (2,)


def test_several_critics_are_a_leg_each_side_by_side_and_one_that_never_ran_is_named(stage: Stage) -> None:
    log = Log()
    critics = [{"model": f"m-{name}", "phaseId": f"f1:p{n}"} for n, name in enumerate("abc", start=1)]
    plan = [dict(zip(("kind", "role", "scope", "conditional"), leg, strict=True)) for leg in (
        ("draft", "solver", "root", False), ("critic", "critic", "review", False), ("revision", "solver", "root", True),
    )]  # fmt: skip
    log.resolved("f1", "critique", critics=critics, phasePlan=plan)
    log.leg("f1", 0, "draft", "m-small", CREDIT)
    log.leg("f1", 1, "critic", "m-a", CREDIT, seconds=4, durationMs=4_000, reasoningEffort="high")
    log.leg("f1", 2, "critic", "m-b", CREDIT, durationMs=4_500)
    log.completed("f1", 0, "m-small", "critique")
    (turn,) = indexed(stage, log)
    first, second = line_of(turn, "m-a  "), line_of(turn, "m-b  ")
    assert first.index("▒") < second.index("▒") < first.rindex("▒") < second.rindex("▒")
    assert line_of(turn, "m-c").split() == ["m-c", "critic", "never", "ran"]
    assert line_of(turn, "revision").split() == ["(planned)", "revision", "not", "needed"]
    assert "m-a      criticised  high" in text_of(turn)


@pytest.mark.parametrize("status", ["cancelled", "paused"])
def test_a_leg_of_another_status_is_shown_with_it(stage: Stage, status: str) -> None:
    log = Log()
    log.resolved("f1", "single")
    log.leg("f1", 0, "primary", "m-small", CREDIT, status=status)
    log.completed("f1", 0, "m-small", "single", outcome="cancelled", finalSourcePhaseId=None, finalSourceModel=None)
    (turn,) = indexed(stage, log)
    assert line_of(turn, "m-small").endswith(status)
    assert "! cancelled: no answer came of this turn\n" in text_of(turn)


def test_work_in_the_background_is_said_of_the_turn_and_of_the_leg(stage: Stage) -> None:
    log = Log()
    log.resolved("f1", "single")
    log.leg("f1", 0, "primary", "m-small", CREDIT, endedWithBackgroundWork=True)
    log.completed("f1", 0, "m-small", "single", awaitingBackgroundWork=True, durationMs=2_200.0)
    log.leg("f1", 1, "follow_up", "m-small", CREDIT, seconds=5, durationMs=4_000)
    (turn,) = indexed(stage, log)
    text = text_of(turn)
    assert "! work went on in the background after the end of this turn\n" in text
    assert "m-small ended as primary with work going on in the background" in text
    assert "clock" not in text
    assert "followed up" in text


def test_a_leg_whose_start_is_in_the_log_begins_there_and_is_counted_once(stage: Stage) -> None:
    log = Log()
    log.resolved("f1", "single")
    start: dict[str, Any] = {
        "fusionId": "f1",
        "phaseId": "f1:p0",
        "phaseKind": "primary",
        "role": "solver",
        "conversationScope": "root",
    }
    log.event("assistant.fusion_phase_started", model="m-small", pattern="single", **start)
    log.leg("f1", 0, "primary", "m-small", CREDIT, seconds=6, durationMs=2_000)
    log.completed("f1", 0, "m-small", "single", durationMs=9_200.0)
    (turn,) = indexed(stage, log)
    (leg,) = turn.legs
    assert (leg.ended_at - leg.started_at, turn.nano_aiu) == (6_000, CREDIT)
    assert line_of(turn, "m-small").count("█") > 2 * 22 * 2_000 / 9_200


def test_tool_calls_of_a_real_attribution_stand_below_their_leg_from_log_to_screen(stage: Stage) -> None:
    log = Log()
    log.resolved("f1", "single")
    log.tool_start("f1", 0, "c1", "bash")
    log.tool_end("f1", 0, "c1", False, shellExecution={"exitCode": 1}, error={"code": "boom", "message": "private"})
    log.tool("f1", None, "c2", "memory")
    log.event("tool.execution_start", toolCallId="c3", toolName="stray")
    log.event("tool.execution_complete", toolCallId="c3", success=True)
    log.leg("f1", 0, "primary", "m-small", CREDIT, durationMs=6_500)
    log.completed("f1", 0, "m-small", "single")
    (turn,) = indexed(stage, log)
    text = text_of(turn, Tools.SOME, width=100)
    lines = [line.split() for line in text.split("\n")]
    bash = next(line for line in lines if line[:1] == ["bash"])
    assert bash[2:] == ["1.0", "s", "failed:", "boom,", "exit", "1"]
    assert text.index("bash") < text.index("tool calls of no leg in the log:") < text.index("memory")
    assert "stray" not in text


def test_what_background_work_cost_after_the_end_of_a_turn_counts(stage: Stage) -> None:
    log = Log()
    log.resolved("f1", "single")
    log.leg("f1", 0, "primary", "m-small", CREDIT, endedWithBackgroundWork=True)
    log.completed("f1", 0, "m-small", "single", awaitingBackgroundWork=True, durationMs=2_200.0)
    log.leg("f1", 1, "follow_up", "m-small", 2 * CREDIT, seconds=5, durationMs=4_000)
    (turn,) = indexed(stage, log)
    assert (turn.reported_nano_aiu, turn.nano_aiu, turn.difference_nano_aiu, turn.requests) == (CREDIT, 3 * CREDIT, 0, 2)
    assert "review share 66.7 %: 2.00 of 3.00 credits" in text_of(turn)
    found = totals(stage.connection, Selection())
    assert (found.nano_aiu, found.review_nano_aiu, found.requests) == (3 * CREDIT, 2 * CREDIT, 2)
    assert session_spent(stage.connection, log.session_id).nano_aiu == 3 * CREDIT
    assert group_by(lean_turns(stage.connection), ["pattern"]).total.nano_aiu == 3 * CREDIT


def test_the_roll_up_that_comes_after_the_background_work_is_the_turns_total(stage: Stage) -> None:
    log = Log()
    log.resolved("f1", "single")
    log.leg("f1", 0, "primary", "m-small", CREDIT, endedWithBackgroundWork=True)
    log.completed("f1", 0, "m-small", "single", awaitingBackgroundWork=True)
    log.leg("f1", 1, "follow_up", "m-small", 2 * CREDIT)
    log.completed("f1", 1, "m-small", "single", totalNanoAiu=4 * CREDIT)
    (turn,) = indexed(stage, log)
    assert (turn.nano_aiu, turn.difference_nano_aiu) == (4 * CREDIT, CREDIT)
