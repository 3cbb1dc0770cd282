"""Single keys of a terminal, as they are pressed and without showing them. The terminal is as it was afterwards."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["REDRAW", "pressed_keys"]

#: Ctrl-L, with which people ask for it; also what comes first after the program was stopped and goes on
REDRAW = "\f"

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
    import signal
    import termios
    import tty
    from types import FrameType

    @contextmanager
    def pressed_keys() -> Iterator[Callable[[float], str]]:
        """Give a function that waits at most so many seconds for a key, and returns it or ``""``; the end of input is q."""
        descriptor = sys.stdin.fileno()
        before = termios.tcgetattr(descriptor)
        went_on = False

        def go_on(number: int, frame: FrameType | None) -> None:
            nonlocal went_on
            tty.setcbreak(descriptor)  # the shell that had the terminal meanwhile left it to its own liking
            went_on = True

        def wait(seconds: float) -> str:
            nonlocal went_on
            ready, _, _ = select.select([descriptor], [], [], seconds)
            if went_on:
                went_on = False
                return REDRAW
            return (os.read(descriptor, 1).decode("ascii", "replace") or "q") if ready else ""

        handled = signal.signal(signal.SIGCONT, go_on)
        try:
            tty.setcbreak(descriptor)
            yield wait
        finally:
            signal.signal(signal.SIGCONT, handled)
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
