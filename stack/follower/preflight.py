"""Whether the follower's container can read the session logs and keep its database; in one sentence what to do if not.

Run by compose.yaml before the follower starts: ``preflight.py SESSIONS STATE``, both as the container sees them. ``$SESSIONS``
is the first one as the person wrote it. Exit codes: 0 it can, 1 it cannot. Reads no log: it only opens them.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

__all__ = ["main", "problem"]

#: sessions that are tried; they belong to the same person
_TRIED = 50


def main(arguments: list[str], environment: Mapping[str, str]) -> int:
    """Check, and say what is wrong on stderr."""
    sessions, state = map(Path, arguments)
    found = problem(sessions, state, environment.get("SESSIONS") or str(sessions))
    if found:
        print(f"preflight: {found}", file=sys.stderr)
        return 1
    return 0


def problem(sessions: Path, state: Path, shown: str) -> str | None:
    """What keeps the follower from working, or ``None``. ``shown`` is what a person calls ``sessions``."""
    return _directory(sessions, shown) or _readable(sessions, shown) or _writable(state)


def _directory(sessions: Path, shown: str) -> str | None:
    elsewhere = "If your sessions are elsewhere, set FUSIONSCOPE_SESSIONS to their session-state directory."
    if not sessions.is_dir():
        return f"There is no directory {shown}. Run copilot once, which makes it. {elsewhere}"
    try:
        empty = not any(sessions.iterdir())
    except OSError:
        return None  # told by the next check
    if empty and sessions.stat().st_uid == 0 != os.getuid():
        # compose versions that pass over create_host_path: false (docker/compose#13602)
        return (
            f"{shown} is empty and belongs to root: Docker made it because it was missing, and the CLI cannot write there. "
            f"Remove it (sudo rmdir {shown}) and run copilot once. {elsewhere}"
        )
    return None


def _readable(sessions: Path, shown: str) -> str | None:
    tried = sessions
    try:
        for session in sorted(sessions.iterdir())[:_TRIED]:
            tried = session
            if session.is_dir() and (log := session / "events.jsonl").exists():
                tried = log
                log.open("rb").close()
    except PermissionError:
        owner = _owner(tried)
        return (
            f"{shown} can be read by its owner only, and the follower runs as user {os.getuid()}. "
            f"Start with: FUSIONSCOPE_USER={owner} docker compose up -d"
        )
    except OSError as error:
        return f"{shown} cannot be read: {error.strerror}."
    return None


def _owner(path: Path) -> str:
    """``user:group`` of what cannot be read."""
    try:
        status = path.stat()
    except OSError:
        status = path.parent.stat()
    return f"{status.st_uid}:{status.st_gid}"


def _writable(state: Path) -> str | None:
    databases = list(state.glob("*.db"))
    try:
        tempfile.TemporaryFile(dir=state).close()
        for database in databases:
            database.open("r+b").close()
    except OSError:
        owner = _owner(databases[0]) if databases else "what it was before"
        return (
            f"The database in the volume `state` belongs to another user than {os.getuid()}. Set FUSIONSCOPE_USER to {owner}, "
            "or remove the volume with docker compose down -v: everything in it is made again from the logs."
        )
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
