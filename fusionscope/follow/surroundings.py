"""What lies around the roots: other roots on this machine, old layouts, the kind of file system, how much can be watched.

Looks at directories and at what the system tells, and opens no file of a session.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

__all__ = [
    "IGNORED_VARIABLES",
    "NETWORK_FILE_SYSTEMS",
    "OLD_STATE",
    "condition_of",
    "directories_below",
    "file_system",
    "has_old_sessions",
    "other_roots",
    "watch_limit",
]

#: CLIs before about 1.0.4 went by these, newer ones do not (github/copilot-cli#1750, #1954; seen in 1.0.84-4 and 1.0.102)
IGNORED_VARIABLES = ("XDG_CONFIG_HOME", "XDG_STATE_HOME")

#: where SQLite's locks cannot be trusted and changes are not noticed; 9p is how WSL sees the drives of Windows
NETWORK_FILE_SYSTEMS = frozenset(
    "9p afs beegfs ceph cifs fuse.ceph fuse.glusterfs fuse.rclone fuse.s3fs fuse.sshfs glusterfs lustre ncpfs nfs nfs4 smb3"
    " smbfs".split()
)

_WINDOWS_USERS = Path("/mnt/c/Users")  # where WSL shows them
_STATE, _HOME = "session-state", ".copilot"
#: beside the root: sessions of CLIs before 0.0.342, in files of another shape (tenequm/pond#206)
OLD_STATE = "history-session-state"


def condition_of(root: Path) -> str:
    """``there``, ``missing``, ``unreadable`` or ``no directory``."""
    try:
        with os.scandir(root):
            return "there"
    except FileNotFoundError:
        return "missing"
    except NotADirectoryError:
        return "no directory"
    except OSError:
        return "unreadable"


def has_old_sessions(root: Path) -> bool:
    """Whether sessions of a CLI before 0.0.342, which had no Fusion, lie beside the root."""
    return os.path.isdir(root.parent / OLD_STATE)  # noqa: PTH112 - says no where it may not look


def other_roots(
    read: Sequence[Path], environment: Mapping[str, str], home: Path, windows_users: Path = _WINDOWS_USERS
) -> list[Path]:
    """Roots that exist on this machine and are not among those ``read``.

    The CLI's default, the place of old CLIs by ``XDG_STATE_HOME``, and the homes of Windows users as seen from WSL: Windows and
    WSL each keep a root of their own (github/copilot-cli#4543).
    """
    homes = [home / _HOME]
    if state_home := environment.get("XDG_STATE_HOME"):
        homes.append(Path(state_home) / _HOME)
    homes += [user / _HOME for user in _listing(windows_users)]
    known = {os.path.realpath(path) for path in read}
    found = {os.path.realpath(each / _STATE): each / _STATE for each in homes if os.path.isdir(each / _STATE)}  # noqa: PTH112
    return [path for real, path in found.items() if real not in known]


def _listing(directory: Path) -> list[Path]:
    try:
        return sorted(directory.iterdir())
    except OSError:
        return []


def file_system(path: Path, mounts: str | None = None) -> str | None:
    """The kind of file system that ``path`` is on or would be made on; ``None`` where the system does not tell.

    ``mounts`` is the text of ``/proc/mounts`` (Linux), by default this machine's. See proc_pid_mounts(5), fstab(5).
    """
    if mounts is None:
        mounts = _read(Path("/proc/mounts"))
    real = Path(os.path.realpath(path))
    longest, kind = -1, None
    for line in (mounts or "").splitlines():
        _, place, type_, *_ = [*line.split(" "), "", "", ""]
        point = Path(re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), place))
        if real.is_relative_to(point) and len(point.parts) >= longest and type_:  # what is mounted later lies on top
            longest, kind = len(point.parts), type_
    return kind


def watch_limit(told: Path = Path("/proc/sys/fs/inotify/max_user_watches")) -> int | None:
    """How many directories one user may watch (Linux, inotify(7)); ``None`` where there is no such limit."""
    text = _read(told)
    return int(text) if text and text.strip().isdecimal() else None


def directories_below(roots: Iterable[Path]) -> int:
    """How many directories there are to watch."""
    return sum(1 for root in roots if os.path.isdir(root) for _ in os.walk(root))  # noqa: PTH112


def _read(path: Path) -> str | None:
    try:
        return path.read_text(errors="surrogateescape")
    except OSError:
        return None
