"""The verdicts: each part is in order, worth a look, or broken, and says what to do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fusionscope.report.doctor import as_json, broken, diagnose, result
from fusionscope.report.doctor_findings import Check, EndpointFound, Findings, Verdict
from fusionscope.report.empty import LookedIn
from fusionscope.report.terminal_doctor import print_doctor
from fusionscope.store.drift import Drift
from fusionscope.store.examine import Condition, Examined
from fusionscope.store.outbox import Delivery
from fusionscope.store.seen import Asked
from tests.report.screen import printed, widest
from tests.report.test_empty import ROOT, seen
from tests.turns import TEN

if TYPE_CHECKING:
    from rich.console import Console

SOUND = Examined(Path("/s/f.db"), Condition.SOUND, 315_400, 1)
FUSED = seen(
    logs=6, sessions=6, fused=6, turns=24, cli_versions={"1.0.84-2": 6}, clients={"github/cli": 6},
    fusion_events={"fusion_resolved": 24, "fusion_handoff": 0, "fusion_completed": 23}, contract=1,
)  # fmt: skip
ESCAPE = re.compile("\x1b\\[[0-9;]*m")


def findings(**fields: Any) -> Findings:
    """A machine on which everything is in order, but for ``fields``."""
    root = LookedIn("/home/me/.copilot/session-state", "the CLI's default; COPILOT_HOME is not set", "there")
    well: dict[str, Any] = {
        "program": "Fusionscope 1, Python 3, SQLite 3", "cli_root": root, "roots": [root], "named": False,
        "copilot_home": None, "ignored_variables": [], "other_roots": [], "old_sessions": [], "unnoticed_roots": [],
        "seen": FUSED, "unreadable_logs": [], "database": SOUND, "database_named": False, "database_trouble": None,
        "database_file_system": "ext4", "database_on_network": False, "process": None, "directories": 7,
        "watch_limit": 8_192, "deliveries": [], "endpoint": None,
    }  # fmt: skip
    return Findings(**{**well, **fields})


def verdict(name: str, **fields: Any) -> tuple[str, str]:
    """The verdict on one part, and its sentence."""
    (check,) = [check for check in diagnose(findings(**fields)) if check.name == name]
    return check.verdict.value, check.sentence


def delivery(**fields: Any) -> Delivery:
    """A signal of which everything was sent, but for ``fields``."""
    fine: dict[str, Any] = dict.fromkeys(Delivery._fields, None)
    fine.update(signal="traces", configured=True, waiting=0, sent=24, parked=0, parked_why=(), dropped=0, lost=0, failures=0)
    return Delivery(**{**fine, **fields})


def test_where_all_is_in_order_every_line_says_so() -> None:
    checks = diagnose(findings())
    assert {check.verdict for check in checks} == {Verdict.OK}
    assert (result(checks), broken(checks)) == ("Nothing to look at.", None)
    assert [check.name for check in checks] == [
        "program", "CLI root", "other roots", "logs", "database", "follower", "watches", "turns", "CLI versions", "clients",
        "Fusion events", "event types", "words", "contract", "skipped", "endpoint",
    ]  # fmt: skip
    assert verdict("turns") == ("ok", "24 turns in 6 of 6 sessions")
    assert verdict("CLI versions") == ("ok", "1.0.84-2 (6 sessions)")
    assert verdict("Fusion events") == ("ok", "24 fusion_resolved, 23 fusion_completed")
    assert verdict("database") == ("ok", "/s/f.db: 315.4 kB, schema 1, sound")


def test_a_root_that_is_missing_is_worth_a_look_and_one_that_was_named_is_broken() -> None:
    missing = LookedIn("/r/session-state", "given with --root", "missing")
    assert verdict("CLI root", cli_root=missing)[0] == "look"
    assert verdict("root", named=True, roots=[missing])[0] == "broken"
    locked = missing._replace(condition="unreadable")
    assert verdict("CLI root", cli_root=locked)[0] == "broken"
    assert verdict("CLI root", cli_root=locked)[1].endswith("give this user leave to read it")


def test_what_the_cli_would_use_is_said_also_where_another_root_is_read() -> None:
    assert verdict("CLI root", named=True, roots=[ROOT]) == (
        "ok",
        "/home/me/.copilot/session-state (the CLI's default; COPILOT_HOME is not set); not read: --root names another",
    )
    assert verdict("root", named=True, roots=[ROOT]) == ("ok", "/r/session-state (given with --root)")


@pytest.mark.parametrize(
    ("value", "words"), [("./rel", "is relative"), ("~/x", "has a ~ that no shell expanded"), ("~", "has a ~")]
)
def test_a_copilot_home_that_depends_on_where_the_cli_is_started_is_warned_of(value: str, words: str) -> None:
    said = verdict("COPILOT_HOME", copilot_home=value)
    assert said[0] == "look"
    assert said[1].startswith(f"{value} {words}")
    assert "the directory it is started in" in said[1]


def test_an_absolute_copilot_home_needs_no_word() -> None:
    assert "COPILOT_HOME" not in [check.name for check in diagnose(findings(copilot_home="/c"))]


def test_variables_that_the_cli_ignores_are_named_only_where_they_are_set() -> None:
    assert "variables" not in [check.name for check in diagnose(findings())]
    assert verdict("variables", ignored_variables=["XDG_CONFIG_HOME", "XDG_STATE_HOME"]) == (
        "ok", "XDG_CONFIG_HOME and XDG_STATE_HOME are set, and ignored by CLIs since about 1.0.4",
    )  # fmt: skip


def test_other_roots_are_worth_a_look_and_config_dir_is_named() -> None:
    assert verdict("other roots")[1].startswith("none seen; that of a CLI run with --config-dir")
    said = verdict("other roots", other_roots=["/mnt/c/Users/Ann/.copilot/session-state"])
    assert (said[0], "/mnt/c/Users/Ann/.copilot/session-state" in said[1], "--root" in said[1]) == ("look", True, True)
    assert verdict("other roots", named=True) == ("ok", "none seen")


def test_logs_that_cannot_be_read_are_broken_and_named() -> None:
    logs = [(f"/r/s{n}/events.jsonl", "permission denied") for n in range(5)]
    said = verdict("logs", unreadable_logs=logs)
    assert said[0] == "broken"
    assert said[1].startswith("5 of 6 cannot be read: /r/s0/events.jsonl (permission denied), ")
    assert said[1].endswith(" and 2 more")


@pytest.mark.parametrize(
    ("condition", "named", "expected", "words"),
    [
        (Condition.MISSING, False, "ok", "not there yet"),
        (Condition.MISSING, True, "look", "is the name right?"),
        (Condition.DAMAGED, False, "broken", "sets it aside"),
        (Condition.FOREIGN, False, "broken", "name another file with --db"),
        (Condition.NEWER, False, "broken", "written by a newer Fusionscope (schema 3, this one knows 2)"),
        (Condition.UNUSABLE, False, "broken", "cannot be used: disk I/O error"),
    ],
)
def test_a_database_that_is_not_sound_says_what_to_do(condition: Condition, named: bool, expected: str, words: str) -> None:
    database = SOUND._replace(condition=condition, schema=3, why="disk I/O error")
    said = verdict("database", database=database, database_named=named)
    assert said[0] == expected
    assert words in said[1]


def test_a_database_on_a_network_file_system_is_worth_a_look_for_its_locks() -> None:
    said = verdict("database", database_file_system="nfs4", database_on_network=True)
    assert said[0] == "look"
    assert "network file system (nfs4), whose locks" in said[1]


def test_directories_near_the_limit_of_watches_are_worth_a_look() -> None:
    assert verdict("watches", directories=6_553) == ("ok", "6,553 directories to watch, 8,192 allowed")
    assert verdict("watches", directories=6_554)[0] == "look"
    assert "fs.inotify.max_user_watches" in verdict("watches", directories=9_000)[1]
    assert "watches" not in [check.name for check in diagnose(findings(watch_limit=None))]
    assert "(9p)" in verdict("watches", unnoticed_roots=[("/mnt/c/x", "9p")])[1]


def test_an_empty_store_is_worth_a_look_and_has_a_cause() -> None:
    asked = Asked("hydrafusion", 1, 1, False)
    said = verdict("turns", seen=seen(sessions=1, logs=1, asked=[asked]))
    assert said[0] == "look"
    assert "1 session log, none with a Fusion event; 1 session asked for hydrafusion" in said[1]


def test_a_request_for_fusion_that_came_to_nothing_is_worth_a_look_and_a_router_of_another_kind_is_not() -> None:
    def verdicts(*asked: Asked) -> list[str]:
        checks = diagnose(findings(seen=FUSED._replace(asked=list(asked))))
        return [check.verdict.value for check in checks if check.name == "asked"]

    assert verdicts(Asked("hydrafusion", 2, 0, True), Asked("x", 1, 1, False), Asked("auto", 9, 0, False)) == [
        "look", "look", "ok",
    ]  # fmt: skip


def test_unknown_event_types_are_worth_a_look_where_they_are_of_fusion() -> None:
    assert verdict("event types", seen=FUSED._replace(unknown_types={"tool.renamed": 5})) == (
        "ok", "not known, and none of Fusion: tool.renamed (5)",
    )  # fmt: skip
    types = {"tool.renamed": 5, "session.fusion_debated": 3}
    said = verdict("event types", seen=FUSED._replace(unknown_types=types, drift=Drift({}, types, None)))
    assert said[0] == "look"
    assert said[1].startswith("not known: session.fusion_debated (3) and tool.renamed (5);")


def test_unknown_words_and_a_newer_contract_are_worth_a_look_each_on_its_line() -> None:
    drifted = FUSED._replace(drift=Drift({"contract 2": 1, "pattern debate": 2}, {}, 2), contract=2)
    assert verdict("words", seen=drifted)[0] == verdict("contract", seen=drifted)[0] == "look"
    assert verdict("words", seen=drifted)[1].startswith("not known: pattern debate (2 turns); ")
    assert verdict("contract", seen=drifted)[1].startswith("newer contract: version 2, this release knows 1")


def test_skipped_records_are_counted_by_reason_and_can_be_looked_up() -> None:
    assert verdict("skipped", seen=FUSED._replace(skipped={"not JSON": 2, "NUL bytes": 1})) == (
        "look", "3 records could not be used, or not wholly: not JSON (2) and NUL bytes (1); `fusionscope skipped` lists them",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "ok"),
        ({"waiting": 24, "configured": False}, "ok"),
        ({"parked": 2, "parked_why": (("too old", 2),)}, "look"),
        ({"dropped": 1}, "look"),
        ({"lost": 3}, "look"),
        ({"failures": 4, "next_try_at": TEN, "last_trouble": "nothing listens there"}, "look"),
        ({"stopped": "wants to know who asks"}, "broken"),
    ],
)
def test_an_outbox_is_as_well_as_its_sending(fields: dict[str, Any], expected: str) -> None:
    assert verdict("outbox traces", deliveries=[delivery(**fields)])[0] == expected


def test_an_endpoint_is_there_or_broken() -> None:
    assert verdict("endpoint", endpoint=EndpointFound("http://h", None)) == ("ok", "http://h takes OTLP")
    assert verdict("endpoint", endpoint=EndpointFound("http://h", "it cannot be reached")) == (
        "broken", "it cannot be reached",
    )  # fmt: skip


def test_what_is_broken_is_named_once() -> None:
    checks = [Check("root", Verdict.BROKEN, "a"), Check("root", Verdict.BROKEN, "b"), Check("logs", Verdict.BROKEN, "c")]
    assert broken([*checks, Check("words", Verdict.LOOK, "d")]) == "Broken: root, logs."
    assert result([*checks, Check("words", Verdict.LOOK, "d")]) == "1 to look at, 3 broken."


TROUBLED = findings(
    copilot_home="~/x",
    unreadable_logs=[("/r/" + "d" * 90 + "\x1b]0;x\x07/events.jsonl", "permission denied")],
    seen=FUSED._replace(drift=Drift({"pattern \x1b[2Jd\u00e9bat": 2}, {}, None), unknown_types={"x.y": 1}),
)


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "ascii"])
def test_the_verdicts_fit_the_terminal_and_command_nothing(width: int, encoding: str) -> None:
    def view(console: Console, found: Findings, zone: object) -> None:
        print_doctor(console, diagnose(found))

    text = printed(view, TROUBLED, width=width, encoding=encoding)
    assert widest(text) <= width
    assert not [sign for sign in text if sign != "\n" and not sign.isprintable()]
    verdicts = [line.split()[0] for line in text.split("\n") if line[:1].strip() and not line[0].isdigit()]
    assert verdicts == [check.verdict.value for check in diagnose(TROUBLED)]


def test_colours_are_readable_on_light_and_on_dark_and_never_the_only_sign() -> None:
    def view(console: Console, found: Findings, zone: object) -> None:
        print_doctor(console, diagnose(found))

    text = printed(view, TROUBLED, force_terminal=True, color_system="standard", no_color=False)
    assert {part for code in ESCAPE.findall(text) for part in code[2:-1].split(";")} == {"0", "1", "31", "32", "35"}
    assert ESCAPE.sub("", text) == printed(view, TROUBLED)


def test_json_has_the_verdicts_and_what_they_rest_on() -> None:
    written = json.loads(as_json(TROUBLED, diagnose(TROUBLED)))
    assert written["verdict"] == "broken"
    assert written["checks"][0] == {"name": "program", "verdict": "ok", "sentence": "Fusionscope 1, Python 3, SQLite 3"}
    assert list(written) == [
        "verdict", "checks", "cli_root", "roots", "other_roots", "unreadable_logs", "logs", "gone", "sessions", "forgotten",
        "fused", "turns", "cli_versions", "clients", "fusion_events", "unknown_types", "contract", "skipped",
        "asked_without_fusion", "unknown_words", "database", "followed_by", "watches", "outbox", "endpoint",
    ]  # fmt: skip
    assert written["contract"] == {"newest": 1, "known": 1}
    assert written["database"] == {
        "path": "/s/f.db", "condition": "sound", "size": 315_400, "schema": 1, "why": "", "file_system": "ext4",
        "on_a_network": False,
    }  # fmt: skip
    assert as_json(TROUBLED, diagnose(TROUBLED)).isascii()


def test_a_resume_that_names_no_version_is_no_version_of_its_own() -> None:
    seen = FUSED._replace(cli_versions={"1.0.84-2": 6, "unknown": 1})
    assert verdict("CLI versions", seen=seen) == (
        "ok", "1.0.84-2 (6 sessions); not said of a part of 1 session: a resume does not name it",
    )  # fmt: skip
