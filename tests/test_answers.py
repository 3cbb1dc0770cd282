"""`summary --by`, `compare`, `what-if` and `budget`, run as a person runs them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from fusionscope.demo import write_demo
from tests.logs import CREDIT, Log, place
from tests.test_cli import Program


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


@pytest.fixture
def demo(program: Program) -> Program:
    write_demo(program.root.parent)
    return program


def evening(program: Program) -> None:
    """One turn that starts at 2026-11-30T04:08Z: it ends 8 s after its log began, and took 9."""
    program.root.mkdir(parents=True)
    place(program.root, Log("evening", "2026-11-30T04:08:01").turn("f1"))


def test_days_are_those_of_the_machine_of_tz_or_of_utc(program: Program) -> None:
    evening(program)
    for words, day, zone in (
        ([], "2026-11-30", "local"),
        (["--utc"], "2026-11-30", "UTC"),
        (["--tz", "America/Los_Angeles"], "2026-11-29", "America/Los_Angeles"),
    ):
        found = program.json("summary", "--by", "day", *words)
        assert [(row["day"], row["nano_aiu"]) for row in found["rows"]] == [(day, 12_500_000_000)]
        assert found["zone"] == zone
    assert "2026-11-29" in program("summary", "--by", "day", TZ="America/Los_Angeles")
    assert "2026-11-29 " in program("turns", "--tz", "America/Los_Angeles")


def test_dates_of_a_selection_are_those_of_tz_wherever_it_stands(program: Program) -> None:
    evening(program)
    on_the_29th = ["--since", "2026-11-29", "--until", "2026-11-29"]
    los_angeles = ["--tz", "America/Los_Angeles"]
    assert len(program.json("turns", *on_the_29th)) == 0
    assert len(program.json("turns", *on_the_29th, *los_angeles)) == len(program.json("turns", *los_angeles, *on_the_29th)) == 1
    # no day, but a moment: the zone that it names counts
    assert len(program.json("turns", "--since", "2026-11-30T04:08Z", "--until", "2026-11-30T04:09Z", *los_angeles)) == 1
    assert len(program.json("turns", "--since", "2026-11-29T20:08", "--until", "2026-11-29T20:09", *los_angeles)) == 1


def test_by_kind_adds_up_to_the_summary(demo: Program) -> None:
    rows = demo.json("summary", "--by", "kind")["rows"]
    summary = demo.json("summary")
    assert {row["kind"]: row["nano_aiu"] for row in rows} == {
        kind: each["nano_aiu"] for kind, each in summary["by_kind"].items()
    }
    assert sum(row["nano_aiu"] for row in rows) == summary["nano_aiu"] == 314_600_484_000


def test_by_obeys_a_selection(demo: Program) -> None:
    (row,) = demo.json("summary", "--by", "pattern", "--pattern", "cascade")["rows"]
    assert (row["turns"], row["judged"], row["judge_rejections"], round(row["credits"], 2)) == (3, 3, 2, 30.22)


def test_by_as_csv_adds_up_and_computes_nothing(program: Program) -> None:
    program.root.mkdir(parents=True)
    log = Log()
    log.start(context={"cwd": "/w", "repository": "=cmd|' /C calc'!A0", "branch": "@main"})
    place(program.root, log.turn("f1"))
    rows = list(csv.DictReader(io.StringIO(program("summary", "--by", "repository,branch", "--csv"))))
    assert [(row["repository"], row["branch"], row["nano_aiu"]) for row in rows] == [
        ("'=cmd|' /C calc'!A0", "'@main", "12500000000")
    ]
    assert rows[0]["itemised"] == "true"
    assert list(rows[0])[:5] == ["repository", "branch", "itemised", "turns", "legs"]


@pytest.mark.parametrize(
    "words",
    [
        ["summary", "--by", "colour"],
        ["summary", "--by", "day,model,kind"],
        ["summary", "--by", "day,day"],
        ["summary", "--by", "day", "--tz", "Middle/Earth"],
        ["summary", "--by", "day", "--tz", "UTC", "--utc"],
        ["summary", "--by", "day", "--json", "--csv"],
        ["compare", "7d.."],
        ["compare", "7d..", "colour:red"],
        ["compare", "7d..14d", "7d.."],
        ["compare", "7d..,8d..", "7d.."],
        ["compare", "..", "7d.."],
        ["budget"],
        ["budget", "--monthly", "0"],
        ["budget", "--monthly", "-5"],
        ["budget", "--monthly", "much"],
    ],
)
def test_wrong_usage_exits_with_2(demo: Program, words: list[str]) -> None:
    assert demo(*words, code=2) == ""


def test_csv_without_keys_is_refused_with_a_sentence(demo: Program) -> None:
    assert demo("summary", "--csv", code=1) == ""
    assert "needs --by" in demo.errors


def test_two_ranges_are_compared_in_days_of_tz(demo: Program) -> None:
    # the demo is of 2026-09-09, 00:03 to 02:44 UTC: in New York all of it is the evening before
    found = demo.json("compare", "2026-09-08", "2026-09-09..", "--tz", "America/New_York")
    assert (found["a"]["turns"], found["b"]["turns"]) == (24, 0)
    found = demo.json("compare", "2026-09-09T00:00..2026-09-09T01:15", "2026-09-09T01:15..", "--utc")
    assert (found["a"]["turns"], found["b"]["turns"], found["shared_turns"]) == (12, 12, 0)
    credits = next(each for each in found["measures"] if each["measure"] == "credits a turn")
    assert (credits["figures"][0]["a"], credits["differ"]) == (6.94797, True)
    assert "Mann-Whitney U test" in credits["sentence"]


def test_sides_of_versions_policies_and_patterns(demo: Program) -> None:
    found = demo.json("compare", "cli:1.0.84-2,policy:max", "pattern:cascade,model:gpt-5.6-luna")
    # two turns came after a resume, which does not say its version
    assert (found["a"]["turns"], found["b"]["turns"], found["shared_turns"]) == (22, 1, 1)
    assert "1 turn on both sides" in found["caution"]
    printed = demo("compare", "pattern:cascade", "client:nobody")
    assert "Too few turns to tell: 3 and 0" in printed


def test_what_if_gives_prices_sums_and_the_worth_of_review(demo: Program) -> None:
    found = demo.json("what-if")
    (sol,) = found["models"]
    assert sol["credits_for_a_million_tokens"] == {"fresh": 400, "cached": 40, "cache_written": 500, "output": 2000}
    assert (sol["turns"], sol["nano_aiu"], found["by_turn"]) == (24, 314_600_484_000, [])
    assert [each["legs"] for each in found["not_told"]] == [3, 2, 2, 1]
    assert [(each["accepted"], each["rejected"]) for each in found["review_worth"]] == [(1, 1), (0, 1)]


def test_what_if_on_one_model_prices_every_turn_of_a_selection(demo: Program) -> None:
    found = demo.json("what-if", "--model", "gpt-5.6-sol", "--pattern", "cascade")
    newest = found["by_turn"][-1]
    assert len(found["by_turn"]) == 3
    assert (newest["nano_aiu"], newest["answer_leg_nano_aiu"]) == (14_719_596_000, 11_686_960_000)
    assert found["models"][0]["every_leg_nano_aiu"] == sum(each["every_leg_nano_aiu"] for each in found["by_turn"])


def test_what_if_says_why_a_model_has_no_prices(demo: Program) -> None:
    demo("what-if", "--model", "claude-opus-5", code=1)
    assert "3 legs with known credits" in demo.errors
    demo("what-if", "--model", "nobody", code=1)
    assert "No leg of 'nobody'" in demo.errors


def test_a_budget_is_of_the_month_of_the_zone(demo: Program) -> None:
    now = ["--now", "2026-09-10T12:00Z", "--utc"]
    found = demo.json("budget", "--monthly", "7000", *now)
    assert (found["month"], found["spent_nano_aiu"], found["over"]) == ("2026-09", 314_600_484_000, False)
    assert (found["fusion_share"], found["top_model"], found["runs_out_at"]) == (1, "gpt-5.6-sol", None)
    assert demo("budget", "--monthly", "7000", "--short", *now) == (
        "314.60 of 7,000.00 credits (4.5 %), lasts the month at this rate\n"
    )
    assert demo.json("budget", "--monthly", "7000", "--now", "2026-10-01T00:00Z", "--utc")["spent_nano_aiu"] == 0
    # two hours later in Los Angeles, September is not over
    september = demo.json("budget", "--monthly", "7000", "--now", "2026-10-01T02:00Z", "--tz", "America/Los_Angeles")
    assert (september["month"], september["spent_nano_aiu"]) == ("2026-09", 314_600_484_000)


def test_a_budget_can_be_of_one_client(program: Program) -> None:
    place(program.root, Log("s1").turn("f1")).with_name("workspace.yaml").write_text("client_name: vscode\n")
    place(program.root, Log("s2").turn("f2"))
    month = ["budget", "--monthly", "100", "--now", "2026-11-30T20:00Z", "--utc"]
    spent = {client: program.json(*month, "--client", client)["spent_nano_aiu"] for client in ("vscode", "unknown", "nobody")}
    assert spent == {"vscode": 12_500_000_000, "unknown": 12_500_000_000, "nobody": 0}
    assert program.json(*month)["spent_nano_aiu"] == 25_000_000_000


def test_a_turn_that_was_not_fused_is_called_so_everywhere_and_selected_by_that(program: Program) -> None:
    log = Log("s1").turn("f1")
    log.route_failed("a1", "router_timeout", "m-big")
    place(program.root, log)
    assert list(program.json("summary")["by_pattern"]) == ["cascade", "not fused"]
    groups = program.json("summary", "--by", "pattern")["rows"]
    assert [group["pattern"] for group in groups] == ["cascade", "not fused"]
    (turn,) = program.json("turns", "--pattern", "not fused")
    assert (turn["fusion_id"], turn["pattern"], turn["state"]) == ("a1", None, "failed")
    assert program.json("turns", "--pattern", "unknown") == []
    assert program.json("summary", "--pattern", "not fused")["turns"] == 1


def test_over_the_budget_exits_with_1_and_a_sentence(demo: Program) -> None:
    now = ["--now", "2026-09-10T12:00Z", "--utc"]
    printed = demo("budget", "--monthly", "314.6", "--short", *now, code=1)
    assert printed.endswith("over the limit\n")
    assert "Over the limit: 314.60 of 314.60 credits are spent in 2026-09, <0.01 too many." in demo.errors
    demo("budget", "--monthly", "314.600484", *now)


def test_ordinary_turns_are_in_the_budget_as_far_as_their_cost_is_known(program: Program, samples: Path) -> None:
    program.root.mkdir(parents=True)
    real = (samples / "one-prompt-1.0.102.jsonl").read_bytes()  # two calls of a model of the person's own
    path = place(program.root, real, "a946c8b7-1e94-4fab-971d-67337ce0e3c7")
    month = ["--monthly", "10", "--now", "2026-11-30T20:00Z", "--utc"]
    assert "1 other turn with calls of unknown cost" in program("budget", *month)
    paid = b'"aiCreditsStatus":"available","copilotUsage":{"totalNanoAiu":1500000000}'
    path.write_bytes(real.replace(b'"isByok":true', b'"isByok":false').replace(b'"aiCreditsStatus":"unavailable"', paid))
    program.database.unlink()
    found = program.json("budget", *month)
    assert (found["ordinary_nano_aiu"], found["fusion_nano_aiu"], found["unmetered_ordinary_turns"]) == (3_000_000_000, 0, 0)
    assert (found["top_model"], found["top_model_share"], found["fusion_share"]) == ("stub-model", 1, 0)


def test_a_named_root_that_is_missing_is_one_sentence_and_exit_code_1(program: Program) -> None:
    for words in (["summary"], ["turns"], ["last"], ["summary", "--by", "day"], ["reconcile"]):
        assert program(*words, code=1) == ""
        assert program.errors.startswith("fusionscope: Cannot read ")
        assert program.errors.endswith("(given with --root): no such file or directory.\n")
        assert program.errors.count("\n") == 1


def test_what_is_known_of_a_root_that_is_gone_is_still_told(program: Program) -> None:
    place(program.root, Log().turn("f1"))
    assert program.json("summary")["turns"] == 1
    program.root.rename(program.root.with_name("elsewhere"))
    assert program.json("summary")["turns"] == 1
    assert "no such file or directory" in program.errors


def test_an_empty_answer_has_a_named_cause(program: Program) -> None:
    program.root.mkdir(parents=True)
    for words in (["summary", "--by", "day"], ["compare", "7d..", "14d..7d"], ["what-if"]):
        assert program(*words).startswith("No session log yet. Looked in ")
    assert program.json("summary", "--by", "day")["rows"] == []
    assert program("budget", "--monthly", "7").startswith(("19", "20"))


def test_no_control_character_of_a_log_is_printed(program: Program) -> None:
    program.root.mkdir(parents=True)
    log = Log()
    log.start(context={"cwd": "/w", "repository": "a\x1b]0;x\x07", "branch": "b"})
    log.resolved("f1", pattern="\x1b[31m")
    log.leg("f1", 0, "primary", "m\x1b[2J", CREDIT)
    log.completed("f1", 0, "m\x1b[2J", "\x1b[31m")
    place(program.root, log)
    for words in (["summary", "--by", "repository,model"], ["compare", "1d..", "pattern:\x1b[31m"], ["what-if"],
                  ["budget", "--monthly", "7"], ["summary", "--by", "pattern", "--csv"]):  # fmt: skip
        assert not {"\x1b", "\x07"} & set(program(*words))
