"""A world of sessions on a real file system: what CLI processes, people, backups and full disks do to the logs."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.follow.copilot import Clock, Copilot
from tests.follow.oracle import Key
from tests.logs import Log

__all__ = ["World"]

_MOST_SESSIONS = 5


class World:
    """Session directories below two roots, and the processes that write them.

    ``step`` lets one thing happen, chosen by ``rng``; ``journal`` tells what happened.
    """

    def __init__(self, directory: Path, rng: random.Random) -> None:
        self.roots = [directory / "home" / "session-state", directory / "other home" / "session-state"]
        for root in self.roots:
            root.mkdir(parents=True)
        self.journal: list[str] = []
        self._elsewhere = directory / "elsewhere"
        self._elsewhere.mkdir()
        self._rng = rng
        self.clock = Clock()
        self._running: list[Copilot] = []
        self._half_a_fork: Copilot | None = None
        self._away: list[tuple[Path, Path]] = []
        self._backups: list[tuple[Path, Path]] = []
        self._names = 0
        self._faults = 0
        self._nul_runs: dict[int, int] = {}
        self._happenings: list[tuple[Callable[[], str], int]] = [
            (self._start, 4), (self._write, 30), (self._prompt_and_write, 12), (self._tear, 8), (self._glue, 4),
            (self._end, 3), (self._shutdown, 3), (self._resume, 8), (self._rewind, 5), (self._rewind_and_grow, 4),
            (self._fork, 4), (self._copytruncate, 2), (self._delete_session, 2), (self._delete_log, 2),
            (self._nul_bytes, 2), (self._nul_bytes_and_on, 1), (self._garbage, 2), (self._back_up, 3), (self._restore, 3),
            (self._link, 1), (self._copy, 2), (self._move_away, 2), (self._move_back, 3),
            (self._clock_jumps, 1), (self._shrink_by_hand, 1), (self._odd_things, 1),
        ]  # fmt: skip

    def step(self) -> None:
        """Let one thing happen."""
        if self._half_a_fork:  # a poll may come in between, nothing else
            self._half_a_fork.write(len(self._half_a_fork.inherited))
            self._half_a_fork = None
        happenings, weights = zip(*self._happenings, strict=True)
        happening = self._rng.choices(happenings, weights)[0]
        self.journal.append(f"{happening.__name__.strip('_')} {happening()}")

    def visible(self) -> dict[Key, bytes]:
        """What a reader can see: of several names of one file in a root, the first."""
        found: dict[Key, bytes] = {}
        for n, root in enumerate(self.roots):
            files = set()
            for log in sorted(root.glob("*/events.jsonl")):
                if log.is_file() and log.stat().st_ino not in files:
                    files.add(log.stat().st_ino)
                    found[n, log.parent.name] = log.read_bytes()
        return found

    def path(self, key: Key) -> Path:
        """The place of a log."""
        root, session_id = key
        return self.roots[root] / session_id / "events.jsonl"

    def listing(self) -> list[tuple[str, int, int, int, int, int]]:
        """Every name below the roots, with what changes when somebody touches it."""
        found = []
        for root in self.roots:
            for directory, directories, files in os.walk(root):
                for name in (".", *directories, *files):
                    path = f"{directory}/{name}"
                    status = os.lstat(path)
                    times = status.st_mtime_ns, status.st_ctime_ns
                    found.append((path, status.st_ino, status.st_mode, status.st_size, *times))
        return sorted(found)

    def write_on(self) -> None:
        """Let one of the processes write what it has to write."""
        if self._running:
            self.journal.append(f"write {self._write()}")

    @contextmanager
    def without(self, root: Path) -> Iterator[None]:
        """While this lasts, ``root`` is not there."""
        root.rename(self._elsewhere / "root")
        yield
        (self._elsewhere / "root").rename(root)

    def _start(self) -> str:
        if len(list(self.roots[0].iterdir())) >= _MOST_SESSIONS:
            return self._write() if self._running else "-"
        name = self._name("s")
        process = Copilot(name, self.roots[0] / Log(name).session_id, self._rng, self.clock)
        self._running.append(process)
        process.think(lambda log: log.start(sessionId=process.directory.name))
        process.prompt()
        process.write(self._rng.choice([1, 3, 99]))
        return name

    def _write(self) -> str:
        process = self._process()
        if not process:
            return self._resume()
        if not process.queue:
            process.prompt()
        process.write(self._rng.choice([1, 1, 2, 3, 5]))
        return process.name

    def _prompt_and_write(self) -> str:
        process = self._process()
        if not process:
            return self._resume()
        process.prompt()
        process.write(99)
        return process.name

    def _tear(self) -> str:
        process = self._process()
        if not process or process.torn or not _ends_whole(process.path) or process.path.stat().st_nlink > 1:
            return "-"
        self._only(process)
        if not process.queue:
            process.prompt()
        process.tear()
        return process.name

    def _glue(self) -> str:
        process = next((process for process in self._running if process.torn), None)
        while process and process.queue:
            if b".fusion_" in process.queue[0][:40] and process.path.is_file():
                process.glue()
                return process.name
            process.lose()
        return "-"

    def _end(self) -> str:
        """Kill -9, or `/new`: nothing more is written."""
        process = self._process()
        if not process:
            return "-"
        self._running.remove(process)
        return process.name

    def _shutdown(self) -> str:
        process = self._process()
        if not process or process.torn:
            return "-"
        process.think(Log.shutdown)
        process.write(99)
        self._running.remove(process)
        return process.name

    def _resume(self) -> str:
        """A new process for a session, also one that another process still has open (two writers)."""
        logs = [path for root in self.roots for path in root.glob("*/events.jsonl") if path.is_file()]
        if not logs:
            return self._start() if len(self._running) < 2 else "-"
        log = self._rng.choice(sorted(logs))
        process = Copilot(self._name("r"), log.parent, self._rng, self.clock)
        if self._rng.random() < 0.75 or any(other.torn for other in self._running):
            self._only(process)
        if process.repair():
            self._running.append(process)
            if self._rng.random() < 0.9:
                process.write(1)
        return f"{process.name} of {log.parent.name}"

    def _rewind(self) -> str:
        process = self._process()
        if not process or not process.memory:
            return "-"
        return f"{process.name} to {process.rewind()} lines"

    def _rewind_and_grow(self) -> str:
        process = self._process()
        if not process or not process.memory:
            return "-"
        kept = process.rewind()
        for _ in range(self._rng.choice([1, 2, 3])):
            process.prompt()
        process.write(99)
        return f"{process.name} to {kept} lines"

    def _fork(self) -> str:
        parent = self._process()
        if not parent or not parent.memory or len(list(self.roots[0].iterdir())) >= _MOST_SESSIONS:
            return "-"
        name = self._name("f")
        child = parent.fork(name, self.roots[0] / Log(name).session_id)
        self._running.append(child)
        child.write(len(child.inherited) // 2 + 1)
        self._half_a_fork = child
        return f"{parent.name} gives {name}"

    def _copytruncate(self) -> str:
        log = self._log()
        if not log:
            return "-"
        shutil.copy2(log, log.with_name("events.jsonl.1"))
        os.truncate(log, 0)
        return log.parent.name

    def _delete_session(self) -> str:
        log = self._log()
        if not log:
            return "-"
        shutil.rmtree(log.parent)
        return log.parent.name

    def _delete_log(self) -> str:
        log = self._log()
        if not log:
            return "-"
        log.unlink()
        return log.parent.name

    def _nul_bytes(self) -> str:
        """The power goes, perhaps in the middle of a line: nobody writes until the session is resumed."""
        log = self._log()
        if not log or log.read_bytes().endswith(b"\0"):
            return "-"
        self._running = [process for process in self._running if process.directory != log.parent]
        self._nuls(log)
        return log.parent.name

    def _nul_bytes_and_on(self) -> str:
        """The power goes, and the next process writes on behind it."""
        process = self._process()
        if not process or not _ends_whole(process.path):
            return "-"
        process.prompt()
        self._nuls(process.path)
        if self._rng.random() < 0.5:
            process.write(1)
        return process.name

    def _garbage(self) -> str:
        process = self._process()
        if not process or not _ends_whole(process.path):
            return "-"
        fault = self._fault()
        self._append(process.path, self._rng.choice([b"garbage %d\n", b'"%d"\n', b'{"type":"session.fusion_comp%d\n']) % fault)
        return process.name

    def _back_up(self) -> str:
        log = self._log()
        if not log or not _ends_whole(log):
            return "-"
        copy = self._elsewhere / self._name("backup")
        shutil.copy2(log, copy)
        self._backups.append((copy, log))
        return log.parent.name

    def _restore(self) -> str:
        """An old copy comes back with the time it had, in place or as a new file."""
        if not self._backups:
            return self._back_up()
        copy, log = self._rng.choice(self._backups)
        log.parent.mkdir(parents=True, exist_ok=True)
        if self._rng.random() < 0.5:
            log.unlink(missing_ok=True)
        shutil.copy2(copy, log)
        return f"{copy.name} of {log.parent.name}"

    def _link(self) -> str:
        """A hard-link backup, in a session directory of its own or beside the log."""
        log = self._log()
        if not log:
            return "-"
        other = log.parents[1] / Log(self._name("link")).session_id / log.name
        if self._rng.random() < 0.3:
            other = log.with_name(f"{self._name('link')}.jsonl")
        other.parent.mkdir(exist_ok=True)
        os.link(log, other)
        return f"{log.parent.name} as {other.parent.name}/{other.name}"

    def _copy(self) -> str:
        """A copy of a session directory below the other root."""
        log = self._log()
        if not log:
            return "-"
        target = self._rng.choice(self.roots) / self._rng.choice([log.parent.name, Log(self._name("copy")).session_id])
        if target.exists():
            return "-"
        shutil.copytree(log.parent, target, symlinks=True)
        return f"{log.parent.name} to {target.parents[1].name}/{target.name}"

    def _move_away(self) -> str:
        log = self._log()
        if not log:
            return "-"
        target = self._elsewhere / self._name("moved")
        log.parent.rename(target)
        self._away.append((target, log.parent))
        return log.parent.name

    def _move_back(self) -> str:
        """It comes back as it was, or with turns that were added there; what has taken its place has to go."""
        if not self._away:
            return self._move_away()
        moved, home = self._away.pop(self._rng.randrange(len(self._away)))
        if self._rng.random() < 0.5 and _ends_whole(moved / "events.jsonl"):
            process = Copilot(self._name("away"), moved, self._rng, self.clock)
            process.prompt()
            process.write(99)
        if home.exists():
            shutil.rmtree(home)
        moved.rename(home)
        return home.name

    def _clock_jumps(self) -> str:
        seconds = self._rng.choice([-7_200, -30, 86_400])
        self.clock.jump(seconds)
        return f"by {seconds} s"

    def _shrink_by_hand(self) -> str:
        """Somebody cuts the oldest part out of a log, ids kept."""
        log = self._log()
        if not log:
            return "-"
        content = log.read_bytes()
        start = content.find(b"\n", self._rng.randrange(len(content) // 2 + 1)) + 1
        log.write_bytes(content[start:])
        return f"{log.parent.name} by {start} bytes"

    def _odd_things(self) -> str:
        """What stands beside sessions and is none."""
        name = self._name("odd")
        root = self._rng.choice(self.roots)
        (root / ".session-operation-locks").mkdir(exist_ok=True)
        (root / name).write_bytes(b"")
        if log := self._log():
            shutil.copy2(log, log.with_name("events.jsonl.tmp.0"))
            (log.parent / name).symlink_to(root)
        return name

    def _only(self, process: Copilot) -> None:
        """End all other processes that have the same session open."""
        self._running = [one for one in self._running if one is process or one.directory != process.directory]

    def _process(self) -> Copilot | None:
        return self._rng.choice(self._running) if self._running else None

    def _log(self) -> Path | None:
        logs = sorted(path for path in self.roots[0].glob("*/events.jsonl") if path.is_file())
        return self._rng.choice(logs) if logs else None

    def _name(self, kind: str) -> str:
        self._names += 1
        return f"{kind}{self._names}"

    def _nuls(self, log: Path) -> None:
        """As many NUL bytes as there were the last time the same bytes stood before them: the same fault, not a new one."""
        before = hash(log.read_bytes())
        self._append(log, b"\0" * self._nul_runs.setdefault(before, self._fault()))

    def _fault(self) -> int:
        """A number that no other fault has, so that each can be told from all others."""
        self._faults += 1
        return 90 + self._faults

    @staticmethod
    def _append(log: Path, data: bytes) -> None:
        with log.open("ab") as file:
            file.write(data)


def _ends_whole(log: Path) -> bool:
    return log.is_file() and log.read_bytes()[-1:] in (b"", b"\n")
