"""Time, as the sender sees it: in one place, so that a test can give another."""

from __future__ import annotations

import threading
import time

__all__ = ["Clock"]


class Clock:
    """The clocks of this machine."""

    def now(self) -> int:
        """The moment (ms), to be kept; it may jump."""
        return time.time_ns() // 1_000_000

    def steady(self) -> float:
        """Seconds since some time ago, to wait by; it never jumps."""
        return time.monotonic()

    def wait(self, event: threading.Event, seconds: float) -> None:
        """Wait until ``event`` is set, but no longer than ``seconds``."""
        event.wait(seconds)
