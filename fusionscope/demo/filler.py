"""Invented text for the demo's lines: the same key always gives the same text, whatever was asked before.

Nothing here is read by Fusionscope. It stands where a real log has prompts, answers, arguments and results, so that the
demo's lines have the size and the characters (quotes, newlines, more than ASCII) of real ones.
"""

from __future__ import annotations

from typing import NamedTuple

from fusionscope.demo.lines import Json, stable_hex
from fusionscope.demo.project import CWD

__all__ = ["ToolCall", "prose", "tool_call"]

_SENTENCES = (
    "The bucket holds at most `capacity` tokens and is refilled lazily, when somebody asks.",
    "Nothing runs in the background, so an idle limiter costs nothing.",
    "The clock is a parameter: the default is `time.monotonic`, tests pass a function that returns a number.",
    "A request for more tokens than the bucket can ever hold is a mistake of the caller and raises ValueError.",
    "I kept the public names and moved only the arithmetic.",
    "The sliding window keeps one timestamp for every accepted call and drops those older than the period.",
    "With ten thousand calls in a period that is ten thousand floats, which is why the ring buffer is shorter.",
    "Both tests fail without the change and pass with it.",
    "After a long pause the refill was added before the cap was applied, so one call too many went through.",
    "The lock is held for the arithmetic only, never while waiting.",
    "A cancelled wait gives its reservation back before the exception leaves the function.",
    "Keys are kept in order of last use — the oldest is dropped when the table is full.",
    "`retry_after` is rounded up to whole milliseconds, so that a caller who obeys it is never early.",
    "The difference shows at the border: the bucket allows a burst, the window does not.",
    "I ran the whole suite twice, once with the clock set back by an hour.",
    "The type of `wait()` is now `float | None`; None means that there was nothing to wait for.",
    "No dependency was added.",
    "The old spelling still works and says so in its docstring.",
    "Reading the clock twice in one call was the race: the second value could be larger than the first.",
    "The example in the README is a doctest now, with the numbers it really prints.",
    "Refill: tokens = min(capacity, tokens + elapsed × rate).",
    "There is one thing left that I did not touch: the command line still parses the period as an integer.",
    "“Fair” here means first come, first served; the queue is a deque of futures.",
)

_SNIPPETS = (
    'def acquire(self, tokens: float = 1.0) -> bool:\n    """Take tokens if there are enough."""\n'
    "    with self._lock:\n        self._refill()\n        if tokens > self._tokens:\n            return False\n"
    "        self._tokens -= tokens\n        return True\n",
    "def _refill(self) -> None:\n    now = self._clock()\n    elapsed = max(0.0, now - self._seen)\n"
    "    self._tokens = min(self.capacity, self._tokens + elapsed * self.rate)\n    self._seen = now\n",
    "def test_burst_larger_than_the_bucket(clock):\n    limiter = RateLimiter(rate=2, capacity=5, clock=clock)\n"
    "    assert not limiter.acquire(6)\n    assert limiter.peek() == 5\n",
    "@functools.wraps(call)\nasync def limited(*args, **kwargs):\n    await limiter.wait()\n"
    "    return await call(*args, **kwargs)\n",
    '[project]\nname = "ratelimit"\nversion = "0.3.0"\nrequires-python = ">=3.11"\n\n'
    '[tool.pytest.ini_options]\naddopts = "-q"\n',
)

_FILES = ("bucket.py", "window.py", "limiter.py", "keyed.py", "aio.py", "cli.py")
_COMMANDS = ("python -m pytest -q", "python -m pytest -q tests/test_window.py", "git diff --stat", "python -m mypy src")
_PATTERNS = ("def acquire", "monotonic", "refill_rate", "class .*Limiter")


class ToolCall(NamedTuple):
    """One tool call; ``wrote`` is the file it changed, or None."""

    name: str
    arguments: Json
    summary: str
    result: str
    wrote: str | None = None


def _pick(key: str, count: int) -> int:
    """Return a number below ``count`` that depends only on ``key``."""
    return int(stable_hex(key)[:12], 16) % count


def prose(key: str, size: int) -> str:
    """Return about ``size`` characters (at least one sentence) of remarks and code on the rate limiter."""
    # The number of sentences is prime, so any stride walks through all of them before one comes again.
    start, stride = _pick(f"{key} start", len(_SENTENCES)), 1 + _pick(f"{key} stride", len(_SENTENCES) - 1)
    text = _SENTENCES[start]
    step = 1
    while len(text) < size:
        if step % 5 == 0:
            text += f"\n\n```python\n{_SNIPPETS[_pick(f'{key} {step}', len(_SNIPPETS))]}```\n\n"
        else:
            text += " "
        text += _SENTENCES[(start + step * stride) % len(_SENTENCES)]
        step += 1
    return text


def tool_call(key: str) -> ToolCall:
    """Return one harmless tool call: a search, a look into a file, a change or a test run."""
    file = f"{CWD}/src/ratelimit/{_FILES[_pick(f'{key} file', len(_FILES))]}"
    snippet = _SNIPPETS[_pick(f"{key} snippet", len(_SNIPPETS))]
    match _pick(f"{key} tool", 4):
        case 0:
            pattern = _PATTERNS[_pick(f"{key} pattern", len(_PATTERNS))]
            found = "\n".join(f"{CWD}/src/ratelimit/{name}:{12 + 7 * n}" for n, name in enumerate(_FILES))
            return ToolCall("grep", {"pattern": pattern, "path": f"{CWD}/src"}, "Search the sources", found)
        case 1:
            size = 600 + _pick(f"{key} size", 4_000)
            body = "\n".join(f"{n}. {line}" for n, line in enumerate(prose(key, size).split("\n"), 1))
            return ToolCall("view", {"path": file}, "Read a file", body)
        case 2:
            arguments = {"path": file, "old_str": "    pass\n", "new_str": snippet}
            return ToolCall("edit", arguments, "Change a function", f"File {file} updated with changes.", file)
        case _:
            command = _COMMANDS[_pick(f"{key} command", len(_COMMANDS))]
            result = f"{'.' * 38}  [100%]\n38 passed in 0.{20 + _pick(key, 70)}s\n<exited with exit code 0>"
            return ToolCall("bash", {"command": command, "description": "Run it"}, "Run a command", result)
