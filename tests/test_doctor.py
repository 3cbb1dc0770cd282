"""``fusionscope doctor`` as a person runs it: the faults it is for, each in a real place. Faults of kind D, G, I, K and O."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fusionscope.cli import main
from fusionscope.follow.process import follower_process
from fusionscope.store import schema
from tests.conftest import Stage
from tests.daemon import Daemon
from tests.export.receiver import Receiver, closed_port
from tests.follow.live import until
from tests.follow.test_places import as_nobody
from tests.logs import CREDIT, Log, a_turn, place


class Doctor:
    """Runs the command in a directory with a home of its own and nothing of this machine's environment."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.home = directory / "home"
        self.home.mkdir(exist_ok=True)
        self.root = self.home / ".copilot" / "session-state"
        self.database = directory / "state" / "f.db"
        self.errors = ""

    def __call__(self, *words: str, code: int = 0, command: str = "doctor", **environment: str) -> str:
        """Run it, see that it ends with ``code`` and without a traceback, and return what it printed."""
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "VIRTUAL_ENV") if name in os.environ}
        given = {"HOME": str(self.home), "USERPROFILE": str(self.home), "FUSIONSCOPE_DB": str(self.database), "TZ": "UTC"}
        done = subprocess.run(
            [sys.executable, "-m", "fusionscope", command, *words], cwd=self.directory, capture_output=True, text=True,
            encoding="utf-8", timeout=60, check=False, env=kept | given | {"PYTHONIOENCODING": "utf-8"} | environment,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        self.errors = done.stderr
        return done.stdout

    def verdicts(self, *words: str, code: int = 0, **environment: str) -> dict[str, tuple[str, str]]:
        """Each part with its verdict and its sentence."""
        checks = self.json(*words, code=code, **environment)["checks"]
        return {check["name"]: (check["verdict"], check["sentence"]) for check in checks}

    def json(self, *words: str, code: int = 0, **environment: str) -> Any:
        """The JSON that it prints."""
        return json.loads(self("--json", *words, code=code, **environment))


@pytest.fixture
def doctor(tmp_path: Path) -> Doctor:
    return Doctor(tmp_path)


@pytest.fixture
def healthy(doctor: Doctor) -> Doctor:
    """A root with one turn, and a database that knows it."""
    place(doctor.root, a_turn())
    doctor(command="index")
    return doctor


def test_all_in_order_is_a_line_a_part_and_exit_code_0(healthy: Doctor) -> None:
    lines = healthy().splitlines()
    assert lines[-1] == "Nothing to look at."
    assert {line.split()[0] for line in lines if line[:1].strip()} == {"ok", "Nothing"}
    assert max(map(len, lines)) <= 80
    assert healthy.errors == ""


def test_it_changes_neither_the_database_nor_anything_below_the_root(healthy: Doctor) -> None:
    def listing() -> list[tuple[str, int, int]]:
        found = [(path, path.lstat()) for path in sorted(healthy.home.rglob("*"))]
        return [(str(path), status.st_mtime_ns, status.st_size) for path, status in found]

    place(healthy.root, Log("s2").turn("f2"), "not-read-yet")
    before, database = listing(), healthy.database.read_bytes()
    found = healthy.json()
    assert (found["turns"], found["sessions"]) == (2, 2)
    assert (listing(), healthy.database.read_bytes()) == (before, database)


@pytest.mark.parametrize(("value", "where"), [("./rel", "rel"), ("~/x", "~/x")])
def test_a_copilot_home_that_no_shell_made_absolute_shows_where_the_cli_would_go(
    doctor: Doctor, value: str, where: str
) -> None:
    found = doctor.verdicts(COPILOT_HOME=value)
    assert found["CLI root"][1].startswith(f"{doctor.directory / where / 'session-state'} (COPILOT_HOME is {value})")
    assert found["COPILOT_HOME"][0] == "look"


def test_an_absolute_copilot_home_is_read_and_the_default_beside_it_is_another_root(healthy: Doctor) -> None:
    elsewhere = healthy.directory / "elsewhere"
    place(elsewhere / "session-state", a_turn())
    found = healthy.verdicts(COPILOT_HOME=str(elsewhere))
    assert found["CLI root"] == ("ok", f"{elsewhere / 'session-state'} (COPILOT_HOME is {elsewhere})")
    assert found["other roots"][0] == "look"
    assert str(healthy.root) in found["other roots"][1]


def test_variables_of_old_clis_are_named_where_they_are_set(healthy: Doctor) -> None:
    assert "variables" not in healthy.verdicts()
    assert "XDG_CONFIG_HOME is set" in healthy.verdicts(XDG_CONFIG_HOME="/nowhere")["variables"][1]


def test_a_machine_without_copilot_has_a_cause_and_gets_no_database(doctor: Doctor) -> None:
    found = doctor.verdicts()
    assert found["CLI root"][0] == found["turns"][0] == "look"
    assert "which is not there" in found["turns"][1]
    assert not doctor.database.parent.exists()


def test_a_root_that_was_named_and_is_not_there_is_broken(doctor: Doctor) -> None:
    assert doctor.verdicts("--root", str(doctor.directory / "nowhere"), code=1)["root"][0] == "broken"
    assert doctor.errors == "fusionscope: Broken: root.\n"


def test_old_sessions_beside_the_root_are_said_not_to_be_read(healthy: Doctor) -> None:
    (healthy.root.parent / "history-session-state").mkdir()
    assert healthy.verdicts()["old sessions"][0] == "ok"


def _truncate(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def _make_newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION + 1}")


def _garble_text(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE turn SET pattern = CAST(x'ff' AS TEXT)")
        connection.commit()


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (_truncate, "is damaged"),
        (_garble_text, "is damaged"),
        (_make_newer, "newer Fusionscope"),
        (lambda path: path.write_bytes(b"text " * 2_000), "is no database of Fusionscope"),
    ],
    ids=["truncated", "no text", "newer", "of another program"],
)
def test_a_broken_database_is_a_broken_line_and_the_rest_is_told_all_the_same(
    healthy: Doctor, break_it: Any, words: str
) -> None:
    break_it(healthy.database)
    before = healthy.database.read_bytes()
    found = healthy.verdicts(code=1)
    assert (found["database"][0], words in found["database"][1]) == ("broken", True)
    assert found["turns"] == ("ok", "1 turn in 1 of 1 session")
    assert healthy.errors == "fusionscope: Broken: database.\n"
    assert healthy.database.read_bytes() == before
    assert sorted(healthy.database.parent.glob("*.corrupt*")) == []


def test_a_missing_database_that_was_named_is_worth_a_look_and_is_not_made(healthy: Doctor) -> None:
    shutil.rmtree(healthy.database.parent)
    found = healthy.json()
    assert (found["database"]["condition"], found["turns"]) == ("missing", 1)
    assert not healthy.database.parent.exists()


def test_a_database_among_the_files_of_the_cli_is_broken(healthy: Doctor) -> None:
    found = healthy.verdicts("--db", str(healthy.root / "x.db"), code=1)
    assert (found["database"][0], "where only the CLI writes" in found["database"][1]) == ("broken", True)


def test_who_follows_is_told(stage: Stage, doctor: Doctor) -> None:
    with Daemon(stage) as daemon:
        until(lambda: follower_process(stage.database) is not None)
        found = doctor.json("--root", str(stage.root), "--db", str(stage.database))
        assert found["followed_by"] == daemon.process.pid


def test_an_endpoint_is_asked_with_one_empty_request(healthy: Doctor) -> None:
    with Receiver() as receiver:
        assert healthy.verdicts("--otlp", receiver.url)["endpoint"] == ("ok", f"{receiver.url} takes OTLP")
        assert healthy.verdicts(OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url)["endpoint"][0] == "ok"
        assert [(request.path, request.body) for request in receiver.requests] == [("/v1/traces", b"")] * 2
    with closed_port() as port:
        found = healthy.verdicts("--otlp", f"http://me:secret@127.0.0.1:{port}", code=1)
    assert found["endpoint"] == (
        "broken", f"http://127.0.0.1:{port} cannot be reached: nothing listens there (connection refused)",
    )  # fmt: skip
    assert healthy.verdicts("--otlp", "nonsense", code=1)["endpoint"][0] == "broken"
    assert healthy.verdicts()["endpoint"] == ("ok", "none configured, nothing is sent")


def test_what_the_endpoint_refused_is_worth_a_look(healthy: Doctor) -> None:
    with closing(sqlite3.connect(healthy.database)) as connection:
        connection.execute("UPDATE outbox SET parked = 'too old' WHERE signal = 'metrics'")
        connection.commit()
    found = healthy.verdicts()
    assert found["outbox traces"] == ("ok", "1 turn waiting, 0 sent; no endpoint")
    assert found["outbox metrics"] == ("look", "0 turns waiting, 0 sent; 1 parked: too old (1); no endpoint")


def test_a_refused_request_for_fusion_is_a_cause(doctor: Doctor, samples: Path) -> None:
    place(doctor.root, (samples / "hydrafusion-refused-1.0.102.jsonl").read_bytes())
    found = doctor.verdicts()
    assert found["asked"][0] == "look"
    assert "1 session asked for hydrafusion" in found["asked"][1]
    assert "1 session asked for hydrafusion" in doctor(command="last")


@pytest.fixture
def public() -> Iterator[Doctor]:
    """A doctor in a place that others may enter."""
    with tempfile.TemporaryDirectory() as directory:
        Path(directory).chmod(0o755)
        yield Doctor(Path(directory))


def test_logs_that_may_not_be_read_are_broken_and_the_cause_of_an_empty_answer(
    public: Doctor, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # in this process: somebody else may not be able to start this Python, nor to import with it
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(public.home))
    logs = [place(public.root, a_turn(), name) for name in ("one", "two")]

    def say(database: str, *words: str) -> tuple[int, str]:
        code = main([*words, "--db", str(public.directory / database / "f.db")])
        return code, capsys.readouterr().out

    say("mine", "doctor", "--json")
    say("mine", "last")
    for log in logs:
        log.chmod(0)
    public.directory.chmod(0o777)
    with as_nobody():
        code, found = say("theirs", "doctor", "--json")
        _, said = say("theirs", "last")
    checks = {check["name"]: (check["verdict"], check["sentence"]) for check in json.loads(found)["checks"]}
    assert (code, checks["logs"][0]) == (1, "broken")
    assert f"{logs[0]} (permission denied)" in checks["logs"][1]
    assert "this user may not read all 2 session logs" in checks["turns"][1]
    assert said.startswith("No Fusion turn can be shown: this user may not read all 2 session logs.")


def _a_log_of_a_newer_contract() -> Log:
    """O-1: a version, a pattern, a kind, fields and a type that nobody has told us about; no usage; whole floats."""
    log = Log()
    log.start(copilotVersion="9.0.0")
    log.user("a secret prompt")
    log.resolved("f1", "debate", contractVersion=2, jury={"size": 3, "note": "a secret note"})
    log.leg("f1", 0, "arbiter", "m-small", 0, usage=None, durationMs=2_000.0)
    usage = {"requestCount": 1.0, "inputTokens": 100.0, "outputTokens": 10.0, "cachedTokens": 0.0, "totalNanoAiu": 5.0e8}
    log.leg("f1", 1, "arbiter", "m-big", 0, usage=usage)
    log.event("session.fusion_adjourned", fusionId="f1", why="a secret reason")
    log.completed("f1", 1, "m-big", "debate", totalNanoAiu=float(CREDIT // 2), phaseCount=2.0)
    return log


def test_a_newer_contract_is_shown_as_it_is_counted_and_named(doctor: Doctor) -> None:
    place(doctor.root, _a_log_of_a_newer_contract())
    (turn,) = json.loads(doctor("--json", command="turns"))
    assert (turn["pattern"], turn["state"], turn["nano_aiu"]) == ("debate", "completed", CREDIT // 2)
    assert [(leg["kind"], leg["nano_aiu"], leg["requests"]) for leg in turn["legs"]] == [
        ("arbiter", None, 0), ("arbiter", CREDIT // 2, 1),
    ]  # fmt: skip
    found = doctor.verdicts()
    assert found["contract"][0] == found["words"][0] == found["event types"][0] == "look"
    assert found["contract"][1].startswith("newer contract: version 2")
    for word in ("pattern debate", "kind arbiter", "field jury of fusion_resolved", "event type fusion_adjourned"):
        assert f"{word} (1 turn)" in found["words"][1]
    assert found["event types"][1].startswith("not known: session.fusion_adjourned (1);")
    assert found["skipped"][0] == "ok"


def test_drift_is_seen_at_the_top_of_the_summary_in_its_json_and_on_the_turn(doctor: Doctor) -> None:
    place(doctor.root, _a_log_of_a_newer_contract())
    summary = doctor(command="summary")
    assert summary.startswith("! not known to this release: contract version 2 (1 turn), ")
    assert json.loads(doctor("--json", command="summary"))["drift"] == {
        "unknown_words": {
            "contract 2": 1, "kind arbiter": 1, "pattern debate": 1, "session.fusion_adjourned": 1,
            "session.fusion_resolved jury": 1,
        },
        "unknown_types": {"session.fusion_adjourned": 1},
        "contract": 2,
    }  # fmt: skip
    assert "\n  not known to this release: pattern debate" in doctor(command="last")
    assert "secret" not in summary + doctor() + doctor("--json") + doctor(command="last")


def test_known_logs_put_nothing_above_the_summary(healthy: Doctor) -> None:
    assert healthy(command="summary").startswith("1 turn ")
    assert json.loads(healthy("--json", command="summary"))["drift"] == {
        "unknown_words": {}, "unknown_types": {}, "contract": None,
    }  # fmt: skip
    assert "not known" not in healthy(command="last")


def test_logs_whose_every_fusion_event_is_unknown_say_so_instead_of_nothing(doctor: Doctor) -> None:
    log = Log()
    log.start()
    log.event("session.fusion_begun", turn="f1")
    place(doctor.root, log)
    for command in ("last", "summary", "index"):
        assert "event type fusion_begun (1 event)" in doctor(command=command)
    assert doctor.verdicts()["event types"][0] == "look"


def test_the_versions_of_a_session_that_was_resumed_after_an_upgrade_are_told_by_segment(doctor: Doctor) -> None:
    log = a_turn()
    log.resume(copilotVersion="1.0.110")
    log.turn("f2")
    log.resume()
    place(doctor.root, log)
    assert doctor.json()["cli_versions"] == {"1.0.110": 1, "1.0.84-4": 1, "unknown": 1}


def test_an_ephemeral_start_on_disk_gives_the_legs_start_and_counts_nothing_twice(stage: Stage) -> None:
    log = Log()
    log.start()
    log.resolved("f1", "single")
    log.event(
        "assistant.fusion_phase_started", fusionId="f1", phaseId="f1:p0", phaseKind="primary", pattern="single", role="solver",
        conversationScope="root", model="m-small",
    )  # fmt: skip
    log.leg("f1", 0, "primary", "m-small", CREDIT, envelope=None, durationMs=250)
    log.event("assistant.fusion_phase_activity", fusionId="f1", phaseId="f1:p0", activity="model_output")
    log.completed("f1", 0, "m-small", "single")
    place(stage.root, log)
    stage.index()
    turn = stage.turn()
    (leg,) = turn.legs
    assert (leg.ended_at - leg.started_at, leg.duration_ms) == (1_000, 250)
    assert (turn.nano_aiu, turn.requests, turn.unknown_words) == (CREDIT, 1, ())
