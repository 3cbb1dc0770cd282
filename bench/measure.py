"""Running a command as a process of its own, and what it took."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

__all__ = ["PROJECT", "Run", "measured", "medians", "own_peak_bytes", "printed"]

#: the folder of this checkout, where ``-m fusionscope`` and ``-m bench`` are found
PROJECT = Path(__file__).resolve().parents[1]

_PEAK_UNIT = 1 if sys.platform == "darwin" else 1_024  # bytes in one unit of ru_maxrss


class Run(NamedTuple):
    """What one command took: seconds on the clock, seconds of processor time (user and system), bytes of memory at its peak.

    The kernel counts the memory of the process that started a command to the command's peak, so a peak is never below
    ``own_peak_bytes()``.
    """

    wall_s: float
    cpu_s: float
    peak_bytes: float


def measured(command: Sequence[str], environment: Mapping[str, str], to_null: bool = False) -> Run:
    """Run ``command`` once. Its output goes to a file, as some programs do less for ``/dev/null``, or there if asked to.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    with _output(to_null) as output:
        before = time.perf_counter()
        process = subprocess.Popen(command, env=environment, cwd=PROJECT, stdin=subprocess.DEVNULL, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - before
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Run(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * _PEAK_UNIT)


def _output(to_null: bool) -> IO[bytes]:
    return open(os.devnull, "wb") if to_null else tempfile.TemporaryFile()


def printed(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """What ``command`` prints. Raises ``subprocess.CalledProcessError`` when it fails."""
    return subprocess.run(command, env=environment, cwd=PROJECT, stdout=subprocess.PIPE, check=True, text=True).stdout


def medians(runs: Sequence[Run]) -> Run:
    """The median of each figure over several runs of one command."""
    return Run._make(map(statistics.median, zip(*runs, strict=True)))


def own_peak_bytes() -> int:
    """The peak of this process."""
    import resource  # not on Windows, where the medians can be tested all the same

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _PEAK_UNIT
