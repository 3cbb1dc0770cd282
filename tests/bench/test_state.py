"""The synthetic state: its truth is what is in it, and what Fusionscope finds in it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bench.check import differences
from bench.state import write_state
from bench.truth import Truth, load_truth
from fusionscope.follow.index import index
from fusionscope.ingest.find import Root
from fusionscope.model import Turn
from fusionscope.report.files import summary_object, turn_object
from fusionscope.report.summary import of_turns
from fusionscope.store import read
from fusionscope.store.database import connect

_BYTES, _SESSIONS, _SEED = 3_000_000, 20, 3


class State(NamedTuple):
    directory: Path
    truth: Truth
    lines: list[bytes]

    def events(self, name: str) -> list[dict[str, Any]]:
        """The fields of all events whose type ends in ``name``, decoded with plain JSON."""
        events = [json.loads(line) for line in self.lines if f'{name}","data"'.encode() in line[:80]]
        return [event["data"] for event in events if event["type"].endswith(name)]


class Indexed(NamedTuple):
    turns: list[Turn]
    skipped: int
    commits: int
    read_again: int


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> State:
    directory = tmp_path_factory.mktemp("state")
    truth = write_state(directory, _BYTES, _SESSIONS, _SEED)
    return State(directory, truth, [line for log in _logs(directory) for line in log.read_bytes().splitlines(keepends=True)])


@pytest.fixture(scope="module")
def indexed(state: State, tmp_path_factory: pytest.TempPathFactory) -> Indexed:
    """The state in a store, through the real code; read twice."""
    roots = [Root(state.directory / "session-state", "test")]
    with closing(connect(tmp_path_factory.mktemp("store") / "fusionscope.db")) as connection:
        index(connection, roots)
        again = index(connection, roots)
        (commits,) = connection.execute("SELECT count(*) FROM answer_commit").fetchone()
        return Indexed(read.turns(connection), read.skipped_count(connection), commits, again.new_bytes + len(again.turns))


def _logs(directory: Path) -> Iterator[Path]:
    yield from sorted(directory.glob("session-state/*/events.jsonl"))


def _digest(directory: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(path for path in directory.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(directory)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


# what is in it, read with plain JSON


def test_truth_counts_what_is_in_the_files(state: State) -> None:
    truth = state.truth
    assert truth.sessions == len(list(_logs(state.directory))) == _SESSIONS
    assert truth.bytes == sum(map(len, state.lines))
    assert truth.lines == len(state.lines)
    assert truth.longest_line == max(map(len, state.lines))
    assert truth.resolved == len(state.events("fusion_resolved"))
    assert truth.handoffs == len(state.events("fusion_handoff"))
    assert truth.commits == len(state.events("fusion_commit_started"))
    completed = state.events("fusion_completed")
    assert truth.completed == len(completed)
    assert truth.degraded == sum(data["degradedReason"] is not None for data in completed)
    assert truth.nano_aiu == sum(data["totalNanoAiu"] for data in completed)


def test_truth_counts_the_legs(state: State) -> None:
    truth, failed = state.truth, state.events("fusion_phase_failed")
    legs = state.events("fusion_phase_completed") + failed
    assert truth.legs == len(legs)
    assert truth.failed_legs == len(failed)
    assert truth.nano_aiu_legs == sum(leg["usage"]["totalNanoAiu"] for leg in legs)
    assert truth.requests == sum(leg["usage"]["requestCount"] for leg in legs)
    assert truth.models == Counter(leg["model"] for leg in legs)
    assert truth.verdicts == Counter(leg["verdict"] for leg in legs if leg.get("verdict"))
    names = {"input": "inputTokens", "output": "outputTokens", "cached": "cachedTokens", "cache_write": "cacheWriteTokens"}
    assert truth.tokens == {ours: sum(leg["usage"][name] for leg in legs) for ours, name in names.items()}


def test_has_something_of_everything(state: State) -> None:
    counts = vars(state.truth)
    assert [name for name, count in counts.items() if not count] == []
    assert set(state.truth.patterns) == {"single", "cascade", "critique"}


def test_every_line_is_a_record_of_the_usual_shape(state: State) -> None:
    records = [json.loads(line) for line in state.lines]
    assert {tuple(record) for record in records} == {("type", "data", "id", "timestamp", "parentId")}
    assert len({record["id"] for record in records}) == len(records)


def test_decoys_quote_a_fusion_line_in_a_result(state: State) -> None:
    quoting = [data["result"]["content"] for data in state.events("tool.execution_complete") if ".fusion_" in str(data)]
    assert len(quoting) == state.truth.decoy_lines
    for content in quoting:
        assert ".fusion_" in json.loads(content[content.index('{"type":"') :])["type"]


def test_sessions_left_open_have_no_shutdown(state: State) -> None:
    assert len(state.events("session.shutdown")) == _SESSIONS - state.truth.open_turns


def test_has_the_size_that_was_asked_for(state: State) -> None:
    assert state.truth.bytes == pytest.approx(_BYTES, rel=0.1)


def test_longest_texts_are_long(tmp_path: Path) -> None:
    truth = write_state(tmp_path, 2_000_000, 1, seed=1)
    assert 100_000 < truth.longest_line < 202_000


def test_same_seed_same_bytes(state: State, tmp_path: Path) -> None:
    again = write_state(tmp_path / "again", _BYTES, _SESSIONS, _SEED)
    assert again == state.truth == load_truth(state.directory)
    assert _digest(tmp_path / "again") == _digest(state.directory)


def test_other_seed_other_bytes(tmp_path: Path) -> None:
    digests = set()
    for seed in (1, 2):
        write_state(tmp_path / str(seed), 100_000, 2, seed)
        digests.add(_digest(tmp_path / str(seed)))
    assert len(digests) == 2


def test_never_mixed_with_other_sessions(state: State) -> None:
    with pytest.raises(FileExistsError):
        write_state(state.directory, 100_000, 2, seed=1)


# what Fusionscope finds in it


def test_turns_are_exact(state: State, indexed: Indexed) -> None:
    truth, turns = state.truth, indexed.turns
    assert len(turns) == truth.resolved
    assert Counter(turn.state for turn in turns) == {
        "completed": truth.completed - truth.degraded,
        "degraded": truth.degraded,
        "open": truth.open_turns,
    }
    assert Counter(turn.pattern for turn in turns) == truth.patterns
    assert sum(len(turn.handoffs) for turn in turns) == truth.handoffs
    assert indexed.commits == truth.commits


def test_legs_are_exact(state: State, indexed: Indexed) -> None:
    truth, legs = state.truth, [leg for turn in indexed.turns for leg in turn.legs]
    assert len(legs) == truth.legs
    assert Counter(leg.model for leg in legs) == truth.models
    assert sum(leg.requests for leg in legs) == truth.requests
    assert sum(leg.input_tokens for leg in legs) == truth.tokens["input"]
    assert sum(leg.output_tokens for leg in legs) == truth.tokens["output"]
    assert sum(leg.cached_tokens for leg in legs) == truth.tokens["cached"]
    assert sum(leg.cache_write_tokens for leg in legs) == truth.tokens["cache_write"]


def test_money_is_exact(state: State, indexed: Indexed) -> None:
    truth, turns = state.truth, indexed.turns
    assert sum(turn.reported_nano_aiu or 0 for turn in turns) == truth.nano_aiu
    assert sum(turn.legs_nano_aiu for turn in turns) == truth.nano_aiu_legs
    assert {turn.difference_nano_aiu for turn in turns} == {0}


def test_decoys_are_neither_turns_nor_bad_records(state: State, indexed: Indexed) -> None:
    assert state.truth.decoy_lines
    assert indexed.skipped == 0


def test_reading_again_finds_nothing_new(indexed: Indexed) -> None:
    assert indexed.read_again == 0


def test_check_says_exact_of_the_right_answer(state: State, indexed: Indexed) -> None:
    summary, turns = summary_object(of_turns(indexed.turns), indexed.skipped), [turn_object(turn) for turn in indexed.turns]
    assert differences(state.truth, summary, turns) == []


def test_check_names_what_is_wrong(state: State, indexed: Indexed) -> None:
    ended = [turn for turn in indexed.turns if turn.state == "completed"]
    found = [turn for turn in indexed.turns if turn is not ended[0]]
    wrong = differences(state.truth, summary_object(of_turns(found), 1), [turn_object(turn) for turn in found])
    assert f"turns: {len(found)}, in truth {state.truth.resolved}" in wrong
    assert "skipped records: 1, in truth 0" in wrong
    assert any(sentence.startswith("nano-AIU of legs: ") for sentence in wrong)
