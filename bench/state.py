"""A large synthetic state directory, with what a correct reader must find in it; the same arguments give the same bytes.

``python -m bench.state OUT --bytes 9e8 --sessions 400 --seed 1`` writes ``OUT/session-state/<session>/events.jsonl`` and
``workspace.yaml`` beside it, and ``OUT/truth.json``. Every 50th session, the first one too, ends in an open turn and has no
``session.shutdown``. Memory: one pool of text and one line, whatever the size.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

from bench.filler import Filler, log_uniform
from bench.log import TEXT, Json, Log, iso, random_id
from bench.truth import Truth, save_truth
from bench.turns import SYNTHETIC_MODEL, TurnWriter, Usage

__all__ = ["Truth", "write_state"]

_FIRST_MOMENT = 1_788_220_800_000  # 2026-09-01T00:00:00Z, in milliseconds since 1970
_DAYS = 28
_DAY_MS = 86_400_000
_OPEN_EVERY = 50

#: a turn without any long text has about so many bytes
_SMALLEST_TURN = 25_000


def write_state(directory: Path, total_bytes: int, sessions: int, seed: int) -> Truth:
    """Write ``sessions`` sessions of together about ``total_bytes`` bytes below ``directory``.

    The size is met within a few per cent; a session has at least one turn, so many sessions in few bytes give more.

    Raises:
        FileExistsError: there are sessions already, which the truth would not count.
    """
    root = directory / "session-state"
    root.mkdir(parents=True)
    rng, truth = Random(seed), Truth()
    filler = Filler(rng)
    most = max(1, total_bytes // sessions // _SMALLEST_TURN)
    turns = [min(most, rng.randint(5, 20)) for _ in range(sessions)]
    for index in range(sessions):
        budget = (total_bytes - truth.bytes) * turns[index] // sum(turns[index:])
        _write_session(root / random_id(rng), turns[index], budget, index % _OPEN_EVERY == 0, rng, filler, truth)
    save_truth(truth, directory)
    return truth


def _write_session(home: Path, turns: int, budget: int, left_open: bool, rng: Random, filler: Filler, truth: Truth) -> None:
    """Write one session of ``turns`` turns; one ``left_open`` ends in an open turn and without a shutdown."""
    home.mkdir()
    born = _FIRST_MOMENT + rng.randrange(_DAYS * _DAY_MS)
    project = f"project-{rng.randrange(12)}"
    truth.sessions += 1
    with Log(home / "events.jsonl", born, rng, truth) as log:
        log.put("session.start", _start(home.name, born, project))
        log.wait(rng.randint(2_000, 60_000))
        text = filler.text(min(log_uniform(rng, 20_000, 60_000), budget // 4))
        log.put("system.message", {"role": "system", "content": TEXT, "interactionId": random_id(rng)}, text)
        taken: dict[str, Usage] = {}
        for number in range(turns):
            share = max(0, budget - log.size) // (turns - number)
            ends = not (left_open and number == turns - 1)
            for model, usage in TurnWriter(log, rng, filler, truth).write(share, ends=ends).items():
                taken[model] = taken.get(model, Usage()).plus(usage)
            log.wait(rng.randint(5_000, 600_000) if ends else 0)
        if not left_open:
            log.put("session.shutdown", _shutdown(taken, born, log, turns))
        ended = log.now
    (home / "workspace.yaml").write_text(
        f"id: {home.name}\ncwd: /home/dev/src/{project}\nclient_name: github/cli\nname: synthetic\nuser_named: false\n"
        f"created_at: {iso(born)}\nupdated_at: {iso(ended)}\n"
    )


def _start(session_id: str, at: int, project: str) -> Json:
    where = f"/home/dev/src/{project}"
    return {
        "sessionId": session_id, "version": 1, "producer": "copilot-agent", "copilotVersion": "1.0.102", "startTime": iso(at),
        "selectedModel": SYNTHETIC_MODEL, "contextTier": None,
        "context": {"cwd": where, "gitRoot": where, "branch": "main", "repository": f"acme/{project}", "hostType": "github"},
        "alreadyInUse": False, "remoteSteerable": False,
    }  # fmt: skip


def _shutdown(taken: dict[str, Usage], born: int, log: Log, turns: int) -> Json:
    metrics = {
        model: {
            "requests": {"count": usage.requests, "cost": 0},
            "usage": {
                "inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens,
                "cacheReadTokens": usage.cached_tokens, "cacheWriteTokens": usage.cache_write_tokens, "reasoningTokens": 0,
            },
            "totalNanoAiu": usage.nano_aiu,
        }
        for model, usage in taken.items()
    }  # fmt: skip
    return {
        "shutdownType": "routine", "totalPremiumRequests": turns, "totalNanoAiu": sum(each.nano_aiu for each in taken.values()),
        "totalApiDurationMs": log.now - born, "sessionStartTime": born, "eventsFileSizeBytes": log.size,
        "codeChanges": {"linesAdded": 0, "linesRemoved": 0, "filesModified": []}, "modelMetrics": metrics,
        "currentModel": SYNTHETIC_MODEL, "currentTokens": 9_887, "systemTokens": 4_420, "conversationTokens": 100,
        "toolDefinitionsTokens": 5_367,
    }  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Write a state and print its truth."""
    parser = argparse.ArgumentParser(prog="python -m bench.state", description=write_state.__doc__)
    parser.add_argument("out", metavar="OUT", type=Path, help="a directory without sessions")
    parser.add_argument("--bytes", type=float, default=1.1e9, help="size of all logs together (default: 1.1e9)")
    parser.add_argument("--sessions", type=int, default=400, help="how many (default: 400)")
    parser.add_argument("--seed", type=int, default=1, help="default: 1")
    options = parser.parse_args(arguments)
    try:
        truth = write_state(options.out, int(options.bytes), options.sessions, options.seed)
    except FileExistsError as error:
        print(f"{error.filename} is already there; name another directory.", file=sys.stderr)
        return 1
    print(json.dumps(vars(truth)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
