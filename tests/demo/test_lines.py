"""The demo's files are what Copilot CLI writes: envelope, chain, times, required fields, totals."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path

import pytest

from fusionscope.demo import write_demo
from tests.demo.reading import DemoTurn, Event, at

#: type -> the fields that the published schema requires (and ``message`` of a handoff)
REQUIRED = {
    "session.start": {"sessionId", "version", "producer", "copilotVersion", "startTime"},
    "session.resume": {"resumeTime", "eventCount"},
    "session.fusion_resolved": {
        "fusionId", "turnId", "contractVersion", "syntheticModel", "policy", "pattern", "primaryModel", "secondaryModel",
        "fallbackModel", "followUpModel",
    },
    "assistant.fusion_phase_completed": {
        "fusionId", "phaseId", "phaseKind", "role", "conversationScope", "model", "status", "content", "verdict",
        "durationMs", "usage",
    },
    "session.fusion_handoff": {"fusionId", "sourcePhaseId", "targetPhaseId", "targetModel", "message"},
    "session.fusion_commit_started": {"fusionId", "commitId", "sourcePhaseId", "sourceModel", "kind", "toolCallId"},
    "session.fusion_completed": {
        "fusionId", "commitId", "turnId", "syntheticModel", "pattern", "outcome", "finalSourcePhaseId", "finalSourceModel",
        "followUpModel", "degradedReason", "phaseCount", "requestCount", "inputTokens", "outputTokens", "cachedTokens",
        "totalNanoAiu", "durationMs",
    },
    "session.shutdown": {"shutdownType", "totalApiDurationMs", "sessionStartTime", "codeChanges", "modelMetrics"},
    "user.message": {"content"},
    "system.message": {"role", "content"},
    "assistant.turn_start": {"turnId"},
    "assistant.turn_end": {"turnId"},
    "assistant.message": {"messageId", "content", "model", "toolRequests", "fusion"},
    "tool.execution_start": {"toolCallId", "toolName", "fusion"},
    "tool.execution_complete": {"toolCallId", "success", "fusion"},
}  # fmt: skip

USAGE = {"requestCount", "inputTokens", "outputTokens", "cachedTokens", "cacheWriteTokens", "totalNanoAiu"}


@pytest.fixture
def events(sessions: list[list[Event]]) -> list[Event]:
    return [event for session in sessions for event in session]


def of(events: list[Event], event_type: str) -> list[Event]:
    return [event for event in events if event["type"] == event_type]


def test_two_runs_write_the_same_bytes(tmp_path: Path) -> None:
    first, second = (write_demo(tmp_path / name) for name in "ab")
    files = sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file())
    assert len(files) == 12
    assert [(first / file).read_bytes() for file in files] == [(second / file).read_bytes() for file in files]


def test_a_second_run_replaces_the_files_of_the_first(tmp_path: Path) -> None:
    log = next(write_demo(tmp_path).glob("*/events.jsonl"))
    before = log.read_bytes()
    log.write_bytes(b"{}\n" + before)
    assert write_demo(tmp_path) == tmp_path / "session-state"
    assert log.read_bytes() == before


def test_every_line_is_compact_json_in_the_order_of_the_cli(root: Path) -> None:
    for log in root.glob("*/events.jsonl"):
        raw = log.read_bytes()
        assert raw.endswith(b"}\n")
        for line in raw.split(b"\n")[:-1]:
            event = json.loads(line)
            assert list(event) == ["type", "data", "id", "timestamp", "parentId"]
            assert json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode() == line


def test_some_lines_hold_several_kilobytes(root: Path) -> None:
    sizes = [len(line) for log in root.glob("*/events.jsonl") for line in log.read_bytes().splitlines()]
    assert sum(size > 8_000 for size in sizes) >= 6


def test_every_event_names_the_one_before_it_as_its_parent(sessions: list[list[Event]]) -> None:
    for session in sessions:
        assert [event["parentId"] for event in session] == [None, *(event["id"] for event in session[:-1])]


def test_no_event_id_and_no_turn_comes_twice(events: list[Event], turns: list[DemoTurn]) -> None:
    assert len({event["id"] for event in events}) == len(events)
    assert len({turn.resolved["data"]["fusionId"] for turn in turns}) == len(turns)


def test_time_never_runs_backwards(sessions: list[list[Event]]) -> None:
    for session in sessions:
        assert [at(event) for event in session] == sorted(map(at, session))


def test_one_session_follows_the_other(sessions: list[list[Event]]) -> None:
    for earlier, later in itertools.pairwise(sessions):
        assert at(earlier[-1]) < at(later[0])


def test_required_fields_are_there(events: list[Event]) -> None:
    assert {event["type"] for event in events} == set(REQUIRED)
    for event in events:
        assert REQUIRED[event["type"]] <= set(event["data"]), event["type"]
    for leg in of(events, "assistant.fusion_phase_completed"):
        assert set(leg["data"]["usage"]) == USAGE
        assert "reasoningEffort" not in leg["data"]  # newer than the version that writes these logs


def test_amounts_are_whole_nano_aiu(events: list[Event]) -> None:
    for event in of(events, "assistant.fusion_phase_completed"):
        assert all(type(value) is int for value in event["data"]["usage"].values())


def test_a_roll_up_is_the_exact_sum_of_its_legs(turns: list[DemoTurn]) -> None:
    for turn in turns:
        total = turn.completed["data"]
        assert total["phaseCount"] == len(turn.legs)
        for name in USAGE:
            assert total[name] == sum(leg["data"]["usage"][name] for leg in turn.legs)


def test_a_turn_lasts_from_the_question_of_the_route_to_its_end(turns: list[DemoTurn]) -> None:
    for turn in turns:
        began = at(turn.resolved) - turn.resolved["data"]["routingLatencyMs"]
        assert abs(at(turn.completed) - turn.completed["data"]["durationMs"] - began) <= 1


def test_legs_follow_each_other_with_small_gaps(turns: list[DemoTurn]) -> None:
    for turn in turns:
        before = at(turn.resolved)
        for leg in turn.legs:
            gap = at(leg) - leg["data"]["durationMs"] - before
            assert 3 <= round(gap) <= 94
            before = at(leg)
        assert before < at(turn.completed) <= before + 100


def test_the_answer_is_the_last_leg_of_the_visible_conversation(turns: list[DemoTurn]) -> None:
    for turn in turns:
        visible = [leg["data"] for leg in turn.legs if leg["data"]["conversationScope"] == "root"]
        assert turn.answer_phase_id == visible[-1]["phaseId"]
        assert turn.completed["data"]["finalSourceModel"] == visible[-1]["model"]


def test_the_legs_that_ran_are_in_the_plan(turns: list[DemoTurn]) -> None:
    for turn in turns:
        plan = [(leg["kind"], leg["role"], leg["scope"]) for leg in turn.resolved["data"]["phasePlan"]]
        ran = [(leg["data"]["phaseKind"], leg["data"]["role"], leg["data"]["conversationScope"]) for leg in turn.legs]
        assert plan[: len(ran)] == ran


def test_only_a_rejected_draft_is_handed_over(turns: list[DemoTurn], events: list[Event]) -> None:
    rejected = [turn for turn in turns if any(leg["data"]["verdict"] == "reject" for leg in turn.legs)]
    handed = [event["data"]["fusionId"] for event in of(events, "session.fusion_handoff")]
    assert handed == [turn.resolved["data"]["fusionId"] for turn in rejected]


def test_every_visible_model_call_is_one_message_tied_to_its_leg(turns: list[DemoTurn], events: list[Event]) -> None:
    messages = Counter(event["data"]["fusion"]["phaseId"] for event in of(events, "assistant.message"))
    calls = {
        leg["data"]["phaseId"]: leg["data"]["usage"]["requestCount"]
        for turn in turns
        for leg in turn.legs
        if leg["data"]["conversationScope"] == "root"
    }
    assert messages == calls


def test_the_answer_alone_carries_the_commit(turns: list[DemoTurn], events: list[Event]) -> None:
    committed = [event["data"] for event in of(events, "assistant.message") if "commitId" in event["data"]["fusion"]]
    assert [data["fusion"]["phaseId"] for data in committed] == [turn.answer_phase_id for turn in turns]
    assert [data["fusion"]["commitId"] for data in committed] == [turn.completed["data"]["commitId"] for turn in turns]


def test_every_requested_tool_call_starts_and_ends(events: list[Event]) -> None:
    requested = [call["toolCallId"] for event in of(events, "assistant.message") for call in event["data"]["toolRequests"]]
    assert len(requested) == len(set(requested))
    for event_type in ("tool.execution_start", "tool.execution_complete"):
        assert [event["data"]["toolCallId"] for event in of(events, event_type)] == requested


def test_rounds_open_and_close_and_count_from_zero_in_every_turn(sessions: list[list[Event]]) -> None:
    for session in sessions:
        expected = 0
        for event in session:
            if event["type"] == "user.message":
                expected = 0
            elif event["type"] == "assistant.turn_start":
                assert event["data"]["turnId"] == str(expected)
            elif event["type"] == "assistant.turn_end":
                assert event["data"]["turnId"] == str(expected)
                expected += 1


def test_a_session_starts_once_and_ends_with_a_shutdown(sessions: list[list[Event]]) -> None:
    for session in sessions:
        assert [event["type"] for event in session].count("session.start") == 1
        assert (session[0]["type"], session[-1]["type"]) == ("session.start", "session.shutdown")
        assert [event["type"] for event in session].count("system.message") == 1
        start = session[0]["data"]
        assert start["selectedModel"] == "hydrafusion"
        assert {name: start["context"][name] for name in ("cwd", "repository", "branch")} == {
            "cwd": "/home/dev/ratelimit",
            "repository": "acme/ratelimit",
            "branch": "main",
        }


def test_one_session_is_left_and_resumed(root: Path, sessions: list[list[Event]]) -> None:
    ((session, resume),) = [(s, event) for s in sessions for event in of(s, "session.resume")]
    place = session.index(resume)
    assert session[place - 1]["type"] == "session.shutdown"
    assert resume["data"]["eventCount"] == place
    log = root / session[0]["data"]["sessionId"] / "events.jsonl"
    before = log.read_bytes().splitlines(keepends=True)[:place]
    assert resume["data"]["eventsFileSizeBytes"] == len(b"".join(before))


def test_a_shutdown_gives_the_totals_since_the_session_began(sessions: list[list[Event]]) -> None:
    for session in sessions:
        for shutdown in of(session, "session.shutdown"):
            before = session[: session.index(shutdown)]
            totals: Counter[tuple[str, str]] = Counter()
            for leg in of(before, "assistant.fusion_phase_completed"):
                for name, value in leg["data"]["usage"].items():
                    totals[leg["data"]["model"], name] += value
            metrics = shutdown["data"]["modelMetrics"]
            for model, metric in metrics.items():
                assert metric["requests"]["count"] == totals[model, "requestCount"]
                assert metric["usage"]["inputTokens"] == totals[model, "inputTokens"]
                assert metric["usage"]["outputTokens"] == totals[model, "outputTokens"]
                assert metric["usage"]["cacheReadTokens"] == totals[model, "cachedTokens"]
                assert metric["usage"]["cacheWriteTokens"] == totals[model, "cacheWriteTokens"]
                assert metric["totalNanoAiu"] == totals[model, "totalNanoAiu"]
            assert set(metrics) == {model for model, _ in totals}
            assert shutdown["data"]["totalNanoAiu"] == sum(
                value for (_, name), value in totals.items() if name == "totalNanoAiu"
            )


def test_the_directory_of_a_session_has_its_id_and_a_workspace_file(root: Path) -> None:
    homes = sorted(root.iterdir())
    assert len(homes) == 6
    for home in homes:
        start, *_, last = map(json.loads, (home / "events.jsonl").read_bytes().splitlines())
        assert sorted(path.name for path in home.iterdir()) == ["events.jsonl", "workspace.yaml"]
        assert start["data"]["sessionId"] == home.name
        assert (home / "workspace.yaml").read_text() == (
            f"id: {home.name}\ncwd: /home/dev/ratelimit\nclient_name: github/cli\n"
            f"created_at: {start['timestamp']}\nupdated_at: {last['timestamp']}\n"
        )
