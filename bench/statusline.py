"""How long the status line takes, start of the interpreter included: ``python -m bench.statusline``.

A store of 100,000 cascade turns in 5,000 sessions. The command runs 50 times each way, as the CLI runs it: the session's status
as JSON on standard input. Printed are the least, the median and the p95 in milliseconds on the clock, and the median of
processor time.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.measure import PROJECT
from fusionscope.follow.index import index
from fusionscope.follow.lock import FollowerLock
from fusionscope.ingest.find import Root
from fusionscope.store.database import connect

__all__ = ["main"]

_LEGS = (("primary", "root", "m-small", None), ("judge", "review", "m-big", "reject"), ("repair", "root", "m-big", None))
_USAGE = {"requestCount": 1, "inputTokens": 100, "outputTokens": 10, "cachedTokens": 0, "totalNanoAiu": 500_000_000}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(prog="python -m bench.statusline", description=__doc__)
    parser.add_argument("--sessions", type=int, default=5_000)
    parser.add_argument("--turns", type=int, default=20, help="in each session")
    parser.add_argument("--runs", type=int, default=50)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="fusionscope-bench-") as directory:
        home, database = Path(directory), Path(directory, "fusionscope", "fusionscope.db")
        root = home / "session-state"
        logs = [_write_session(root, n, options.turns) for n in range(options.sessions)]
        with closing(connect(database)) as connection:
            read = len(index(connection, [Root(root, "measured")]).turns)
        print(f"{read:,} turns in {options.sessions:,} sessions, {database.stat().st_size / 1e6:,.0f} MB, {options.runs} runs")
        print(f"{'ms':44} least median    p95    CPU")
        line = [*_program(), "statusline"]
        environment = {**os.environ, "COPILOT_HOME": str(home), "XDG_STATE_HOME": str(home), "COLUMNS": "120"}
        environment.pop("FUSIONSCOPE_DB", None)

        def report(name: str, command: list[str], log: Path, before: Callable[[int], None] = lambda run: None) -> None:
            times = []
            for run in range(options.runs):
                before(run)
                times.append(_timed(command, environment, log.parent))
            wall, cpu = sorted(wall for wall, _ in times), statistics.median(cpu for _, cpu in times)
            print(f"{name:44}{wall[0]:6.0f} {statistics.median(wall):6.0f} {wall[int(0.95 * len(wall))]:6.0f} {cpu:6.0f}")

        report("python, starting only", [sys.executable, "-c", "pass"], logs[0])
        report("nothing new", line, logs[0])
        report("new lines that are no Fusion events", line, logs[1], lambda run: _append(logs[1], _talk()))
        report("a new leg, read first", line, logs[2], lambda run: _append(logs[2], _turn(f"new-{run}")[:2]))
        lock = FollowerLock(database)
        lock.take()
        report("a new leg, while another process follows", line, logs[3], lambda run: _append(logs[3], _turn(f"x-{run}")[:2]))
        lock.release()
    return 0


def _program() -> list[str]:
    """The installed command where there is one."""
    script = Path(sys.executable).with_name("fusionscope")
    return [str(script)] if script.exists() else [sys.executable, "-m", "fusionscope"]


def _timed(command: list[str], environment: dict[str, str], session: Path) -> tuple[float, float]:
    """Milliseconds on the clock and of processor time."""
    status = json.dumps({"session_id": session.name, "transcript_path": str(session), "version": "1.0.102"}).encode()
    begun = time.perf_counter()
    process = subprocess.Popen(command, env=environment, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    process.stdin.write(status)
    process.stdin.close()
    printed = process.stdout.read()
    _, exit_status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(exit_status)
    process.stdout.close()
    if "statusline" in command and b"cascade" not in printed:
        raise SystemExit(f"the line is {printed!r}")
    return 1_000 * took, 1_000 * (usage.ru_utime + usage.ru_stime)


def _write_session(root: Path, n: int, turns: int) -> Path:
    path = root / f"session-{n:05}" / "events.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(line for turn in range(turns) for line in _turn(f"{n}-{turn}")))
    return path


def _append(log: Path, lines: Sequence[bytes]) -> None:
    with log.open("ab") as file:
        file.write(b"".join(lines))


def _talk() -> list[bytes]:
    return [_line("assistant.message", f"talk-{time.time_ns()}", {"content": "word " * 2_000})]


def _turn(fusion_id: str) -> list[bytes]:
    """The lines of a cascade turn that ends now."""
    route: dict[str, Any] = {"pattern": "cascade", "policy": "max", "syntheticModel": "asked", "routingLatencyMs": 200}
    lines = [_line("session.fusion_resolved", f"{fusion_id}-route", {"fusionId": fusion_id, **route})]
    for n, (kind, scope, model, verdict) in enumerate(_LEGS):
        leg: dict[str, Any] = {
            "fusionId": fusion_id,
            "phaseId": f"{fusion_id}:{n}",
            "phaseKind": kind,
            "conversationScope": scope,
        }
        leg |= {"model": model, "verdict": verdict, "status": "succeeded", "durationMs": 900, "usage": _USAGE}
        lines.append(_line("assistant.fusion_phase_completed", f"{fusion_id}-{n}", leg))
    end: dict[str, Any] = {
        "fusionId": fusion_id,
        "pattern": "cascade",
        "outcome": "completed",
        "finalSourcePhaseId": f"{fusion_id}:2",
    }
    end |= {"totalNanoAiu": 1_500_000_000, "durationMs": 3_000}
    return [*lines, _line("session.fusion_completed", f"{fusion_id}-end", end)]


def _line(kind: str, event_id: str, data: dict[str, Any]) -> bytes:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    return json.dumps({"type": kind, "data": data, "id": event_id, "timestamp": stamp}, separators=(",", ":")).encode() + b"\n"


if __name__ == "__main__":
    sys.exit(main())
