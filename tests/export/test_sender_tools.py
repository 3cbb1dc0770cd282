"""Tool calls from a log to a receiver: with their turn, later alone, never twice, whatever was read first."""

from __future__ import annotations

from typing import Any

import pytest

from fusionscope.store import metrics, outbox
from fusionscope.store.database import connect
from tests.conftest import Stage
from tests.export.receiver import Receiver
from tests.export.sending import run
from tests.export.test_sender_metrics import counters, samples, total
from tests.logs import CREDIT, Log, place


def a_log() -> Log:
    """A single turn with three tool calls, of which the last, a background one, ends after the turn."""
    log = Log()
    log.start()
    log.resolved("f1", "single")
    log.tool("f1", 0, "a", "bash")
    log.tool("f1", 0, "b", "view", success=False)
    log.tool_start("f1", 0, "late", "bash")
    log.leg("f1", 0, "primary", "m-small", CREDIT)
    log.completed("f1", 0, "m-small", "single", awaitingBackgroundWork=True)
    log.tool_end("f1", 0, "late")
    return log


def spans(receiver: Receiver) -> list[str]:
    return [span.name for span in receiver.spans]


def test_calls_go_with_their_turn_and_one_that_ends_later_goes_alone(stage: Stage) -> None:
    log = a_log()
    path = place(stage.root, b"".join(log.lines[:-1]), log.session_id)
    stage.index()
    with Receiver() as receiver:
        run(stage, receiver.url)
        assert spans(receiver) == ["fusion single", "primary m-small", "execute_tool bash", "execute_tool view"]
        path.write_bytes(bytes(log))
        stage.index()
        for _ in range(2):
            run(stage, receiver.url)
        assert spans(receiver)[4:] == ["execute_tool bash"]
        assert len({span.span_id for span in receiver.spans}) == 5
        found = samples(receiver.metrics)
    assert total(found, "leg.tool_calls") == 3
    assert total(found, "leg") == total(found, "turn") == 1


def test_counters_count_a_call_that_ends_later_once(stage: Stage) -> None:
    log = a_log()
    path = place(stage.root, b"".join(log.lines[:-1]), log.session_id)
    stage.index()
    with Receiver() as receiver:
        run(stage, receiver.url, metrics="counters")
        path.write_bytes(bytes(log))
        stage.index()
        for _ in range(2):
            run(stage, receiver.url, metrics="counters")
        found = [counters(request) for request in receiver.requests if request.path == "/v1/metrics"]
    assert [report["tool.call.count"] for report in found] == [2, 3, 3]
    assert [report["turn.count"] for report in found] == [1, 1, 1]


def test_an_id_that_comes_twice_in_a_turn_is_two_calls_also_when_the_second_ends_later(stage: Stage) -> None:
    log = Log()
    log.resolved("f1", "single")
    log.tool("f1", 0, "a")
    log.tool_start("f1", 0, "a")
    log.leg("f1", 0, "primary", "m-small", CREDIT)
    log.completed("f1", 0, "m-small", "single")
    path = place(stage.root, log)
    stage.index()
    with Receiver() as receiver:
        run(stage, receiver.url)
        log.tool_end("f1", 0, "a")
        path.write_bytes(bytes(log))
        stage.index()
        run(stage, receiver.url)
        tools = [span for span in receiver.spans if span.name == "execute_tool bash"]
        found = samples(receiver.metrics)
    assert len({span.span_id for span in tools}) == len(tools) == 2
    assert total(found, "leg.tool_calls") == 2


def test_a_call_that_was_copied_under_new_event_ids_is_one_call(stage: Stage) -> None:
    log = a_log()
    copies = [line.replace(b'"id":"', b'"id":"copy-') for line in log.lines[2:4]]
    place(stage.root, bytes(log) + b"".join(copies), log.session_id)
    stage.index()
    assert [(call.tool_call_id, call.name) for call in stage.turn().tool_calls] == [
        ("a", "bash"),
        ("b", "view"),
        ("late", "bash"),
    ]


def _logs() -> dict[str, Log]:
    """Two sessions with 30 tools each; those of ``early`` were used first."""
    logs = {}
    for name, begins, first in (("early", "2026-11-30T10:00:00", 0), ("late", "2026-11-30T12:00:00", 25)):
        log = logs[name] = Log(name, begins)
        log.start()
        log.resolved(name, "single")
        for number in range(first, first + 30):
            log.tool(name, 0, f"{name}-{number}", f"tool-{number:02}")
        log.leg(name, 0, "primary", "m-small", CREDIT)
        log.completed(name, 0, "m-small", "single")
    return logs


@pytest.mark.parametrize("order", [("early", "late"), ("late", "early")])
def test_the_fifty_tools_that_were_used_first_keep_their_name_whichever_log_is_read_first(
    stage: Stage, order: tuple[str, str]
) -> None:
    for name in order:
        place(stage.root, _logs()[name])
        stage.index()
    with Receiver() as receiver:
        run(stage, receiver.url)
        found = samples(receiver.metrics)
    labels: dict[Any, float] = {}
    for (metric, series, _), value in found.items():
        if metric == "leg.tool_calls":
            name = dict(series)["gen_ai.tool.name"]
            labels[name] = labels.get(name, 0) + value
    expected: dict[Any, float] = {f"tool-{number:02}": 2 if 25 <= number < 30 else 1 for number in range(50)}
    assert labels == expected | {"_other": 5}


def test_a_database_that_is_made_again_gives_the_same_samples_of_tools(stage: Stage) -> None:
    for log in _logs().values():
        place(stage.root, log)
        stage.index()
    with Receiver() as receiver:
        run(stage, receiver.url)
        lived = samples(receiver.metrics)
    stage.connection.close()
    stage.database.unlink()
    stage.connection = connect(stage.database)
    stage.index()
    with Receiver() as receiver:
        run(stage, receiver.url)
        assert samples(receiver.metrics) == lived


def test_tools_are_told_once_with_their_earliest_start(stage: Stage) -> None:
    place(stage.root, a_log())
    stage.index()
    found, arrival = metrics.tools_after(stage.connection, 0)
    first, second, _ = stage.turn().tool_calls
    assert found == {"bash": first.started_at, "view": second.started_at}
    assert metrics.tools_after(stage.connection, arrival) == ({}, arrival)


def test_what_went_of_the_calls_is_told_by_id_and_end(stage: Stage) -> None:
    log = a_log()
    path = place(stage.root, b"".join(log.lines[:-1]), log.session_id)
    stage.index()
    with Receiver() as receiver:
        run(stage, receiver.url)
    early = {(call.tool_call_id, call.ended_at) for call in stage.turn().tool_calls if call.ended_at}
    path.write_bytes(bytes(log))
    stage.index()
    (item,) = outbox.waiting(stage.connection, "traces", 10)
    assert item.root_sent
    assert set(item.sent_tools) == early
    assert {call_id for call_id, _ in early} == {"a", "b"}
