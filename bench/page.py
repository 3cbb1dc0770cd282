"""How fast the page is, and what it costs the follower: ``python -m bench.page``.

A real ``fusionscope up`` serves the page of 100,000 turns that are in the database already. Measured, from another process:
the time to the first byte and the size of each view, at the first look after the start and at those that follow; then how soon
a turn that is appended to a log is in the store: with nobody looking, with 200 readers of the live events of which one never
reads, and with 10 pages beside them that fetch the overview again at each change, as tabs do; and the memory at each stage.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import re
import select
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.log import Json, iso, random_id
from bench.many import turn_events, write_many
from bench.measure import PROJECT

__all__ = ["main"]

_GOAL_MS, _GOAL_BYTES = 50.0, 60_000
_DAYS = 365
_READERS, _TABS = 200, 10
_SETTLED_S = 10.0  # by when a person has opened the page


class _Page(NamedTuple):
    """A page that is being served, and where its parts are."""

    process: int
    port: int
    root: Path
    database: Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print two tables; fail when a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.page", description=__doc__)
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=30, help="of each view")
    parser.add_argument("--appended", type=int, default=50, help="turns, at each stage")
    parser.add_argument("--state", metavar="DIR", type=Path, help="keep the state here, and use it when it is there")
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        directory = options.state or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fusionscope-bench-")))
        if not (directory / "session-state").exists():
            write_many(directory, options.turns, _DAYS)
        page = stack.enter_context(_up(directory, options.turns))
        fits = _views(page, options.requests)
        _readers(page, options.appended)
    return 0 if fits else 1


@contextmanager
def _up(directory: Path, turns: int) -> Iterator[_Page]:
    """`fusionscope up` with a page at a free port, some seconds after its start; everything was read before."""
    root, database, log = directory / "session-state", directory / "f.db", directory / "up.log"
    program, places = [sys.executable, "-m", "fusionscope"], ["--root", str(root), "--db", str(database)]
    subprocess.run([*program, "index", *places], cwd=PROJECT, check=True, stdout=subprocess.DEVNULL)
    words = [*program, "up", *places, "--page", "127.0.0.1:0"]
    with log.open("wb") as said, subprocess.Popen(words, cwd=PROJECT, stderr=said) as process:
        try:
            while not (found := re.search(r"The page: http://127\.0\.0\.1:(\d+)/", log.read_text())):
                time.sleep(0.05)
            while _count(database) < turns:
                time.sleep(0.5)
            time.sleep(_SETTLED_S)
            yield _Page(process.pid, int(found[1]), root, database)
        finally:
            process.send_signal(signal.SIGTERM)


def _count(database: Path) -> int:
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return int(connection.execute("SELECT count(*) FROM turn").fetchone()[0])


def _addresses(database: Path) -> Iterator[tuple[str, str]]:
    """What is measured: a name and an address."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        query = "SELECT fusion_id, session_id FROM turn ORDER BY started_at LIMIT 1 OFFSET (SELECT count(*) / 2 FROM turn)"
        fusion_id, session_id = connection.execute(query).fetchone()
    yield from (
        ("overview", "/"),
        ("overview, all", "/?range=all"),
        ("overview, 7 days", "/?range=7d"),
        ("overview, one model", "/?range=all&model=m-deep"),
        ("turns", "/turns"),
        ("turns, all", "/turns?range=all"),
        ("turns, dearest first", "/turns?range=all&sort=-credits"),
        ("turns, one pattern", "/turns?range=all&pattern=critique"),
        ("turns, one model", "/turns?range=all&model=m-deep"),
        ("turns, text of an id", f"/turns?range=all&q={fusion_id[10:20]}"),
        ("one turn", f"/turns/{fusion_id}"),
        ("sessions", "/sessions"),
        ("sessions, all", "/sessions?range=all"),
        ("one session", f"/sessions/{session_id}"),
        ("health", "/health"),
        ("summary as JSON", "/api/summary?range=all"),
    )


def _views(page: _Page, requests: int) -> bool:
    """Print the first table; whether every view is soon enough and the overview small enough."""
    fits = True
    shown = f"{_count(page.database):,} turns, {_resident_mb(page.process):.0f} MB"
    print(f"{shown}; the first look and {requests} more of each view,\nfirst byte in ms\n")
    print("| view | first | median | p95 | worst | kB |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, address in _addresses(page.database):
        first, *asked = [_ask(page.port, address) for _ in range(requests + 1)]
        late, size = sorted(ms for ms, _, _ in asked), asked[0][1]
        statuses = {status for _, _, status in asked}
        if statuses != {200}:
            print(f"{address} answered {statuses}", file=sys.stderr)
        fits &= statuses == {200} and statistics.median(late) <= _GOAL_MS
        fits &= not name.startswith("overview") or size <= _GOAL_BYTES
        cells = (first[0], statistics.median(late), late[int(0.95 * len(late))], late[-1], size / 1_000)
        print(f"| {name} | {' | '.join(f'{cell:.1f}' for cell in cells)} |", flush=True)
    return fits


def _ask(port: int, address: str) -> tuple[float, int, int]:
    """Milliseconds from the connection to the first byte, bytes of the body, status."""
    begun = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", address)
    answer = connection.getresponse()
    first = 1_000 * (time.perf_counter() - begun)
    size = len(answer.read())
    connection.close()
    return first, size, answer.status


def _readers(page: _Page, appended: int) -> None:
    """Print the second table."""
    print(f"\n{appended} turns appended at each stage, ms to their row\n")
    print("| who looks | median | p95 | worst | MB after |\n| --- | ---: | ---: | ---: | ---: |")
    with ExitStack() as stack:
        _row(page, appended, "nobody")
        changes = stack.enter_context(_listening(page.port, _READERS))
        _row(page, appended, f"{_READERS} readers, one of them not reading")
        stack.enter_context(_tabs(page.port, changes))
        _row(page, appended, f"and {_TABS} pages that fetch the overview")


def _row(page: _Page, appended: int, who: str) -> None:
    late = sorted(1_000 * seconds for seconds in _latencies(page, appended))
    cells = (statistics.median(late), late[int(0.95 * len(late))], late[-1], _resident_mb(page.process))
    print(f"| {who} | {' | '.join(f'{cell:.0f}' for cell in cells)} |", flush=True)


@contextmanager
def _listening(port: int, readers: int) -> Iterator[list[float]]:
    """So many readers of the live events; the first never reads. The list gets the moment of each change."""
    changes: list[float] = []
    over = threading.Event()
    connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(readers)]
    connections[0].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
    for connection in connections:
        connection.sendall(f"GET /live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())

    def read() -> None:
        while not over.is_set():
            for connection in select.select(connections[1:], (), (), 0.2)[0]:
                if b"event: change" in connection.recv(65_536) and connection is connections[1]:
                    changes.append(time.perf_counter())

    with _threads(over, [read]):
        yield changes
    for connection in connections:
        connection.close()


@contextmanager
def _tabs(port: int, changes: Sequence[float]) -> Iterator[None]:
    """Pages that fetch the overview at each change."""
    over = threading.Event()

    def look() -> None:
        seen = len(changes)
        while not over.wait(0.02):
            if len(changes) != seen:
                seen = len(changes)
                _ask(port, "/")

    with _threads(over, [look] * _TABS):
        yield


@contextmanager
def _threads(over: threading.Event, work: Sequence[Callable[[], None]]) -> Iterator[None]:
    """All of this work at once, until the end of the block, which ``over`` tells it of."""
    threads = [threading.Thread(target=part) for part in work]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _latencies(page: _Page, turns: int) -> Iterator[float]:
    """Seconds from the append of a turn's last line to its row, for turns in a few sessions."""
    connection = sqlite3.connect(f"file:{page.database}?mode=ro", uri=True, timeout=10)
    rng = random.Random()
    homes = sorted(page.root.iterdir())[:5]
    for number in range(turns):
        fusion_id = f"fusion-{random_id(rng)}"
        lines = b"".join(_line(kind, data, rng) for kind, data, _ in turn_events(fusion_id, rng))
        begun = time.perf_counter()
        with (homes[number % len(homes)] / "events.jsonl").open("ab") as file:
            file.write(lines)
        while not connection.execute("SELECT 1 FROM turn WHERE fusion_id = ?", (fusion_id,)).fetchone():
            time.sleep(0.002)
        yield time.perf_counter() - begun
        time.sleep(rng.uniform(0, 0.3))
    connection.close()


def _line(kind: str, data: Json, rng: random.Random) -> bytes:
    record = {"type": kind, "data": data, "id": random_id(rng), "timestamp": iso(time.time_ns() // 10**6), "parentId": None}
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _resident_mb(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found
    return int(found[1]) / 1_000


if __name__ == "__main__":
    sys.exit(main())
