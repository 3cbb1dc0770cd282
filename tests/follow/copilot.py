"""A model of one Copilot CLI process: what it remembers of its session, and what it does to the session's log.

Written after what the real one was seen to do (log-format.md, section 2; O1 to O26): whole lines in batches, each batch one
``write()`` to a file that is opened for it; a temporary file and a rename for a rewind and for a repair; numbers are written
anew then (``0.0`` becomes ``0``), so a line that is kept may change its length but never its id.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from tests.logs import CREDIT, Log

__all__ = ["Clock", "Copilot", "whole_lines"]

_TIMESTAMP = b'"timestamp":"'
_ZERO_FRACTION = re.compile(rb'(":-?\d+)\.0(?=[,}])')


class Clock:
    """The one clock of a world, which can be set back; ``order`` knows better: the ids of events as they came about."""

    def __init__(self) -> None:
        self.now = datetime.fromisoformat("2026-11-30T10:00:00")
        self.went_back = False
        self.order: dict[str, int] = {}

    def stamp(self, line: bytes, seconds: float) -> bytes:
        """The same event, happening ``seconds`` from now."""
        self.now += timedelta(seconds=seconds)
        self.order[json.loads(line)["id"]] = len(self.order)
        at = line.rindex(_TIMESTAMP) + len(_TIMESTAMP)
        return line[:at] + self.now.isoformat(timespec="milliseconds").encode() + line[at + 23 :]

    def jump(self, seconds: float) -> None:
        """Go ``seconds`` on, or back."""
        self.now += timedelta(seconds=seconds)
        self.went_back |= seconds < 0


class Copilot:
    """A running CLI that has the session of ``directory`` open; ``name`` is that of the process.

    ``memory``: the lines it believes its log to hold. ``queue``: those of the prompt it is at, still to happen. ``inherited``:
    those of the session it was forked from, still to be written. ``torn``: the rest of a line of which a part was written.
    """

    def __init__(self, name: str, directory: Path, rng: random.Random, clock: Clock) -> None:
        self.name = name
        self.directory = directory
        self.memory: list[bytes] = []
        self.queue: list[bytes] = []
        self.inherited: list[bytes] = []
        self.torn = b""
        self._log = Log(name)  # makes the lines; its name makes their ids
        self._rng = rng
        self._clock = clock
        self._prompts = 0

    @property
    def path(self) -> Path:
        """The log."""
        return self.directory / "events.jsonl"

    def think(self, make: Callable[[Log], object]) -> None:
        """Queue the lines that ``make`` appends to a log."""
        before = len(self._log.lines)
        make(self._log)
        self.queue += self._log.lines[before:]

    def prompt(self) -> str:
        """Begin to answer a prompt; returns the id of the turn."""
        self._prompts += 1
        fusion_id = f"{self.name}-t{self._prompts}"
        self.think(lambda log: _turn(self._rng, log, fusion_id))
        return fusion_id

    def write(self, lines: int) -> None:
        """Let so many of the queued events happen and write them, all in one go; first the rest of a torn one."""
        data, self.torn = self.torn, b""
        self._append(data + b"".join(self._next() for _ in range(min(lines, len(self.inherited) + len(self.queue)))))

    def tear(self) -> None:
        """Write a part of the next line: the disk is full, or the poll comes in between."""
        line = self._next()
        cut = self._rng.choice([1, 9, 12, len(line) // 2, len(line) - 2, len(line) - 1, self._rng.randrange(1, len(line))])
        self._append(line[:cut])
        self.torn = line[cut:]

    def lose(self) -> None:
        """The next event happens, and the disk is too full for it."""
        self._next()

    def glue(self) -> None:
        """Go on after a torn line as if it were whole, without a line end in between (github/copilot-cli#4098)."""
        self.torn = b""
        self.write(1)

    def rewind(self) -> int:
        """Go back to before one of the prompts; returns how many lines are left. What was written later is gone from disk."""
        prompts = [n for n, line in enumerate(self.memory) if line.startswith(b'{"type":"user.message"')]
        keep = self._rng.choice(prompts) if prompts else len(self.memory)
        self.queue, self.inherited, self.torn = [], [], b""
        self.memory = [_written_anew(line) for line in self.memory[:keep]]
        self.replace(b"".join(self.memory))
        self.think(lambda log: log.event("session.info", infoType="rewind", message="x"))
        if self._rng.random() < 0.8:
            self.write(1)
        return keep

    def fork(self, name: str, directory: Path) -> Copilot:
        """Another process with a copy of this session, ids and all, but a beginning of its own; nothing is written yet."""
        child = Copilot(name, directory, self._rng, self._clock)
        child.inherited = [_written_anew(line) for line in self.memory]
        child.think(lambda log: log.start(sessionId=directory.name, copilotVersion="1.0.102"))
        own = self._clock.stamp(child.queue.pop(), 1)
        if child.inherited[0].startswith(b'{"type":"session.start"'):
            record = json.loads(own) | {"id": json.loads(child.inherited[0])["id"]}
            child.inherited[0] = json.dumps(record, separators=(",", ":")).encode() + b"\n"
        for process in (self, child):
            process.think(lambda log: log.event("session.info", infoType="fork", message="x"))
        child.think(Log.resume)
        return child

    def repair(self) -> bool:
        """Read the log as a resume does: without what is damaged, which is then gone from disk. Whether it could be read."""
        content = self.path.read_bytes()
        self.memory, damaged = whole_lines(content)
        if damaged:
            if self._rng.random() < 0.5:  # CLI 1.0.102
                self.path.with_name(f"events.jsonl.backup-before-recovery-{self.name}").write_bytes(content)
            self.replace(b"".join(self.memory))
        self.think(Log.resume)
        return bool(self.memory)

    def replace(self, content: bytes) -> None:
        """Put another file in the place of the log."""
        self.directory.mkdir(parents=True, exist_ok=True)
        temporary = self.path.with_name(f"events.jsonl.tmp.{self.name}")
        temporary.write_bytes(content)
        temporary.replace(self.path)

    def _next(self) -> bytes:
        if self.inherited:
            line = self.inherited.pop(0)
        else:
            line = self.queue.pop(0)
            fast = b"phase" not in line[:40] and self._rng.random() < 0.5
            line = self._clock.stamp(line, 0 if fast else self._rng.choice([0.25, 1.0]))
        self.memory.append(line)
        return line

    def _append(self, data: bytes) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab", buffering=0) as file:
            file.write(data)


def whole_lines(content: bytes) -> tuple[list[bytes], bool]:
    """The lines of a log that can be used, and whether there is anything else in it."""
    lines = [line + b"\n" for line in content.split(b"\n") if line]
    good = [line for line in lines if _is_record(line)]
    if good and not content.endswith(b"\n") and good[-1] == lines[-1]:
        return good[:-1], True
    return good, good != lines


def _is_record(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _written_anew(line: bytes) -> bytes:
    return _ZERO_FRACTION.sub(rb"\1", line)


def _turn(rng: random.Random, log: Log, fusion_id: str) -> None:
    """The lines of one prompt and its answer, in one of the ways a turn can go."""

    def money() -> int:
        return rng.choice([0, 1, rng.randrange(12 * CREDIT)])

    def leg(n: int, kind: str, model: str, verdict: str | None = None, failed: bool = False) -> None:
        amount = money()
        usage = {"requestCount": 1, "inputTokens": 100.0, "outputTokens": 10, "cachedTokens": 0, "totalNanoAiu": float(amount)}
        data = {"usage": usage, "envelope": envelope, "content": "word " * rng.choice([0, 1, 40])}
        if failed:
            log.leg_failed(fusion_id, n, kind, model, amount, **data)
        else:
            log.leg(fusion_id, n, kind, model, amount, verdict, **data)
        if rng.random() < 0.2:
            tied = {"fusionId": fusion_id, "phaseId": f"{fusion_id}:p{n}"} | ({"hasUserSteering": True} if amount % 2 else {})
            call = rng.choice(["c1", "c2", f"call {n}"])
            log.event("tool.execution_start", toolCallId=call, toolName="bash", fusion=tied, envelope=envelope)
            log.event("assistant.message", interactionId=fusion_id, model=model, fusion=tied, content="x", envelope=envelope)
            log.event("tool.execution_complete", toolCallId=call, success=bool(n), result="x" * 200, fusion=tied)
        if rng.random() < 0.3:
            log.event("assistant.message", content="".join(rng.choices("é\u2028 abc{}", k=rng.choice([3, 90, 900]))))

    if rng.random() < 0.3:
        _ordinary_turn(rng, log)
    way = rng.choice(["accepted", "rejected", "critique", "degraded", "no route", "retried", "no end", "goes on", "agent"])
    envelope = {"agentId": f"ag-{rng.randrange(2)}"} if way == "agent" else {}
    log.user()
    if way == "no route":
        log.route_failed(fusion_id)
        return
    log.resolved(fusion_id, "critique" if way == "critique" else "cascade", envelope=envelope)
    last = 0
    if way == "critique":
        for n, kind in enumerate(["draft", *["critic"] * rng.choice([1, 3]), "revision"]):
            leg(n, kind, "m-small" if kind != "critic" else "m-big")
            last = n
    elif way in ("degraded", "retried"):
        leg(0, "primary", "m-small", failed=True)
        log.event("tool.execution_start", toolCallId="c", arguments={"type": "session.fusion_completed", "x": fusion_id})
        last = 0 if way == "retried" else 1
        leg(last, "primary", "m-big")
    else:
        leg(0, "primary", "m-small")
        leg(1, "judge", "m-big", "accept" if way == "accepted" else "reject")
        if way != "accepted":
            log.handoff(fusion_id, 1, 2, "m-big")
            leg(2, "repair", "m-big")
            last = 2
    if way == "no end":
        return
    log.commit(fusion_id, last, "m-big")
    log.completed(fusion_id, last, "m-big", degradedReason="primary_failed" if way == "degraded" else None, envelope=envelope)
    if way == "goes on":
        leg(last + 1, "follow_up", "m-late")
        log.completed(fusion_id, last + 1, "m-late", envelope=envelope)
    if rng.random() < 0.2:
        log.event(rng.choice(["session.fusion_debated", "assistant.turn_end"]), turnId="0")


def _ordinary_turn(rng: random.Random, log: Log) -> None:
    """The lines of one prompt and its answer by one model, and perhaps what the CLI does on its own."""
    interaction = f"i-{rng.randrange(10**9)}"
    log.event("user.message", content="go", interactionId=interaction)
    for n in range(rng.choice([1, 2])):
        call = f"{interaction}-{n}"
        if rng.random() < 0.5:
            usage = {"model": "m-one", "inputTokens": 7, "apiCallId": call, "copilotUsage": {"totalNanoAiu": rng.randrange(99)}}
            log.event("session.usage_record", usage=usage)
        log.event("assistant.message", model="m-one", interactionId=interaction, apiCallId=call, content="é\u2028 " * 9)
        log.event("tool.execution_start", toolCallId=call, toolName="bash", arguments={"x": "y" * 50})
        log.event("tool.execution_complete", toolCallId=call, interactionId=interaction, success=n == 0, result="z" * 300)
    if rng.random() < 0.2:
        log.event("session.compaction_complete", success=True, compactionTokensUsed={"model": "m-one", "inputTokens": 5})
