from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import unicodedata
from typing import Any

import pytest
from hypothesis import given

from fusionscope.model import Turn
from fusionscope.report.files import (
    CSV_COLUMNS,
    summary_json,
    summary_object,
    turn_details,
    turn_object,
    turns_csv,
    turns_json,
)
from fusionscope.report.summary import of_turns
from tests.report.strategies import many_turns, some
from tests.turns import CASCADE, CASCADE_ID, TEN, call, leg, turn

# As design.md prints them under "Stable interfaces"; drift came later.
TURN_KEYS = (
    "fusion_id, session_id, pattern, state, outcome, started_at, ended_at, duration_ms, routing_latency_ms, route_source, "
    "policy, degraded_reason, models, compound, nano_aiu, credits, usd, review_nano_aiu, rewound, answer_phase_id, legs"
).split(", ")
LEG_KEYS = (
    "phase_id, index, kind, role, scope, model, reasoning_effort, status, verdict, reason, started_at, ended_at, "
    "duration_ms, requests, input_tokens, output_tokens, cached_tokens, cache_write_tokens, nano_aiu, is_answer"
).split(", ")
SUMMARY_KEYS = (
    "turns, sessions, compound_turns, compound_rate, judged, judge_rejections, judge_rejection_rate, nano_aiu, credits, "
    "usd, review_nano_aiu, review_share, requests, tokens, by_pattern, by_model, by_kind, routing_latency_ms, "
    "skipped_records, open_turns, drift"
).split(", ")

OPEN = turn(
    "f1",
    state="open",
    outcome=None,
    ended_at=None,
    duration_ms=None,
    routing_latency_ms=None,
    reported_nano_aiu=None,
    reported_requests=None,
)


def test_a_turn_has_the_keys_of_the_design_in_their_order() -> None:
    written = turn_object(CASCADE)
    assert list(written) == TURN_KEYS
    assert all(list(each) == LEG_KEYS for each in written["legs"])


def test_the_details_of_a_turn_are_those_keys_and_after_them_its_tool_calls_and_text_of_the_service() -> None:
    calls = call("a", exit_code=1, success=False, error="boom"), call("b", None, started_at=TEN + 3_000, ended_at=None)
    made = turn("f1", leg(), leg("f1:p1", index=1), tool_calls=calls, rule_name="r", hint="h")
    written = turn_details(made)
    assert list(written) == [*TURN_KEYS, "tool_calls", "rule_name", "hint"]
    assert all(list(each) == [*LEG_KEYS, "tool_calls"] for each in written["legs"])
    assert [[each["tool_call_id"] for each in part["tool_calls"]] for part in written["legs"]] == [["a"], []]
    assert written["legs"][0]["tool_calls"][0] == {
        "tool_call_id": "a",
        "parent_tool_call_id": None,
        "phase_id": "f1:p0",
        "turn_id": "3",
        "interaction_id": "i1",
        "name": "bash",
        "started_at": "2026-11-30T10:00:01.000Z",
        "ended_at": "2026-11-30T10:00:01.500Z",
        "duration_ms": 500,
        "success": False,
        "exit_code": 1,
        "error": "boom",
    }
    (loose,) = written["tool_calls"]
    assert (loose["tool_call_id"], loose["ended_at"], loose["duration_ms"]) == ("b", None, None)
    assert (written["rule_name"], written["hint"]) == ("r", "h")


def test_the_list_of_turns_has_no_tool_calls() -> None:
    (written,) = json.loads(turns_json([turn("f1", leg(), tool_calls=(call(),), hint="h")]))
    assert list(written) == TURN_KEYS
    assert list(written["legs"][0]) == LEG_KEYS


def test_the_cascade_turn_is_exact() -> None:
    written = turn_object(CASCADE)
    legs = written.pop("legs")
    assert written == {
        "fusion_id": CASCADE_ID,
        "session_id": "s1",
        "pattern": "cascade",
        "state": "completed",
        "outcome": "completed",
        "started_at": "2026-09-09T02:42:54.729Z",
        "ended_at": "2026-09-09T02:44:10.342Z",
        "duration_ms": 75_613,
        "routing_latency_ms": 246.49609999999998,
        "route_source": "capi_plan",
        "policy": "max",
        "degraded_reason": None,
        "models": ["mai-code-1.1-flash", "gpt-5.6-sol"],
        "compound": True,
        "nano_aiu": 14_719_596_000,
        "credits": 14.719596,
        "usd": 0.14719596,
        "review_nano_aiu": 3_032_636_000,
        "rewound": False,
        "answer_phase_id": CASCADE_ID + ":repair",
    }
    assert legs[1] == {
        "phase_id": CASCADE_ID + ":judge",
        "index": 1,
        "kind": "judge",
        "role": "judge",
        "scope": "review",
        "model": "gpt-5.6-sol",
        "reasoning_effort": None,
        "status": "succeeded",
        "verdict": "reject",
        "reason": None,
        "started_at": "2026-09-09T02:43:17.233Z",
        "ended_at": "2026-09-09T02:43:27.960Z",
        "duration_ms": 10_727,
        "requests": 1,
        "input_tokens": 2_339,
        "output_tokens": 644,
        "cached_tokens": 0,
        "cache_write_tokens": 2_336,
        "nano_aiu": 2_457_200_000,
        "is_answer": False,
    }


def test_a_whole_duration_is_written_as_an_integer() -> None:
    assert '"duration_ms": 9000,' in turns_json([turn("f1", duration_ms=9_000.0)])
    assert '"duration_ms": 0.5,' in turns_json([turn("f1", duration_ms=0.5)])


def test_what_the_log_does_not_say_is_null() -> None:
    written = turn_object(OPEN)
    unknown = ("outcome", "ended_at", "duration_ms", "routing_latency_ms", "nano_aiu", "credits", "usd")
    assert {key: written[key] for key in unknown} == dict.fromkeys(unknown)


def test_turns_are_an_array_oldest_first() -> None:
    late, early = turn("f1", started_at=TEN + 1), turn("f2")
    assert [each["fusion_id"] for each in json.loads(turns_json([late, early]))] == ["f2", "f1"]
    assert json.loads(turns_json([])) == []


def test_a_summary_has_the_keys_of_the_design_in_their_order() -> None:
    written = summary_object(of_turns([CASCADE]), 3)
    assert list(written) == SUMMARY_KEYS
    assert list(written["tokens"]) == ["input", "output", "cached", "cache_write"]
    assert list(written["by_pattern"]["cascade"]) == ["turns", "nano_aiu", "median_credits", "mean_seconds"]
    assert list(written["by_model"]["gpt-5.6-sol"]) == ["legs", "nano_aiu", "share"]
    assert list(written["by_kind"]["judge"]) == ["legs", "nano_aiu"]
    assert list(written["routing_latency_ms"]) == ["min", "mean", "max"]


def test_the_summary_of_the_cascade_turn_is_exact() -> None:
    written = json.loads(summary_json(of_turns([CASCADE]), 3))
    assert written["turns"] == written["sessions"] == written["compound_turns"] == written["compound_rate"] == 1
    assert (written["judged"], written["judge_rejections"], written["judge_rejection_rate"]) == (1, 1, 1)
    assert (written["nano_aiu"], written["credits"], written["usd"]) == (14_719_596_000, 14.719596, 0.14719596)
    assert written["review_share"] == 3_032_636_000 / 14_719_596_000
    assert written["tokens"] == {"input": 57_860, "output": 5_264, "cached": 29_827, "cache_write": 16_170}
    assert written["by_pattern"] == {
        "cascade": {"turns": 1, "nano_aiu": 14_719_596_000, "median_credits": 14.719596, "mean_seconds": 75.613}
    }
    assert list(written["by_model"]) == ["gpt-5.6-sol", "mai-code-1.1-flash"]
    assert written["by_kind"]["repair"] == {"legs": 1, "nano_aiu": 11_686_960_000}
    assert (written["skipped_records"], written["open_turns"], written["requests"]) == (3, 0, 5)


def test_a_summary_of_nothing_has_null_rates_and_zero_sums() -> None:
    written = json.loads(summary_json(of_turns([]), 0))
    rates = ("compound_rate", "judge_rejection_rate", "review_share")
    assert [written[key] for key in rates] == [None, None, None]
    assert (written["turns"], written["nano_aiu"], written["by_model"]) == (0, 0, {})
    assert written["routing_latency_ms"] == {"min": None, "mean": None, "max": None}


def test_json_is_ascii_so_that_no_escape_reaches_a_terminal() -> None:
    hostile = turn("f1", leg(model="\x1b]0;x\x07é\u202e\x7f"))
    written = turns_json([hostile]) + summary_json(of_turns([hostile]), 0)
    assert written.isascii()
    assert not [sign for sign in written if sign != "\n" and not sign.isprintable()]
    assert json.loads(turns_json([hostile]))[0]["models"] == ["\x1b]0;x\x07é\u202e\x7f"]


def _rows(turned: list[Turn]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(turns_csv(turned), newline="")))


def test_csv_has_one_row_a_turn_in_rfc_4180() -> None:
    written = turns_csv([CASCADE])
    assert written.count("\r\n") == written.count("\n") == 2
    assert tuple(written.split("\r\n")[0].split(",")) == CSV_COLUMNS
    row = _rows([CASCADE])[0]
    assert row["models"] == "mai-code-1.1-flash, gpt-5.6-sol"
    assert row["credits"] == "14.719596"
    assert (row["compound"], row["rewound"], row["legs"], row["requests"]) == ("true", "false", "3", "5")
    assert (row["input_tokens"], row["verdict"], row["degraded_reason"]) == ("57860", "reject", "")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_csv_text_that_a_spreadsheet_would_run_is_quoted(start: str) -> None:
    assert _rows([turn("f1", policy=f"{start}cmd()")])[0]["policy"].startswith("'")


def test_csv_numbers_are_not_quoted() -> None:
    assert _rows([CASCADE])[0]["nano_aiu"] == "14719596000"


def test_csv_shows_markup_literally_and_no_control_character() -> None:
    row = _rows([turn("f1", leg(model='<img src=x onerror=a>"\x1b[31m\n'))])[0]
    assert row["models"] == '<img src=x onerror=a>"\ufffd[31m\ufffd'


@some
@given(many_turns)
def test_every_turn_can_be_written_and_read_back(turned: list[Turn]) -> None:
    back: list[dict[str, Any]] = json.loads(turns_json(turned))
    assert sorted(each["fusion_id"] for each in back) == sorted(each.fusion_id for each in turned)
    json.loads(summary_json(of_turns(turned), 0))
    written = turns_csv(turned)
    assert written.count("\n") == len(turned) + 1
    assert not [sign for sign in written if unicodedata.category(sign) == "Cc" and sign not in "\r\n"]


def test_files_need_no_rich() -> None:
    code = "import sys, fusionscope.report.files, fusionscope.report.words; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
