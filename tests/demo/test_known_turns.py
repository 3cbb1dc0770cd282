"""The turns that the field report describes one by one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.demo.reading import DemoTurn, Event, at, printed

PUBLIC = "fusion-fa51fa07-905f-4e5a-8567-79bfa8c0da00"


def only(turns: list[DemoTurn], pattern: str, amount: str) -> DemoTurn:
    (turn,) = [turn for turn in turns if turn.pattern == pattern and printed(turn.nano_aiu) == amount]
    return turn


def amounts(turn: DemoTurn) -> list[tuple[str, str, str]]:
    """Kind, model and printed credits of every leg."""
    legs = [leg["data"] for leg in turn.legs]
    return [(leg["phaseKind"], leg["model"], printed(leg["usage"]["totalNanoAiu"])) for leg in legs]


def tool_calls(sessions: list[list[Event]], turn: DemoTurn) -> int:
    """Tool calls that are tied to a turn."""
    fusion_id = turn.resolved["data"]["fusionId"]
    starts = [event for events in sessions for event in events if event["type"] == "tool.execution_start"]
    return sum(event["data"]["fusion"]["fusionId"] == fusion_id for event in starts)


#: type, event id, time, parent, and some fields of the lines that are public
PUBLIC_LINES: list[tuple[str, str, str, str, dict[str, Any]]] = [
    (
        "session.fusion_resolved",
        "9112c10c-b78a-45a1-9cbf-691c6667924c",
        "2026-09-09T02:42:54.976Z",
        "89c787dc-adac-46ff-8f41-ffa6df44b893",
        {
            "fusionId": PUBLIC,
            "turnId": f"{PUBLIC}:turn",
            "pattern": "cascade",
            "primaryModel": "mai-code-1.1-flash",
            "secondaryModel": "gpt-5.6-sol",
            "fallbackModel": "gpt-5.6-sol",
            "followUpModel": "mai-code-1.1-flash",
            "phasePlan": [
                {"kind": "primary", "role": "solver", "scope": "root", "conditional": False},
                {"kind": "judge", "role": "judge", "scope": "review", "conditional": False},
                {"kind": "repair", "role": "solver", "scope": "root", "conditional": True},
            ],
            "routingLatencyMs": 246.49609999999998,
        },
    ),
    (
        "assistant.fusion_phase_completed",
        "f22b54ae-eeb7-4f56-93bd-d175f38cdaee",
        "2026-09-09T02:43:17.139Z",
        "e634cf74-d38d-4666-8875-5b16d4ae3e4c",
        {
            "phaseId": f"{PUBLIC}:phase:0",
            "phaseKind": "primary",
            "role": "solver",
            "conversationScope": "root",
            "model": "mai-code-1.1-flash",
            "status": "succeeded",
            "verdict": None,
            "durationMs": 22160,
            "usage": {
                "requestCount": 1,
                "inputTokens": 15819,
                "outputTokens": 2754,
                "cachedTokens": 3968,
                "cacheWriteTokens": 0,
                "totalNanoAiu": 575436000,
            },
            "projectionMode": "staged",
        },
    ),
    (
        "assistant.fusion_phase_completed",
        "2137756c-bf73-4af7-940c-db39f98bc549",
        "2026-09-09T02:43:27.960Z",
        "f22b54ae-eeb7-4f56-93bd-d175f38cdaee",
        {
            "phaseId": f"{PUBLIC}:judge",
            "phaseKind": "judge",
            "role": "judge",
            "conversationScope": "review",
            "model": "gpt-5.6-sol",
            "verdict": "reject",
            "durationMs": 10727,
            "usage": {
                "requestCount": 1,
                "inputTokens": 2339,
                "outputTokens": 644,
                "cachedTokens": 0,
                "cacheWriteTokens": 2336,
                "totalNanoAiu": 2457200000,
            },
            "projectionMode": "none",
        },
    ),
    (
        "session.fusion_handoff",
        "655e0e3c-e7d9-4fa0-b592-1db2bbe7fdfc",
        "2026-09-09T02:43:27.962Z",
        "2137756c-bf73-4af7-940c-db39f98bc549",
        {"sourcePhaseId": f"{PUBLIC}:judge", "targetPhaseId": f"{PUBLIC}:repair", "targetModel": "gpt-5.6-sol"},
    ),
    (
        "assistant.fusion_phase_completed",
        "ceeaf09a-be6b-46e9-93c7-67d1f567aebd",
        "2026-09-09T02:44:10.256Z",
        "10ac1f6f-7934-4650-ae7c-2a179067c660",
        {
            "phaseId": f"{PUBLIC}:repair",
            "phaseKind": "repair",
            "model": "gpt-5.6-sol",
            "durationMs": 42293,
            "usage": {
                "requestCount": 3,
                "inputTokens": 39702,
                "outputTokens": 1866,
                "cachedTokens": 25859,
                "cacheWriteTokens": 13834,
                "totalNanoAiu": 11686960000,
            },
            "projectionMode": "staged",
        },
    ),
    (
        "session.fusion_commit_started",
        "43bae7ca-b472-4b7e-89e8-951ca041b84a",
        "2026-09-09T02:44:10.258Z",
        "ceeaf09a-be6b-46e9-93c7-67d1f567aebd",
        {"commitId": f"{PUBLIC}:commit", "sourcePhaseId": f"{PUBLIC}:repair", "kind": "text", "toolCallId": None},
    ),
    (
        "session.fusion_completed",
        "db127b26-f139-4b3f-bdf6-8b8a1d6f157c",
        "2026-09-09T02:44:10.342Z",
        "03cd9651-bc84-489e-b9a8-7db49cf56c44",
        {
            "outcome": "completed",
            "finalSourcePhaseId": f"{PUBLIC}:repair",
            "finalSourceModel": "gpt-5.6-sol",
            "followUpModel": "mai-code-1.1-flash",
            "degradedReason": None,
            "phaseCount": 3,
            "requestCount": 5,
            "inputTokens": 57860,
            "outputTokens": 5264,
            "cachedTokens": 29827,
            "cacheWriteTokens": 16170,
            "totalNanoAiu": 14719596000,
            "durationMs": 75613,
        },
    ),
]


def test_the_public_cascade_is_exact(sessions: list[list[Event]]) -> None:
    lines = [event for events in sessions for event in events if event["data"].get("fusionId") == PUBLIC]
    assert len(lines) == len(PUBLIC_LINES)
    for event, (event_type, event_id, timestamp, parent_id, fields) in zip(lines, PUBLIC_LINES, strict=True):
        assert (event["type"], event["id"], event["timestamp"], event["parentId"]) == (
            event_type,
            event_id,
            timestamp,
            parent_id,
        )
        assert {name: event["data"][name] for name in fields} == fields


def test_the_public_cascade_is_the_newest_turn(turns: list[DemoTurn]) -> None:
    newest = max(turns, key=lambda turn: at(turn.completed))
    assert newest is turns[-1]
    assert newest.resolved["data"]["fusionId"] == PUBLIC


def test_the_accepted_cascade_pays_six_times_the_answer_for_the_check(turns: list[DemoTurn]) -> None:
    turn = only(turns, "cascade", "2.39")
    assert amounts(turn) == [("primary", "mai-code-1.1-flash", "0.34"), ("judge", "gpt-5.6-sol", "2.05")]
    assert turn.legs[1]["data"]["verdict"] == "accept"
    assert turn.answer_phase_id == turn.legs[0]["data"]["phaseId"]
    answer, check = (leg["data"]["usage"]["totalNanoAiu"] for leg in turn.legs)
    assert round(check / answer) == 6


def test_the_rejected_cascade_is_repaired_by_its_judge_and_takes_79_seconds(turns: list[DemoTurn]) -> None:
    turn = only(turns, "cascade", "13.11")
    legs = [(leg["data"]["phaseKind"], leg["data"]["model"], leg["data"]["verdict"]) for leg in turn.legs]
    assert legs == [
        ("primary", "gpt-5.6-luna", None),
        ("judge", "gpt-5.6-sol", "reject"),
        ("repair", "gpt-5.6-sol", None),
    ]
    assert turn.answer_phase_id == turn.legs[2]["data"]["phaseId"]
    assert round(turn.seconds) == 79


def test_the_dearest_critique_is_a_long_draft_and_a_short_critic(turns: list[DemoTurn]) -> None:
    turn = only(turns, "critique", "51.79")
    assert amounts(turn) == [("draft", "claude-opus-5", "51.11"), ("critic", "gpt-5.6-sol", "0.69")]
    draft, critic = (leg["data"]["durationMs"] / 1000 for leg in turn.legs)
    assert (round(draft), f"{critic:.1f}") == (106, "5.7")


def test_the_smallest_critique_has_two_small_models(turns: list[DemoTurn]) -> None:
    assert only(turns, "critique", "0.51").models == {"gpt-5.6-luna", "gpt-5.6-terra"}


def test_a_critique_answers_with_its_draft_and_never_runs_the_planned_revision(turns: list[DemoTurn]) -> None:
    critiques = [turn for turn in turns if turn.pattern == "critique"]
    for turn in critiques:
        assert [leg["data"]["phaseKind"] for leg in turn.legs] == ["draft", "critic"]
        assert turn.answer_phase_id == turn.legs[0]["data"]["phaseId"]
        plan = turn.resolved["data"]["phasePlan"]
        assert [(leg["kind"], leg["conditional"]) for leg in plan] == [
            ("draft", False),
            ("critic", False),
            ("revision", True),
        ]


@pytest.mark.parametrize(("amount", "seconds", "requests", "tools"), [("2.25", "4.8", 1, 0), ("13.66", "101.0", 7, 10)])
def test_the_two_described_single_turns(
    turns: list[DemoTurn], sessions: list[list[Event]], amount: str, seconds: str, requests: int, tools: int
) -> None:
    turn = only(turns, "single", amount)
    assert f"{turn.seconds:.1f}" == seconds
    assert turn.completed["data"]["requestCount"] == requests
    assert tool_calls(sessions, turn) == tools
