"""The demo moved to another night: every time is whole days later, and nothing else is different."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from fusionscope.demo import days_until, write_demo
from fusionscope.follow.process import follower_process
from tests.demo.reading import Event, read_sessions
from tests.follow.live import until

DAY_MS = 86_400_000


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1_000)


@pytest.mark.parametrize(
    ("now", "days"),
    [
        # the demo's last line is of 2026-09-09T02:44:41.066Z
        ("2026-09-09T02:44:41.066Z", 0),
        ("2026-09-09T02:44:41.065Z", -1),
        ("2026-09-10T02:44:41.065Z", 0),
        ("2026-09-10T02:44:41.066Z", 1),
        ("2026-11-30T12:00:00Z", 82),
    ],
)
def test_last_night_is_the_last_one_that_is_over(now: str, days: int) -> None:
    assert days_until(ms(now)) == days


def moved_back(event: Event, days: int) -> str:
    """An event as text, with every RFC 3339 time and every moment in milliseconds moved back."""

    def time(found: re.Match[str]) -> str:
        then = datetime.fromisoformat(found[0]) - timedelta(days=days)
        return then.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"

    text = re.sub(r"20\d\d-\d\d-\d\dT[\d:.]+Z", time, json.dumps(event))
    return re.sub(r"\b17\d{11}\b|\b18\d{11}\b", lambda found: str(int(found[0]) - days * DAY_MS), text)


def test_only_times_differ_and_all_by_the_same_days(root: Path, tmp_path: Path) -> None:
    later = read_sessions(write_demo(tmp_path, 82))
    original = read_sessions(root)
    assert [event["timestamp"][:10] for events in later for event in events].count("2026-11-30") == sum(map(len, later))
    assert [[moved_back(event, 82) for event in events] for events in later] == [
        [json.dumps(event) for event in events] for events in original
    ]


def test_up_follows_the_demo_of_last_night_and_keeps_it(tmp_path: Path) -> None:
    home = tmp_path / "demo"
    for _ in range(2):  # the second start finds what the first one wrote
        process = subprocess.Popen(
            [sys.executable, "-m", "fusionscope", "up", "--page", "off", "--demo", str(home)], stderr=subprocess.DEVNULL
        )
        until(lambda: follower_process(home / "fusionscope.db") is not None and len(_turns(home)) == 24)
        process.terminate()
        assert process.wait(30) == 0
    ends = [ms(turn["ended_at"]) for turn in _turns(home)]
    age_ms = datetime.now(UTC).timestamp() * 1_000 - max(ends)
    assert 0 < age_ms < DAY_MS + 60_000
    assert sum(turn["nano_aiu"] for turn in _turns(home)) == 314_600_484_000


def _turns(home: Path) -> list[dict[str, Any]]:
    words = ["turns", "--json", "--no-index", "--root", str(home), "--db", str(home / "fusionscope.db")]
    asked = subprocess.run([sys.executable, "-m", "fusionscope", *words], capture_output=True, text=True, check=False)
    return list(json.loads(asked.stdout)) if asked.returncode == 0 else []
