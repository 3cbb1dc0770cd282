"""What following costs, and how soon it shows: ``python -m bench.live``.

A real ``fusionscope up`` follows 5,000 sessions. Measured: the time from appending a turn's last line to its row in the store,
with notices and without; processor time while nothing happens; spans a second to a receiver on this machine.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from bench.measure import PROJECT

__all__ = ["main"]

_FOLLOW = "import sys; from fusionscope.cli import main; sys.exit(main())"
#: as where the platform tells nothing: Docker bind mounts, NFS, no inotify watches left
_UNNOTICED = f"""
import fusionscope.follow.notice as notice
def watch(*paths, **options):
    raise OSError("no notices in this measurement")
notice.watch = watch
{_FOLLOW}
"""
_YEAR_S = 365 * 86_400


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(prog="python -m bench.live", description=__doc__)
    parser.add_argument("--sessions", type=int, default=5_000)
    parser.add_argument("--turns", type=int, default=100, help="appended for the latency")
    parser.add_argument("--idle", type=float, default=60.0, help="seconds to watch the processor time of nothing")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="fusionscope-bench-") as directory:
        root, database = Path(directory, "session-state"), Path(directory, "f.db")
        _write_sessions(root, options.sessions)
        print(f"{options.sessions:,} sessions with a turn each, {options.turns} turns appended, {os.cpu_count()} processors")
        for name, program in (("noticed", _FOLLOW), ("by looking only", _UNNOTICED)):
            with _following(program, root, database) as process:
                _wait(database, options.sessions)
                late = sorted(_latencies(root, database, options.turns, name))
                print(
                    f"append to row, {name}: median {1_000 * statistics.median(late):.0f} ms,"
                    f" p95 {1_000 * late[int(0.95 * len(late))]:.0f} ms, worst {1_000 * late[-1]:.0f} ms"
                )
                share = 100 * _idle(process.pid, options.idle)
                print(f"idle, {name}: {share:.2f} % of a processor, {_resident_mb(process.pid):.0f} MB")
        print(_export(root, database))
    return 0


def _write_sessions(root: Path, sessions: int) -> None:
    """Sessions last written a year ago, as most are."""
    then = time.time() - _YEAR_S
    for n in range(sessions):
        path = root / f"session-{n:05}" / "events.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(b"".join(_turn(f"old-{n}")))
        os.utime(path, (then, then))


def _turn(fusion_id: str) -> list[bytes]:
    """The lines of a small turn that ended now."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    usage = '{"requestCount":1,"inputTokens":100,"outputTokens":10,"cachedTokens":0,"totalNanoAiu":500000000}'
    bodies = [
        ("session.fusion_resolved", '"pattern":"single","policy":"max","syntheticModel":"asked","routingLatencyMs":200'),
        (
            "assistant.fusion_phase_completed",
            f'"phaseId":"{fusion_id}:0","phaseKind":"primary","model":"m","status":"succeeded","durationMs":900,"usage":{usage}',
        ),
        ("session.fusion_completed", '"outcome":"completed","pattern":"single","totalNanoAiu":500000000,"durationMs":1000'),
    ]
    return [
        f'{{"type":"{kind}","data":{{"fusionId":"{fusion_id}",{body}}},"id":"{fusion_id}-{n}","timestamp":"{stamp}"}}\n'.encode()
        for n, (kind, body) in enumerate(bodies)
    ]


@contextmanager
def _following(program: str, root: Path, database: Path) -> Iterator[subprocess.Popen[bytes]]:
    words = [sys.executable, "-c", program, "up", "--root", str(root), "--db", str(database), "--page", "off"]
    process = subprocess.Popen(words, cwd=PROJECT, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def _connect(database: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)


def _wait(database: Path, turns: int) -> None:
    """Wait until the first look is over."""
    while True:
        try:
            with _connect(database) as connection:
                if connection.execute("SELECT count(*) FROM turn").fetchone()[0] >= turns:
                    time.sleep(3)
                    return
        except sqlite3.Error:
            pass
        time.sleep(0.1)


def _latencies(root: Path, database: Path, turns: int, name: str) -> Iterator[float]:
    """Seconds from the append of a turn's last line to its row, for turns in a few sessions that are in use."""
    connection = _connect(database)
    rng = random.Random(1)
    for n in range(turns):
        fusion_id = f"{name}-{n}"
        path = root / f"session-{n % 5:05}" / "events.jsonl"
        with path.open("ab") as file:
            file.write(b"".join(_turn(fusion_id)))
        begun = time.perf_counter()
        while not connection.execute("SELECT 1 FROM turn WHERE fusion_id = ?", (fusion_id,)).fetchone():
            time.sleep(0.002)
        yield time.perf_counter() - begun
        time.sleep(rng.uniform(0, 0.3))
    connection.close()


def _idle(process: int, seconds: float) -> float:
    """Processor time over time, while nothing is written. The sessions used before are still looked at every second."""
    time.sleep(3)
    before, begun = _processor_s(process), time.perf_counter()
    time.sleep(seconds)
    return (_processor_s(process) - before) / (time.perf_counter() - begun)


def _processor_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident_mb(process: int) -> float:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


class _Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Read everything, answer 200."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Say nothing."""


def _export(root: Path, database: Path) -> str:
    """Send everything that waits to a receiver that does nothing."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    words = ["export", "--otlp", f"http://127.0.0.1:{server.server_address[1]}", "--root", str(root), "--db", str(database)]
    begun = time.perf_counter()
    said = subprocess.run(
        [sys.executable, "-m", "fusionscope", *words], cwd=PROJECT, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    took = time.perf_counter() - begun
    server.shutdown()
    spans = int(said.partition("(")[2].partition(" ")[0].replace(",", ""))
    return (
        f"export to a receiver on this machine: {spans:,} spans in {took:.1f} s, {spans / took:,.0f} a second, start included"
    )


if __name__ == "__main__":
    sys.exit(main())
