"""Very many turns in few bytes: sessions whose logs hold nothing but Fusion events. The same arguments give the same turns.

``python -m bench.many OUT --turns 100000`` writes ``OUT/session-state/<session>/events.jsonl``, about 2 kB a turn, spread
evenly over ``--days`` days up to now.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from bench.log import Json, Log, random_id
from bench.truth import Truth

__all__ = ["turn_events", "write_many"]

_DAY_MS = 86_400_000
_TURNS_A_SESSION = 20
_SMALL, _LARGE = ("m-swift", "m-light", "m-plain"), ("m-deep", "m-grand")

#: pattern -> its legs: kind, scope, whether a large model runs it, credits at most (nano-AIU)
_PATTERNS = {
    "single": [("primary", "root", True, 9_000_000_000)],
    "cascade": [
        ("primary", "root", False, 900_000_000),
        ("judge", "review", True, 3_000_000_000),
        ("repair", "root", True, 12_000_000_000),
    ],
    "critique": [
        ("draft", "root", True, 6_000_000_000),
        ("critic", "review", False, 800_000_000),
        ("critic", "review", True, 2_000_000_000),
        ("revision", "root", True, 7_000_000_000),
    ],
}


def write_many(directory: Path, turns: int, days: int, seed: int = 1) -> list[str]:
    """Write ``turns`` turns below ``directory``; returns the ids of their sessions, oldest first.

    Raises:
        FileExistsError: there are sessions already.
    """
    root = directory / "session-state"
    root.mkdir(parents=True)
    rng, truth = Random(seed), Truth()
    sessions = max(1, turns // _TURNS_A_SESSION)
    begin = time.time_ns() // 10**6 - days * _DAY_MS
    ids = []
    for number in range(sessions):
        home = root / random_id(rng)
        home.mkdir()
        ids.append(home.name)
        with Log(home / "events.jsonl", begin + number * days * _DAY_MS // sessions, rng, truth) as log:
            context = {"repository": f"acme/project-{number % 12}", "branch": "main"}
            log.put("session.start", {"sessionId": home.name, "copilotVersion": "1.0.102", "context": context})
            for _ in range(turns * (number + 1) // sessions - turns * number // sessions):
                for event_type, data, wait_ms in turn_events(f"fusion-{random_id(rng)}", rng):
                    log.put(event_type, data)
                    log.wait(wait_ms)
                log.wait(rng.randint(5_000, 60_000))
            log.put("session.shutdown", {"shutdownType": "routine"})
    return ids


def turn_events(fusion_id: str, rng: Random) -> Iterator[tuple[str, Json, int]]:
    """The events of one turn: type, data, and the milliseconds that pass after each."""
    (pattern,) = rng.choices(list(_PATTERNS), (6, 3, 1))
    small, large = rng.choice(_SMALL), rng.choice(_LARGE)
    verdict = rng.choice(("accept", "reject"))
    legs = _PATTERNS[pattern][: 2 if pattern == "cascade" and verdict == "accept" else None]
    route: Json = {
        "fusionId": fusion_id, "turnId": "0", "contractVersion": 1, "syntheticModel": "asked", "policy": "max",
        "routeSource": "plan", "planVersion": "1", "pattern": pattern, "primaryModel": small, "secondaryModel": large,
        "scores": {"reasoning": 0.5, "codeGen": 0.25}, "routingLatencyMs": rng.randint(80, 600),
        "phasePlan": [{"id": str(n), "role": "solver", "scope": leg[1], "conditional": n == 2} for n, leg in enumerate(legs)],
    }  # fmt: skip
    yield "session.fusion_resolved", route, 200
    spent, took, answer = 0, 0, 0
    for number, (kind, scope, is_large, most) in enumerate(legs):
        nano_aiu, duration_ms = rng.randint(most // 10, most), rng.randint(2_000, 40_000)
        spent, took = spent + nano_aiu, took + duration_ms
        answer = number if scope == "root" else answer
        usage = {"requestCount": 1, "inputTokens": 9_000, "outputTokens": 700, "cachedTokens": 5_000, "totalNanoAiu": nano_aiu}
        leg: Json = {
            "fusionId": fusion_id, "phaseId": f"{fusion_id}:{number}", "phaseKind": kind, "role": kind,
            "conversationScope": scope, "model": large if is_large else small, "status": "succeeded",
            "verdict": verdict if kind == "judge" else None, "durationMs": duration_ms, "usage": usage,
        }  # fmt: skip
        yield "assistant.fusion_phase_completed", leg, duration_ms
    end: Json = {
        "fusionId": fusion_id, "pattern": pattern, "outcome": "completed", "finalSourcePhaseId": f"{fusion_id}:{answer}",
        "finalSourceModel": large, "phaseCount": len(legs), "totalNanoAiu": spent, "durationMs": took + 200,
    }  # fmt: skip
    yield "session.fusion_completed", end, 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Write many turns."""
    parser = argparse.ArgumentParser(prog="python -m bench.many", description=write_many.__doc__)
    parser.add_argument("out", metavar="OUT", type=Path, help="a directory without sessions")
    parser.add_argument("--turns", type=int, default=100_000, help="how many (default: 100,000)")
    parser.add_argument("--days", type=int, default=365, help="over how many days up to now (default: 365)")
    options = parser.parse_args(arguments)
    try:
        sessions = write_many(options.out, options.turns, options.days)
    except FileExistsError as error:
        print(f"{error.filename} is already there; name another directory.", file=sys.stderr)
        return 1
    print(f"{options.turns:,} turns in {len(sessions):,} sessions below {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
