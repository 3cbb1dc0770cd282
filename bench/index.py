"""How long it takes to read a large state, beside other readers of the same bytes: ``python -m bench.index``.

Every command runs as a process of its own, page cache warm; all of them once a round, so that a noisy moment does not fall on
one of them alone; figures are medians over the rounds. What Fusionscope found is compared with the truth: exit code 1 unless it
is exact. No time makes it fail.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.ccusage import HOW_TO_GET, find_ccusage
from bench.check import differences
from bench.measure import PROJECT, Run, measured, medians, own_peak_bytes, printed
from bench.truth import TRUTH_NAME, load_truth

__all__ = ["main"]

_CAT, _COLD, _WARM, _SUMMARY = "cat", "fusionscope index, cold", "fusionscope index, nothing new", "fusionscope summary, warm"
_MB = 1_000_000


class _Command(NamedTuple):
    """One line of the table; ``prepare`` runs before the clock starts."""

    name: str
    words: list[str]
    environment: Mapping[str, str]
    prepare: Callable[[], None] = lambda: None
    to_null: bool = False


class _Places(NamedTuple):
    state: Path
    database: Path
    empty_home: Path

    def forget(self) -> None:
        """Remove the database."""
        for path in self.database.parent.glob(f"{self.database.name}*"):
            path.unlink()

    def fusionscope(self, command: str, *options: str) -> list[str]:
        """The words of one of our commands on these places."""
        where = ["--root", str(self.state), "--db", str(self.database)]
        return [sys.executable, "-m", "fusionscope", command, *where, *options]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, the goals and whether the answer is exact."""
    options = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="fusionscope-bench-") as temporary:
        state = options.state or Path(temporary) / "state"
        if not (state / TRUTH_NAME).exists():
            print(f"Writing {options.bytes / 1e6:,.0f} MB of session logs to {state}", file=sys.stderr)
            _write_state(state, options)
        home = Path(temporary) / "home"
        home.mkdir()
        places = _Places(state.absolute(), Path(temporary) / "fusionscope.db", home)
        try:
            commands, ccusage = _commands(places, options.ccusage)
            results = _measure(commands, options.runs)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"bench: {error}", file=sys.stderr)
            return 1
        _print_heading(places.state, options.runs)
        _print_table(results, ccusage)
        _print_goals(results, ccusage)
        if ccusage is None:
            print(HOW_TO_GET)
        return _verify(places)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.index", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--state", metavar="DIR", type=Path, help="use the state here, or write it here and keep it")
    parser.add_argument("--bytes", type=float, default=1.1e9, help="size of a new state (default: 1.1e9)")
    parser.add_argument("--sessions", type=int, default=400, help="sessions of a new state (default: 400)")
    parser.add_argument("--seed", type=int, default=1, help="seed of a new state (default: 1)")
    parser.add_argument("--runs", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument("--ccusage", metavar="PATH", type=Path, help="the ccusage to compare with (default: the one on PATH)")
    return parser


def _write_state(state: Path, options: argparse.Namespace) -> None:
    # in a process of its own: the memory of this one is a floor under what it can measure
    size = ["--bytes", str(options.bytes), "--sessions", str(options.sessions), "--seed", str(options.seed)]
    command = [sys.executable, "-m", "bench.state", str(state.absolute()), *size]
    subprocess.run(command, cwd=PROJECT, stdout=subprocess.DEVNULL, check=True)


def _commands(places: _Places, given_ccusage: Path | None) -> tuple[list[_Command], str | None]:
    """The commands in the order of a round, and the name of ccusage's."""
    plain = {name: value for name, value in os.environ.items() if name not in ("COPILOT_HOME", "FUSIONSCOPE_DB")}
    logs = sorted(map(str, places.state.glob("session-state/*/events.jsonl")))
    commands = [
        _Command("python, starting only", [sys.executable, "-c", "pass"], plain),
        _Command(_CAT, ["cat", *logs], plain, to_null=True),
    ]
    if rg := shutil.which("rg"):
        commands.append(_Command("rg -c fusion_", [rg, "-c", "--no-ignore", "fusion_", str(places.state)], plain))
    name = None
    if ccusage := find_ccusage(given_ccusage):
        name = f"ccusage {ccusage.version} copilot daily{' (through node)' if ccusage.through_node else ''}"
        there = {**plain, "HOME": str(places.empty_home), "COPILOT_HOME": str(places.state)}
        commands.append(_Command(name, [str(ccusage.path), "copilot", "daily", "--offline"], there))
    commands += [
        _Command(_COLD, places.fusionscope("index"), plain, prepare=places.forget),
        _Command(_WARM, places.fusionscope("index"), plain),
        _Command(_SUMMARY, places.fusionscope("summary"), plain),
    ]
    return commands, name


def _measure(commands: Sequence[_Command], rounds: int) -> dict[str, Run]:
    """The medians of each command over ``rounds`` rounds."""
    runs: dict[str, list[Run]] = {command.name: [] for command in commands}
    for command in commands:
        if command.name == _CAT:
            measured(command.words, command.environment, command.to_null)  # brings the logs into the page cache
    for number in range(rounds):
        print(f"Round {number + 1} of {rounds}", file=sys.stderr)
        for command in commands:
            command.prepare()
            runs[command.name].append(measured(command.words, command.environment, command.to_null))
    return {name: medians(each) for name, each in runs.items()}


def _print_heading(state: Path, rounds: int) -> None:
    truth = load_truth(state)
    print(
        f"{truth.bytes:,} bytes, {truth.lines:,} lines, {truth.sessions:,} sessions, {truth.resolved:,} turns,"
        f" {truth.legs:,} legs; medians of {rounds}, page cache warm"
    )
    print(f"{platform.platform()}, {os.cpu_count()} processors, Python {platform.python_version()}\n")


def _print_table(results: dict[str, Run], ccusage: str | None) -> None:
    floor = own_peak_bytes()
    print(f"{'':<42}{'wall s':>8}{'CPU s':>8}{'peak MB':>9}{'x cat':>8}{'x ccusage':>11}")
    for name, run in results.items():
        # what is not above the floor cannot be told from it
        peak = f"{run.peak_bytes / _MB:.0f}" if run.peak_bytes > 1.1 * floor else f"< {1.1 * floor / _MB:.0f}"
        against = f"{run.wall_s / results[ccusage].wall_s:.2f}" if ccusage else "-"
        print(f"{name:<42}{run.wall_s:8.3f}{run.cpu_s:8.3f}{peak:>9}{run.wall_s / results[_CAT].wall_s:8.2f}{against:>11}")
    print()


def _print_goals(results: dict[str, Run], ccusage: str | None) -> None:
    goals = [("peak of a cold index, MB", results[_COLD].peak_bytes / _MB, 80.0)]
    if ccusage:
        there = results[ccusage].wall_s
        goals += [
            ("cold index, times ccusage", results[_COLD].wall_s / there, 2.0),
            ("warm summary, times ccusage", results[_SUMMARY].wall_s / there, 1.0),
        ]
    for name, value, most in goals:
        print(f"goal: {name}: {value:.1f}, at most {most:g}: {'met' if value <= most else 'NOT met'}")


def _verify(places: _Places) -> int:
    environment = dict(os.environ)
    summary = json.loads(printed(places.fusionscope("summary", "--json", "--no-index"), environment))
    turns = json.loads(printed(places.fusionscope("turns", "--json", "--no-index"), environment))
    wrong = differences(load_truth(places.state), summary, turns)
    print("The answer is exact." if not wrong else "The answer is WRONG:")
    for sentence in wrong:
        print(f"  {sentence}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
