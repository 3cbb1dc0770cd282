"""A follower that is killed again and again at any moment loses nothing and doubles nothing.

``make kill`` does it 200 times.
"""

from __future__ import annotations

import os
import random
import threading
import time

from fusionscope import ids
from tests.conftest import Stage
from tests.daemon import Daemon
from tests.export.receiver import Receiver
from tests.follow.live import until
from tests.logs import CREDIT, Log, place

KILLS = int(os.environ.get("FUSIONSCOPE_KILLS", "12"))
SEED = int(os.environ.get("FUSIONSCOPE_KILL_SEED", str(time.time_ns() % 10**6)))
TURNS = 100
#: so that some kills come before the first look and some after everything was sent (s)
LONGEST_LIFE = 1.2


def _write_slowly(stage: Stage, rng: random.Random, pause: float, done: threading.Event) -> None:
    """Write 100 turns in four sessions, in pieces that end anywhere, also inside a line."""
    logs = [Log(f"s{n}") for n in range(4)]
    paths = [place(stage.root, b"", log.session_id) for log in logs]
    for n in range(TURNS):
        log = logs[n % 4]
        log.lines.clear()
        content = bytes(log.turn(f"f{n}"))
        cut = rng.randrange(len(content))
        for piece in (content[:cut], content[cut:]):
            with paths[n % 4].open("ab") as file:
                file.write(piece)
            time.sleep(rng.uniform(0, pause))
    done.set()


def test_kills_at_random_moments_lose_nothing_and_double_nothing(stage: Stage) -> None:
    rng = random.Random(SEED)
    done = threading.Event()
    pause = KILLS * LONGEST_LIFE / 2 / TURNS
    writer = threading.Thread(target=_write_slowly, args=(stage, random.Random(SEED + 1), pause, done))
    with Receiver() as receiver:
        writer.start()
        for _ in range(KILLS):
            daemon = Daemon(stage, "--otlp", receiver.url)
            time.sleep(rng.uniform(0, LONGEST_LIFE))
            daemon.kill()
        writer.join()
        with Daemon(stage, "--otlp", receiver.url):
            until(lambda: len({span.span_id for span in receiver.spans}) >= 4 * TURNS)
            until(lambda: stage.connection.execute("SELECT count(*) FROM outbox").fetchone() == (0,))
        received = {span.span_id.hex() for span in receiver.spans}
    turns = stage.turns()
    roots = [f"{ids.root_span_id(turn.fusion_id):016x}" for turn in turns]
    legs = [f"{ids.leg_span_id(turn.fusion_id, (leg.phase_id, leg.attempt)):016x}" for turn in turns for leg in turn.legs]
    assert [turn.state for turn in turns] == ["completed"] * TURNS, f"seed {SEED}"
    assert stage.nano_aiu() == TURNS * 25 * CREDIT // 2, f"seed {SEED}"
    assert stage.skipped() == 0, f"seed {SEED}"
    assert len(roots + legs) == len(set(roots + legs)) == 4 * TURNS, f"seed {SEED}"
    assert received == set(roots + legs), f"seed {SEED}"
