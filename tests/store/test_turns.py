"""A turn from its events: states, money, order, whom it belongs to. Faults of kinds C and D."""

from __future__ import annotations

import json
import shutil
from itertools import permutations
from pathlib import Path

import pytest

from fusionscope.store import read
from fusionscope.store.read import Selection
from tests.conftest import Stage
from tests.logs import CREDIT, Log, a_turn, place
from tests.turns import CASCADE

WHOLE = 25 * CREDIT // 2


def test_the_public_cascade_costs_the_same_by_its_legs_and_by_its_total(stage: Stage, samples: Path) -> None:
    place(stage.root, (samples / "cascade-14.72.jsonl").read_bytes(), "s1")
    stage.index()
    turn = stage.turn()
    assert (turn.legs_nano_aiu, turn.reported_nano_aiu, turn.nano_aiu) == (14_719_596_000,) * 3
    # field by field as typed from the log by hand
    assert turn == CASCADE


def test_a_turn_is_visible_from_its_first_event_and_open_until_its_last(stage: Stage) -> None:
    lines = a_turn().lines
    path = place(stage.root, b"".join(lines[:3]))
    seen = []
    for line in lines[3:]:
        stage.index()
        turn = stage.turn()
        seen.append((turn.state, len(turn.legs), turn.nano_aiu))
        with path.open("ab") as file:
            file.write(line)
    stage.index()
    half, two = CREDIT // 2, 5 * CREDIT // 2
    assert seen == [
        ("open", 0, None),
        ("open", 1, half),
        ("open", 2, two),
        ("open", 2, two),
        ("open", 3, WHOLE),
        ("open", 3, WHOLE),
    ]
    assert stage.turn().state == "completed"


def test_events_in_any_order_give_the_same_turn(stage: Stage, tmp_path: Path) -> None:
    log = a_turn()
    place(stage.root, log)
    stage.index()
    (expected,) = stage.shown()
    for n, order in enumerate(permutations(log.lines[3:5] + log.lines[6:9], 5)):
        if n % 12 == 0:
            place(stage.root, b"".join([*log.lines[:3], *order]), "shuffled")
            stage.index()
            (turn,) = stage.shown()
            assert turn == expected


def test_the_answer_leg_is_the_one_the_roll_up_names(stage: Stage) -> None:
    place(stage.root, a_turn())
    stage.index()
    turn = stage.turn()
    assert [(leg.index, leg.kind, leg.verdict, leg.is_answer) for leg in turn.legs] == [
        (0, "primary", None, False), (1, "judge", "reject", False), (2, "repair", None, True),
    ]  # fmt: skip
    assert (turn.answer_phase_id, turn.answer_model, turn.compound, turn.models) == (
        "f1:p2",
        "m-big",
        True,
        ("m-small", "m-big"),
    )
    assert [(handoff.source_phase_id, handoff.target_phase_id) for handoff in turn.handoffs] == [("f1:p1", "f1:p2")]
    assert turn.review_nano_aiu == 5 * CREDIT // 2


def test_the_turn_begins_its_duration_before_its_end_and_a_leg_likewise(stage: Stage) -> None:
    place(stage.root, a_turn())
    stage.index()
    (turn,) = stage.shown()
    assert (turn["started_at"], turn["ended_at"], turn["duration_ms"]) == (
        "2026-11-30T10:00:00.000Z",
        "2026-11-30T10:00:09.000Z",
        9000,
    )
    assert (turn["legs"][0]["started_at"], turn["legs"][0]["ended_at"]) == (
        "2026-11-30T10:00:02.000Z",
        "2026-11-30T10:00:04.000Z",
    )


def test_a_failed_leg_costs_and_the_turn_that_went_on_is_degraded(stage: Stage) -> None:
    log = Log()
    log.resolved("f1", "single", "m-x", "m-y")
    log.leg_failed("f1", 0, "primary", "m-x", 700_000_000, degradedToPhaseId="f1:p1", errorMessage="400 ...")
    log.leg("f1", 1, "primary", "m-y", 300_000_000)
    log.completed("f1", 1, "m-y", "single", degradedReason="primary_failed")
    place(stage.root, log)
    stage.index()
    turn = stage.turn()
    assert (turn.state, turn.degraded_reason, turn.nano_aiu) == ("degraded", "primary_failed", CREDIT)
    failed = turn.legs[0]
    assert (failed.status, failed.reason, failed.degraded_to) == ("failed", "primary_call_failed", "f1:p1")


def test_a_leg_tried_twice_is_two_attempts_and_the_last_one_answers(stage: Stage) -> None:
    log = Log()
    log.resolved("f1", "single")
    log.leg_failed("f1", 0, "primary", "m-x", CREDIT)
    log.leg("f1", 0, "primary", "m-x", 2 * CREDIT)
    log.completed("f1", 0, "m-x", "single")
    place(stage.root, log)
    stage.index()
    assert [(leg.attempt, leg.status, leg.is_answer) for leg in stage.turn().legs] == [
        (0, "failed", False),
        (1, "succeeded", True),
    ]
    assert stage.nano_aiu() == 3 * CREDIT


def test_a_leg_copied_under_a_new_event_id_is_no_new_leg(stage: Stage) -> None:
    log = a_turn()
    copy = json.loads(log.lines[4]) | {"id": "another"}
    place(stage.root, bytes(log) + json.dumps(copy).encode() + b"\n")
    stage.index()
    assert (len(stage.turn().legs), stage.turn().difference_nano_aiu) == (3, 0)


def test_a_failed_route_is_a_turn_that_was_not_fused(stage: Stage) -> None:
    log = Log()
    log.start()
    log.user()
    log.route_failed("a1", "router_timeout", "m-big")
    log.event("assistant.message", model="m-big", content="hello")
    place(stage.root, log)
    stage.index()
    turn = stage.turn()
    assert (turn.fusion_id, turn.state, turn.route_failure, turn.fallback_model) == ("a1", "failed", "router_timeout", "m-big")
    assert (turn.legs, turn.nano_aiu, turn.duration_ms) == ((), None, 5_000)


def test_a_log_that_begins_in_mid_turn_shows_what_it_has(stage: Stage) -> None:
    place(stage.root, b"".join(a_turn().lines[4:]))
    stage.index()
    turn = stage.turn()
    assert (turn.pattern, turn.policy, len(turn.legs), turn.missing_legs) == ("cascade", None, 2, 1)
    assert (turn.nano_aiu, turn.difference_nano_aiu) == (WHOLE, CREDIT // 2)


def test_a_killed_turn_is_given_up_when_its_session_resumes_and_still_costs(stage: Stage) -> None:
    log = a_turn()
    del log.lines[5:]
    path = place(stage.root, log)
    stage.index()
    assert stage.turn().state == "open"
    log.resume()
    path.write_bytes(bytes(log))
    stage.index()
    assert stage.turn().state == "abandoned"
    path.write_bytes(bytes(log.turn("f2")))
    stage.index()
    assert [(turn.state, turn.nano_aiu) for turn in stage.turns()] == [("abandoned", 5 * CREDIT // 2), ("completed", WHOLE)]


@pytest.mark.parametrize("ending", ["resume", "shutdown", "resolved"])
def test_what_ends_an_open_turn_is_a_resume_a_shutdown_or_the_next_turn(stage: Stage, ending: str) -> None:
    log = a_turn()
    del log.lines[8:]
    if ending == "resolved":
        log.resolved("f2")
    else:
        getattr(log, ending)()
    place(stage.root, log)
    stage.index()
    assert stage.turns()[0].state == "abandoned"


def test_a_turn_that_was_given_up_is_completed_when_its_end_arrives_after_all(stage: Stage) -> None:
    first, second = a_turn("f1"), a_turn("f2")
    end = first.lines.pop()
    path = place(stage.root, bytes(first) + b"".join(second.lines[1:3]))
    later = json.loads(second.lines[2])["timestamp"]
    stage.index()
    assert later < json.loads(end)["timestamp"]
    with path.open("ab") as file:
        file.write(end)
    stage.index()
    assert {turn.fusion_id: turn.state for turn in stage.turns()} == {"f1": "completed", "f2": "open"}


def test_another_agents_turn_does_not_end_an_open_one(stage: Stage) -> None:
    log = Log()
    log.resolved("root")
    log.event("session.fusion_resolved", envelope={"agentId": "ag-1"}, fusionId="child", pattern="single")
    place(stage.root, log)
    stage.index()
    assert {turn.fusion_id: (turn.state, turn.agent_id) for turn in stage.turns()} == {
        "root": ("open", None),
        "child": ("open", "ag-1"),
    }


def test_a_clock_that_goes_back_changes_neither_order_nor_durations(stage: Stage) -> None:
    log = Log()
    log.resolved("f1")
    log.leg("f1", 0, "primary", "m", 1)
    log._now = log._now.replace(hour=8)
    log.leg("f1", 1, "judge", "m", 1, "accept")
    log.completed("f1", 0, "m")
    place(stage.root, log)
    stage.index()
    assert [(leg.kind, leg.duration_ms) for leg in stage.turn().legs] == [("primary", 2_000), ("judge", 2_000)]


def test_the_last_of_two_routes_counts_and_both_are_kept(stage: Stage) -> None:
    log = Log()
    log.resolved("f1", "cascade")
    log.resolved("f1", "critique")
    place(stage.root, log)
    stage.index()
    assert stage.turn().pattern == "critique"
    assert stage.connection.execute("SELECT count(*) FROM route").fetchone() == (2,)


def test_a_difference_between_the_legs_and_the_total_is_kept_and_the_total_is_the_headline(stage: Stage) -> None:
    log = a_turn()
    log.lines[3] = log.lines[3].replace(b'"totalNanoAiu":500000000', b'"totalNanoAiu":400000000')
    place(stage.root, log)
    stage.index()
    turn = stage.turn()
    assert (turn.nano_aiu, turn.legs_nano_aiu, turn.difference_nano_aiu) == (WHOLE, 12_400_000_000, 100_000_000)


def test_new_words_and_absent_amounts_are_shown_as_they_are(stage: Stage) -> None:
    log = Log()
    log.resolved("f1", "debate", contractVersion=2, surprise={"deep": [1]})
    log.leg("f1", 0, "arbiter", "m", 1, usage=None, durationMs=1.0)
    log.leg("f1", 1, "arbiter", "m", 1, usage={"requestCount": 1.0, "inputTokens": 7.0, "outputTokens": 1, "cachedTokens": 0})
    place(stage.root, log)
    stage.index()
    turn = stage.turn()
    assert (turn.pattern, turn.contract_version, turn.nano_aiu) == ("debate", 2, None)
    assert [(leg.kind, leg.requests, leg.input_tokens, leg.nano_aiu) for leg in turn.legs] == [
        ("arbiter", 0, 0, None),
        ("arbiter", 1, 7, None),
    ]


def test_route_facts_reach_the_turn(stage: Stage) -> None:
    log = Log()
    plan = [{"kind": "draft", "role": "solver", "scope": "root", "conditional": False},
            {"kind": "revision", "role": "solver", "scope": "root", "conditional": True}]  # fmt: skip
    critics = [{"model": "m-a", "phaseId": "c1"}, {"model": "m-b", "phaseId": "c2", "reasoningEffort": "high"}]
    log.resolved("f1", "critique", phasePlan=plan, critics=critics, judgeModel="m-j", repairModel="m-r", selectedRuleId="r9")
    place(stage.root, log)
    stage.index()
    turn = stage.turn()
    assert turn.critic_models == ("m-a", "m-b")
    assert turn.scores == (("reasoning", 0.5), ("code_gen", 0.25), ("debugging", 0.125), ("tool_use", 0.0))
    assert [(leg.kind, leg.conditional) for leg in turn.planned] == [("draft", False), ("revision", True)]
    assert (turn.judge_model, turn.repair_model, turn.selected_rule_id, turn.routing_latency_ms) == ("m-j", "m-r", "r9", 200)


def test_the_version_of_a_resumed_session_is_not_known(stage: Stage) -> None:
    log = a_turn()
    log.resume()
    log.turn("f2")
    place(stage.root, log)
    stage.index()
    assert [turn.cli_version for turn in stage.turns()] == ["1.0.84-4", None]


def test_a_resume_that_names_its_version_gives_it_to_the_turns_after_it(stage: Stage) -> None:
    log = a_turn()
    log.resume(copilotVersion="1.0.110")
    log.turn("f2")
    log.resume()
    log.turn("f3")
    place(stage.root, log)
    stage.index()
    assert [turn.cli_version for turn in stage.turns()] == ["1.0.84-4", "1.0.110", None]


@pytest.mark.parametrize("mark", ["rewind", "fork"])
def test_the_session_goes_on_in_the_same_version_and_repository_after_a_rewind_or_a_fork(stage: Stage, mark: str) -> None:
    log = a_turn()
    log.event("session.info", infoType=mark, message="x")
    log.turn("f2")
    place(stage.root, log)
    stage.index()
    assert [(turn.cli_version, turn.repository) for turn in stage.turns()] == [("1.0.84-4", "acme/w")] * 2


@pytest.mark.parametrize("first", ["parent", "fork"])
def test_a_turn_in_a_fork_belongs_to_the_parent_whichever_is_read_first(stage: Stage, first: str) -> None:
    parent = a_turn()
    fork = Log("fork", "2026-11-30T11:00:00")
    fork.start()
    fork.lines += parent.lines[1:]
    fork.turn("f2")
    logs = {"parent": parent, "fork": fork}
    place(stage.root, logs.pop(first))
    stage.index()
    place(stage.root, logs.popitem()[1])
    stage.index()
    owners = {turn.fusion_id: turn.session_id for turn in stage.turns()}
    assert owners == {"f1": parent.session_id, "f2": fork.session_id}
    assert stage.nano_aiu() == 2 * WHOLE


def test_a_restored_copy_under_another_root_counts_once(stage: Stage, tmp_path: Path) -> None:
    place(stage.root, a_turn())
    other = tmp_path / "other" / "session-state"
    shutil.copytree(stage.root, other)
    stage.index(stage.root, other)
    assert (len(stage.turns()), stage.nano_aiu()) == (1, WHOLE)


def test_two_writers_in_one_log_give_two_turns(stage: Stage) -> None:
    one, two = a_turn("f1"), Log("s1x")
    two.turn("f2")
    lines = [line for pair in zip(one.lines[1:], two.lines, strict=True) for line in pair]
    place(stage.root, b"".join([one.lines[0], *lines]))
    stage.index()
    assert [(turn.state, len(turn.legs)) for turn in stage.turns()] == [("completed", 3), ("completed", 3)]
    assert stage.nano_aiu() == 2 * WHOLE


def test_resuming_nine_times_without_a_turn_changes_no_figure(stage: Stage) -> None:
    log = a_turn()
    for _ in range(9):
        log.resume()
    place(stage.root, log)
    stage.index()
    (session,) = read.sessions(stage.connection)
    assert (stage.nano_aiu(), session.resumes, session.turns) == (WHOLE, 9, 1)


def test_a_session_that_asked_for_fusion_and_got_none_is_listed(stage: Stage, samples: Path) -> None:
    place(stage.root, (samples / "hydrafusion-refused-1.0.102.jsonl").read_bytes())
    stage.index()
    (session,) = read.sessions(stage.connection)
    assert (session.selected_model, session.turns, session.shutdowns) == ("hydrafusion", 0, 1)


def test_turns_are_selected_by_time_session_pattern_model_and_number(stage: Stage) -> None:
    one, two = Log("s1"), Log("s2", "2026-11-30T12:00:00")
    for log, fusion_id in ((one, "f1"), (two, "f2")):
        log.start()
        log.turn(fusion_id)
        place(stage.root, log)
    two.resolved("f3", "single")
    two.leg("f3", 0, "primary", "m-third", 1)
    place(stage.root, two)
    stage.index()
    noon = 1_796_040_000_000  # 2026-11-30T12:00:00Z
    f2_begins = next(turn.started_at for turn in stage.turns() if turn.fusion_id == "f2")
    assert f2_begins == noon

    def ids(**wanted: object) -> list[str]:
        return [turn.fusion_id for turn in read.turns(stage.connection, Selection(**wanted))]  # type: ignore[arg-type]

    assert ids() == ["f1", "f2", "f3"]
    assert ids(since=noon) == ["f2", "f3"]
    assert ids(until=noon) == ["f1"]
    assert ids(session=two.session_id[:8]) == ["f2", "f3"]
    assert ids(pattern="single") == ["f3"]
    assert ids(model="m-small") == ["f1", "f2"]
    assert ids(model="m-third", pattern="cascade") == []
    assert ids(limit=2) == ["f2", "f3"]
    assert ids(limit=1, pattern="cascade") == ["f2"]


def test_a_turn_is_found_by_the_beginning_of_its_id_with_or_without_its_prefix(stage: Stage) -> None:
    log = Log()
    for fusion_id in ("fusion-abc1", "fusion-abd2", "fusion-abc"):
        log.resolved(fusion_id)
    place(stage.root, log)
    stage.index()

    def found(text: str) -> str | None:
        turn = read.find_turn(stage.connection, text)
        return turn.fusion_id if turn else None

    assert found("fusion-abd") == "fusion-abd2"
    assert found("abd") == "fusion-abd2"
    assert found("fusion-abc") == "fusion-abc"
    assert found("nothing") is None
    assert found("") is None
    assert found("%") is None
    with pytest.raises(read.AmbiguousIdError):
        found("fusion-ab")
