"""Noticing at once that something was written, where the platform can tell.

Only a hint: what is never noticed here (Docker bind mounts, NFS, too many directories for inotify) is found by looking.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from watchfiles import Change, watch

from fusionscope.ingest.find import LOG_NAME, Root

__all__ = ["Notices"]

#: changes within so many ms are told together, a stream of them at least this often (ms)
_STEP_MS, _DEBOUNCE_MS = 50, 150
#: how often to see whether a root has been made, or made anew (s)
_LOOK_AT_ROOTS_S = 5.0


class Notices:
    """Watches the roots in a thread of its own. ``say`` is told once when that is not possible."""

    def __init__(self, roots: Sequence[Root], say: Callable[[str], None]) -> None:
        self._roots = [root.path for root in roots]
        self._say = say
        self._stop = threading.Event()
        self._noticed = threading.Condition()
        self._paths: set[bytes] = set()
        self._look_everywhere = False
        self._thread = threading.Thread(target=self._run, name="notices", daemon=True)
        self.available = True

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """End watching, and whoever waits."""
        self._stop.set()
        self.wake()

    def wake(self) -> None:
        """End the wait of ``wait``."""
        with self._noticed:
            self._noticed.notify_all()

    def give_up(self, why: str) -> None:
        """Say, once, that notices are not to be relied on here."""
        if self.available:
            self.available = False
            self._say(
                f"Changes of the logs are not noticed at once here ({why}): looking instead, every second at those in use,"
                " every 5 seconds at the others."
            )

    def wait(self, seconds: float) -> tuple[set[bytes], bool]:
        """Wait for a notice, at most ``seconds``. Returns the logs that changed, and whether there are new directories."""
        with self._noticed:
            if not self._paths and not self._look_everywhere:
                self._noticed.wait(seconds)
            noticed = self._paths, self._look_everywhere
            self._paths, self._look_everywhere = set(), False
            return noticed

    def _run(self) -> None:
        while not self._stop.is_set():
            present = [root for root in self._roots if os.path.isdir(root)]  # noqa: PTH112 - says no where it may not look
            if not present:
                self._stop.wait(_LOOK_AT_ROOTS_S)
                continue
            try:
                self._watch(present)
            except (OSError, RuntimeError) as error:
                self.give_up(str(error))
                return

    def _watch(self, present: Sequence[Path]) -> None:
        """Watch until a root comes, goes, or is another directory than before."""
        identities = [_identity(root) for root in self._roots]
        for changes in watch(
            *present,
            watch_filter=self._matters,
            debounce=_DEBOUNCE_MS,
            step=_STEP_MS,
            stop_event=self._stop,
            rust_timeout=int(_LOOK_AT_ROOTS_S * 1_000),
            yield_on_timeout=True,
            raise_interrupt=False,
            force_polling=False,
            ignore_permission_denied=True,
        ):
            self._tell([os.fsencode(path) for _, path in changes])
            if [_identity(root) for root in self._roots] != identities:
                with self._noticed:
                    self._look_everywhere = True
                return

    def _matters(self, change: Change, path: str) -> bool:
        directory, name = os.path.split(path)
        return name == os.fsdecode(LOG_NAME) or Path(directory) in self._roots

    def _tell(self, paths: Sequence[bytes]) -> None:
        logs = {path for path in paths if os.path.basename(path) == LOG_NAME}  # noqa: PTH119 - bytes
        with self._noticed:
            self._paths |= logs
            self._look_everywhere |= len(logs) < len(set(paths))
            if paths:
                self._noticed.notify_all()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
