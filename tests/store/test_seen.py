"""What was seen, counted: versions by session, clients, Fusion events, requests for Fusion that came to nothing."""

from __future__ import annotations

from pathlib import Path

from fusionscope.store.seen import Asked, seen
from tests.conftest import Stage
from tests.logs import Log, a_turn, place


def _session(name: str, model: str, *replies: str, version: str = "1.0.102") -> Log:
    """A session without Fusion that asked for ``model`` and was answered by ``replies``."""
    log = Log(name)
    log.start(selectedModel=model, copilotVersion=version)
    log.user()
    for reply in replies:
        log.event("assistant.message", messageId="m", model=reply, content="x", interactionId="i")
    return log


def test_a_session_counts_once_for_every_version_that_ran_a_part_of_it(stage: Stage) -> None:
    twice = a_turn()
    twice.resume(copilotVersion="1.0.102")
    twice.resume(copilotVersion="1.0.102")
    place(stage.root, twice)
    silent = Log("s2").turn("f2")
    silent.start()
    silent.resume()
    place(stage.root, silent)
    place(stage.root, b"", "no-start-in-its-log")
    stage.index()
    assert seen(stage.connection).cli_versions == {"1.0.84-4": 2, "unknown": 2, "1.0.102": 1}


def test_sessions_are_counted_by_the_client_that_wrote_them(stage: Stage) -> None:
    for name, client in (("a", "github/cli"), ("b", "github/cli"), ("c", "vscode"), ("d", None)):
        path = place(stage.root, a_turn(), name)
        if client:
            path.with_name("workspace.yaml").write_text(f"client_name: {client}\n")
    stage.index()
    assert seen(stage.connection).clients == {"github/cli": 2, "unknown": 1, "vscode": 1}


def test_fusion_events_are_counted_by_type_and_once_for_a_fork(stage: Stage) -> None:
    log = a_turn()
    log.route_failed()
    place(stage.root, log)
    place(stage.root, log, "a-fork")
    stage.index()
    counted = seen(stage.connection).fusion_events
    assert {name: number for name, number in counted.items() if number} == {
        "fusion_resolved": 1, "fusion_route_failed": 1, "fusion_phase_completed or _failed": 3, "fusion_handoff": 1,
        "fusion_commit_started": 1, "fusion_completed": 1,
    }  # fmt: skip


def test_skipped_records_are_counted_by_the_first_words_of_the_reason(stage: Stage) -> None:
    place(stage.root, bytes(a_turn()) + b'garbage\n{}\n{"type":1}\nmore garbage\nand more\n')
    stage.index()
    assert seen(stage.connection).skipped == {"not JSON": 3, "not an event": 2}


def test_a_refused_request_for_fusion_is_found_in_a_real_log(stage: Stage, samples: Path) -> None:
    place(stage.root, (samples / "hydrafusion-refused-1.0.102.jsonl").read_bytes())
    stage.index()
    assert seen(stage.connection).asked == [Asked("hydrafusion", 1, 1, False)]


def test_a_model_is_synthetic_when_a_turn_says_so_whatever_it_is_called(stage: Stage) -> None:
    log = Log("fused")
    log.start(selectedModel="fusion-high")
    log.resolved("f1", syntheticModel="fusion-high")
    place(stage.root, log)
    place(stage.root, _session("refused", "fusion-high"))
    place(stage.root, _session("replaced", "fusion-high", "m-big"))
    stage.index()
    assert seen(stage.connection).asked == [Asked("fusion-high", 2, 1, True)]


def test_a_model_that_never_ran_is_a_guess_and_one_that_ran_anywhere_is_none(stage: Stage) -> None:
    place(stage.root, _session("auto", "auto", "m-one", "m-two"))
    place(stage.root, _session("one", "m-one", "m-one"))
    place(stage.root, _session("interrupted", "m-two"))
    stage.index()
    assert seen(stage.connection).asked == [Asked("auto", 1, 0, False)]


def test_a_session_with_a_failed_route_did_get_a_fusion_event(stage: Stage) -> None:
    log = Log()
    log.start()
    log.route_failed()
    place(stage.root, log)
    stage.index()
    assert seen(stage.connection).asked == []


def test_real_sessions_with_one_model_asked_for_nothing_else(stage: Stage, samples: Path) -> None:
    for name in ("one-prompt-1.0.102", "one-prompt-1.0.84"):
        place(stage.root, (samples / f"{name}.jsonl").read_bytes(), name)
    stage.index()
    assert seen(stage.connection).asked == []
