"""Single keys of a terminal, as they are pressed and without showing them. The terminal is as it was afterwards."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["pressed_keys"]

_LOOK_S = 0.05

if sys.platform == "win32":
    import msvcrt

    @contextmanager
    def pressed_keys() -> Iterator[Callable[[float], str]]:
        """Give a function that waits at most so many seconds for a key, and returns it or ``""``."""

        def wait(seconds: float) -> str:
            deadline = time.monotonic() + seconds
            while not msvcrt.kbhit():
                if time.monotonic() > deadline:
                    return ""
                time.sleep(_LOOK_S)
            return msvcrt.getwch()

        yield wait

else:
    import os
    import select
    import termios
    import tty

    @contextmanager
    def pressed_keys() -> Iterator[Callable[[float], str]]:
        """Give a function that waits at most so many seconds for a key, and returns it or ``""``; the end of input is q."""
        descriptor = sys.stdin.fileno()
        before = termios.tcgetattr(descriptor)

        def wait(seconds: float) -> str:
            ready, _, _ = select.select([descriptor], [], [], seconds)
            return (os.read(descriptor, 1).decode("ascii", "replace") or "q") if ready else ""

        try:
            tty.setcbreak(descriptor)
            yield wait
        finally:
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
