"""`fusionscope up`: a real process that follows real files and sends to a real receiver."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from fusionscope.store import schema
from tests.conftest import Stage
from tests.daemon import Daemon, run
from tests.export.receiver import Receiver, values
from tests.follow.live import until
from tests.logs import CREDIT, Log, a_turn, place

WHOLE = 25 * CREDIT // 2


def test_what_ends_while_it_runs_is_stored_exported_and_told(stage: Stage) -> None:
    with Receiver() as receiver:
        with Daemon(stage, "--otlp", receiver.url) as daemon:
            path = place(stage.root, a_turn())
            until(lambda: len(receiver.spans) == 4)
            with path.open("ab") as file:
                file.write(bytes(Log("x").turn("f2")))
            until(lambda: len(receiver.spans) == 8)
            until(lambda: "f2 cascade legs=3 models=m-big,m-small credits=12.50" in daemon.lines())
        metrics = {metric.name for metric in receiver.metrics}
    assert {"github.copilot.fusion.leg.credits", "github.copilot.fusion.turn"} <= metrics
    assert len({span.span_id for span in receiver.spans}) == 8
    assert stage.nano_aiu() == 2 * WHOLE


def test_what_was_there_before_is_exported_too_and_a_restart_sends_nothing_again(stage: Stage) -> None:
    place(stage.root, a_turn())
    with Receiver() as receiver:
        with Daemon(stage, "--otlp", receiver.url):
            until(lambda: len(receiver.spans) == 4 and bool(receiver.metrics))
        requests = len(receiver.requests)
        with Daemon(stage, "--otlp", receiver.url):
            place(stage.root, Log("s2").turn("f2"))
            until(lambda: len(receiver.spans) == 8)
        sent = [span.trace_id for request in receiver.requests[requests:] for span in request.spans]
    assert len(set(sent)) == 1


def test_a_second_start_says_which_process_follows_and_exits_with_1(stage: Stage) -> None:
    with Daemon(stage) as daemon:
        place(stage.root, a_turn())
        until(lambda: len(stage.turns()) == 1)
        refused = run(stage, "up", code=1)
        assert f"Process {daemon.process.pid} already follows the logs" in refused.stderr
        assert refused.stderr.count("\n") == 1
        status = json.loads(run(stage, "status", "--json").stdout)
    assert status["followed_by"] == daemon.process.pid
    assert json.loads(run(stage, "status", "--json").stdout)["followed_by"] is None


def test_while_it_runs_other_commands_leave_the_reading_to_it(stage: Stage) -> None:
    place(stage.root, a_turn())
    with Daemon(stage) as daemon:
        until(lambda: len(stage.turns()) == 1)
        daemon.process.send_signal(signal.SIGSTOP)
        place(stage.root, Log("s2").turn("f2"))
        assert len(json.loads(run(stage, "turns", "--json").stdout)) == 1
        daemon.process.send_signal(signal.SIGCONT)
        until(lambda: len(stage.turns()) == 2)


def test_its_log_can_be_objects(stage: Stage) -> None:
    place(stage.root, a_turn())
    with Daemon(stage, "--log-format", "json") as daemon:
        until(lambda: bool(daemon.lines()))
        (line,) = map(json.loads, daemon.lines())
    assert (line["turn"]["fusion_id"], line["turn"]["nano_aiu"], line["turn"]["legs"]) == ("f1", WHOLE, 3)


def test_without_an_endpoint_nothing_is_sent_and_everything_waits(stage: Stage) -> None:
    place(stage.root, a_turn())
    with Daemon(stage):
        until(lambda: len(stage.turns()) == 1)
    outbox = {delivery["signal"]: delivery for delivery in json.loads(run(stage, "status", "--json").stdout)["outbox"]}
    assert (outbox["traces"]["waiting"], outbox["metrics"]["waiting"]) == (1, 1)


def test_a_damaged_database_is_set_aside_and_rebuilt(stage: Stage) -> None:
    for name in ("s1", "s2"):
        log = Log(name)
        for n in range(40):
            log.turn(f"{name}-{n}")
        place(stage.root, log)
    stage.index()
    stage.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    stage.connection.close()
    with stage.database.open("r+b") as file:
        file.truncate(stage.database.stat().st_size // 2)
    with Daemon(stage) as daemon:
        until(lambda: len(daemon.lines()) == 81)
        first = daemon.lines()[0]
    (aside,) = stage.database.parent.glob("fusionscope.db.corrupt-*Z")
    assert first.startswith(f"The database was damaged and is now {aside}")
    stage.connection = sqlite3.connect(stage.database)
    assert len(stage.turns()) == 80


def test_a_reading_command_sets_a_damaged_database_aside_too(stage: Stage) -> None:
    place(stage.root, a_turn())
    stage.index()
    stage.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    stage.connection.close()
    with stage.database.open("r+b") as file:
        file.truncate(stage.database.stat().st_size // 2)
    done = run(stage, "turns", "--json")
    assert len(json.loads(done.stdout)) == 1
    assert "The database was damaged" in done.stderr
    stage.connection = sqlite3.connect(stage.database)


def test_a_newer_schema_is_refused_and_left_alone(stage: Stage) -> None:
    stage.connection.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION + 1}")
    assert "newer Fusionscope" in run(stage, "up", code=1).stderr
    assert stage.connection.execute("PRAGMA user_version").fetchone() == (schema.SCHEMA_VERSION + 1,)


def test_a_forgotten_session_is_not_read_again_by_a_follower_that_runs(stage: Stage) -> None:
    log = a_turn()
    path = place(stage.root, log)
    with Daemon(stage):
        until(lambda: len(stage.turns()) == 1)
        assert "1 turn that only it had" in run(stage, "forget", log.session_id[:8]).stdout
        with path.open("ab") as file:
            file.write(bytes(Log("x").turn("f2")))
        place(stage.root, Log("s3").turn("f3"))
        until(lambda: len(stage.turns()) == 1)
        assert stage.turn().fusion_id == "f3"


def test_a_stop_in_the_first_moment_is_a_clean_one(stage: Stage) -> None:
    with Daemon(stage) as daemon:
        until(lambda: Path(f"{stage.database}.lock").exists())
        daemon.process.send_signal(signal.SIGTERM)
        assert daemon.process.wait(30) == 0


def test_both_ways_of_sending_name_the_same_installation_also_through_a_link(stage: Stage, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(stage.root, target_is_directory=True)
    path = place(stage.root, a_turn())
    words = ["--root", str(link), "--db", str(stage.database)]
    with Receiver() as receiver:
        cli = [sys.executable, "-m", "fusionscope"]
        subprocess.run([*cli, "export", "--signal", "metrics", "--otlp", receiver.url, *words], check=True, capture_output=True)
        with Daemon(stage, "--root", str(link), "--otlp", receiver.url):
            with path.open("ab") as file:
                file.write(bytes(Log("x").turn("f2")))
            until(lambda: len({request.path for request in receiver.requests[1:]}) == 2)
        resources = [part.resource for request in receiver.requests for part in request.resource_metrics]
        resources += [part.resource for request in receiver.requests for part in request.resource_spans]
    assert len({values(resource.attributes)["service.instance.id"] for resource in resources}) == 1


def test_a_log_line_that_nobody_can_be_told_does_not_stop_it(stage: Stage) -> None:
    words = [sys.executable, "-m", "fusionscope", "up", "--root", str(stage.root), "--db", str(stage.database)]
    words += ["--page", "off"]
    with open("/dev/full", "wb") as full, subprocess.Popen(words, stderr=full) as process:
        place(stage.root, a_turn("f1"))
        until(lambda: len(stage.turns()) == 1)
        place(stage.root, Log("s2").turn("f2"))
        until(lambda: len(stage.turns()) == 2)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


def test_two_that_read_at_once_lose_and_double_nothing(stage: Stage) -> None:
    for n in range(40):
        log = Log(f"s{n}")
        for turn in range(50):
            log.turn(f"f{n}-{turn}")
        place(stage.root, log)
    words = [sys.executable, "-m", "fusionscope", "index", "--root", str(stage.root), "--db", str(stage.database)]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as one, subprocess.Popen(words, stderr=subprocess.PIPE) as two:
        assert (one.communicate()[1], two.communicate()[1]) == (b"", b"")
    assert (len(stage.turns()), stage.nano_aiu()) == (2_000, 2_000 * WHOLE)


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace (a Debian package) is not installed")
def test_following_opens_nothing_below_the_root_to_write_and_keeps_nothing_open(stage: Stage, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    under = ("strace", "-f", "-qq", "-e", "trace=%file,flock,fcntl,ftruncate,fchmod", "-o", str(trace))
    path = place(stage.root, a_turn())

    def listing() -> list[tuple[str, int, int]]:
        return [(str(found), found.stat().st_mtime_ns, found.stat().st_ctime_ns) for found in sorted(stage.root.rglob("*"))]

    with Daemon(stage, under=under) as daemon:
        until(lambda: len(stage.turns()) == 1)
        with path.open("ab") as file:
            file.write(bytes(Log("x").turn("f2")))
        before = listing()
        until(lambda: len(stage.turns()) == 2)
        children = Path(f"/proc/{daemon.process.pid}/task/{daemon.process.pid}/children").read_text().split()
        held = [os.readlink(fd) for fd in Path(f"/proc/{children[0]}/fd").iterdir()]  # noqa: PTH115
        assert not [name for name in held if name.startswith(str(stage.root))]
        assert listing() == before
        os.kill(int(children[0]), signal.SIGTERM)
        daemon.process.wait(30)
    calls = [line for line in trace.read_text().splitlines() if str(stage.root) in line and "execve(" not in line]
    assert any("O_RDONLY" in call for call in calls)
    harmless = (
        "openat(",
        "newfstatat(",
        "stat(",
        "lstat(",
        "statx(",
        "readlink(",
        "access(",
        "faccessat2(",
        "inotify_add_watch(",
    )
    assert [call for call in calls if not any(name in call for name in harmless)] == []
    assert [call for call in calls if any(flag in call for flag in ("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"))] == []
