"""Sample sessions for a first look and for tests, written as the log lines that Copilot CLI writes.

One developer, one small Python project, one night: 24 turns in six sessions on 2026-09-09, with the figures of a public
field report. Nothing here knows how Fusionscope reads a log; the reader gets files like any other.

The way of the data: ``turns`` (the table) -> ``turn_lines`` and ``session_lines`` (events) -> ``lines`` (bytes).
"""

from __future__ import annotations

from pathlib import Path

from fusionscope.demo.records import DAY_MS
from fusionscope.demo.session_lines import session_log, workspace
from fusionscope.demo.turns import SESSIONS

__all__ = ["days_until", "write_demo"]


def days_until(now: int) -> int:
    """How many days later the demo's night is the last one that is over at the moment ``now`` (ms since 1970)."""
    return (now - max(session.parts[-1].closed_at for session in SESSIONS)) // DAY_MS


def write_demo(directory: Path, days: int = 0) -> Path:
    """Write the sample sessions below ``directory`` and return the ``session-state`` directory with them.

    Each session is a directory with a log, ``events.jsonl``, and a ``workspace.yaml``, as in a Copilot home,
    about 600 kB in all. The bytes are the same on every run; files of an earlier run are replaced, nothing else is touched.
    With ``days`` the night is that much later and everything else the same, ids included.
    """
    root = directory / "session-state"
    for session in (session.later(days) for session in SESSIONS):
        home = root / session.session_id
        home.mkdir(parents=True, exist_ok=True)
        (home / "events.jsonl").write_bytes(session_log(session))
        (home / "workspace.yaml").write_bytes(workspace(session))
    return root
