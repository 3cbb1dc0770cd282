"""Turns without Fusion: which events make one, and which belong to Fusion, to another session or to a sub-agent."""

from __future__ import annotations

from pathlib import Path

import pytest

from fusionscope.model import OrdinaryTurn
from fusionscope.store.ordinary import ordinary_turns
from fusionscope.store.read import Selection
from tests.conftest import Stage
from tests.logs import CREDIT, place
from tests.money import MoneyLog, fork_of

PARENT, FORK = "1b055812-88a3-4369-99c9-56a031d26133", "848f1206-e6f6-4a71-b9f4-1559d4409564"


def found(stage: Stage, **selection: object) -> list[OrdinaryTurn]:
    return ordinary_turns(stage.connection, Selection(**selection))  # type: ignore[arg-type]


def indexed(stage: Stage, log: MoneyLog) -> list[OrdinaryTurn]:
    place(stage.root, log)
    stage.index()
    return found(stage)


def test_the_real_prompt_of_cli_102_has_the_tokens_of_its_two_calls(stage: Stage, samples: Path) -> None:
    place(stage.root, (samples / "one-prompt-1.0.102.jsonl").read_bytes(), "s1")
    stage.index()
    (turn,) = found(stage)
    assert turn.models == ("stub-model",)
    assert (turn.calls, turn.metered, turn.tool_calls, turn.failed_tool_calls) == (2, 0, 1, 0)
    # 12,003 + 12,004 and twice 57 and 8,000, as the two usage records say
    assert (turn.input_tokens, turn.output_tokens, turn.cached_tokens, turn.cache_write_tokens) == (24_007, 114, 16_000, 0)
    assert turn.nano_aiu is None
    assert turn.ended_at - turn.started_at == 483  # 55.086 to 55.569


def test_the_real_prompt_of_cli_84_has_two_replies_and_no_tokens(stage: Stage, samples: Path) -> None:
    place(stage.root, (samples / "one-prompt-1.0.84.jsonl").read_bytes(), "s1")
    stage.index()
    (turn,) = found(stage)
    assert (turn.calls, turn.metered, turn.tool_calls) == (2, 0, 1)
    assert (turn.input_tokens, turn.output_tokens, turn.nano_aiu) == (None, None, None)


def test_two_real_writers_that_use_a_call_id_twice_have_each_their_own_call(stage: Stage, samples: Path) -> None:
    place(stage.root, (samples / "two-writers-1.0.102.jsonl").read_bytes(), "s1")
    stage.index()
    assert [(turn.interaction_id[:8], turn.calls, turn.input_tokens) for turn in found(stage)] == [
        ("63d1569c", 2, 24_017), ("deab7dc3", 1, 12_010), ("63b1adf1", 1, 100), ("ae6d6afb", 1, 100),
    ]  # fmt: skip


@pytest.mark.parametrize("first", [PARENT, FORK])
def test_what_the_real_fork_copied_is_its_parents_whichever_is_read_first(stage: Stage, samples: Path, first: str) -> None:
    logs = {PARENT: "rewind-1.0.102-after.jsonl", FORK: "fork-1.0.102.jsonl"}
    for session in sorted(logs, key=lambda name: name != first):
        place(stage.root, (samples / logs[session]).read_bytes(), session)
        stage.index()
    # the log of the parent that we have ends before the second prompt, which only the fork's log has
    assert [(turn.session_id, turn.interaction_id[:8], turn.calls, turn.tool_calls) for turn in found(stage)] == [
        (PARENT, "928288f2", 2, 1), (FORK, "549c5f25", 1, 0), (FORK, "2c93d534", 1, 0), (FORK, "9e229777", 2, 1),
    ]  # fmt: skip


def test_prompts_that_were_really_rewound_stay(stage: Stage, samples: Path) -> None:
    for sample in ("rewind-1.0.102-before.jsonl", "rewind-1.0.102-after.jsonl"):
        place(stage.root, (samples / sample).read_bytes(), PARENT)
        stage.index()
    assert [(turn.interaction_id[:8], turn.calls) for turn in found(stage)] == [
        ("928288f2", 2), ("9b850f3d", 1), ("01ba4e28", 1),
    ]  # fmt: skip


def test_a_turn_after_a_failed_route_is_an_ordinary_one(stage: Stage) -> None:
    log = MoneyLog()
    log.ask("i1")
    log.route_failed("a1", fallback="m-big")
    log.call(3, "c1", "m-big")
    log.reply("i1", "c1", "m-big")
    (turn,) = indexed(stage, log)
    assert (turn.models, turn.calls, turn.nano_aiu) == (("m-big",), 1, 3 * CREDIT)
    assert stage.turn().route_failure == "router_timeout"


def test_nothing_that_stands_in_the_interaction_of_a_fusion_turn_is_ordinary(stage: Stage) -> None:
    log = MoneyLog()
    log.ask("i1")
    log.resolved("f1", "single")
    log.call(1, "c1")  # CLIs may or may not write an attribution here
    log.reply("i1", "c1")
    log.event("assistant.message", interactionId="i1", model="m-small", fusion={"fusionId": "f1"})
    log.event("tool.execution_complete", toolCallId="t1", interactionId="i1", success=True)
    log.leg("f1", 0, "primary", "m-small", CREDIT)
    log.completed("f1", 0, "m-small", "single", durationMs=5_000.0)
    log.reply("i1")  # after its end: work in the background
    assert indexed(stage, log) == []


def test_an_interaction_that_fusion_names_is_its_own_also_where_the_prompt_is_not_in_the_log(stage: Stage) -> None:
    log = MoneyLog()
    log.event("assistant.message", interactionId="i1", model="m-small", fusion={"fusionId": "f1"})
    log.reply("i1")
    assert indexed(stage, log) == []


def test_an_ordinary_turn_right_before_a_fusion_turn_is_seen(stage: Stage) -> None:
    log = MoneyLog()
    log.ordinary("i1", 2)
    log.ask("i2")
    log.resolved("f1", "single")
    log.leg("f1", 0, "primary", "m-small", CREDIT)
    # a duration that is too long moves the start of the turn to before the first prompt
    log.completed("f1", 0, "m-small", "single", durationMs=60_000.0)
    log.ordinary("i3", 4)
    assert [(turn.interaction_id, turn.nano_aiu) for turn in indexed(stage, log)] == [("i1", 2 * CREDIT), ("i3", 4 * CREDIT)]


def test_a_prompt_while_fusion_answers_is_part_of_its_turn(stage: Stage) -> None:
    log = MoneyLog()
    log.ask("i1")
    log.resolved("f1", "single")
    log.ask("i2")  # steering
    log.call(1, "c1")
    log.leg("f1", 0, "primary", "m-small", CREDIT)
    log.completed("f1", 0, "m-small", "single", durationMs=4_000.0)
    assert indexed(stage, log) == []


def test_a_call_without_a_reply_belongs_to_the_last_prompt_before_it(stage: Stage) -> None:
    log = MoneyLog()
    log.ordinary("i1", 1)
    log.ask("i2")
    log.call(5, "never-answered")
    log.ask("i3")
    first, second = indexed(stage, log)
    assert [(first.interaction_id, first.nano_aiu), (second.interaction_id, second.nano_aiu)] == [
        ("i1", CREDIT), ("i2", 5 * CREDIT),
    ]  # fmt: skip


def test_a_call_is_in_the_interaction_of_its_reply_not_of_the_last_prompt(stage: Stage) -> None:
    log = MoneyLog()
    log.ask("i1")
    log.ask("i2")  # another CLI in the same session
    log.call(1, "c1")
    log.call(2, "c2")
    log.reply("i2", "c2")
    log.reply("i1", "c1")
    assert [(turn.interaction_id, turn.nano_aiu) for turn in indexed(stage, log)] == [("i1", CREDIT), ("i2", 2 * CREDIT)]


def test_what_a_sub_agent_does_is_part_of_the_turn_it_works_for(stage: Stage) -> None:
    log = MoneyLog()
    log.ask("i1")
    log.call(1, "c1")
    log.reply("i1", "c1")
    log.ask("agents-own", agentId="ag-1")
    log.call(2, "c2", "m-two", envelope={"agentId": "ag-1"})
    log.reply("agents-own", "c2", "m-two", agentId="ag-1")
    log.event(
        "tool.execution_complete", envelope={"agentId": "ag-1"}, toolCallId="t", interactionId="agents-own", success=False
    )
    log.call(4, "c3")
    log.reply("i1", "c3")
    (turn,) = indexed(stage, log)
    assert (turn.interaction_id, turn.models, turn.calls, turn.nano_aiu) == ("i1", ("m-one", "m-two"), 3, 7 * CREDIT)
    assert (turn.tool_calls, turn.failed_tool_calls) == (1, 1)


def test_events_without_an_interaction_are_counted_once_over_forks(stage: Stage) -> None:
    parent = MoneyLog("parent")
    parent.start()
    parent.call(3, "c1")
    parent.reply(None, "c1")
    fork = fork_of(parent)
    fork.call(4, "c2")
    place(stage.root, fork)
    (own,) = indexed(stage, parent)[:1]
    assert (own.session_id, own.nano_aiu) == (parent.session_id, 3 * CREDIT)
    assert [(turn.session_id, turn.nano_aiu) for turn in found(stage)] == [
        (parent.session_id, 3 * CREDIT), (fork.session_id, 4 * CREDIT),
    ]  # fmt: skip


def test_a_fork_that_goes_on_in_a_copied_interaction_counts_its_own_part(stage: Stage) -> None:
    parent = MoneyLog("parent")
    parent.start()
    parent.ask("i1")
    parent.call(3, "c1")
    fork = fork_of(parent)
    fork.call(4, "c2")
    fork.reply("i1", "c2")
    place(stage.root, fork)
    assert {turn.session_id: turn.nano_aiu for turn in indexed(stage, parent)} == {
        parent.session_id: 3 * CREDIT, fork.session_id: 4 * CREDIT,
    }  # fmt: skip


@pytest.mark.parametrize("first", ["parent", "fork"])
def test_a_parent_whose_start_is_not_in_its_log_is_known_by_the_usage_records_of_its_fork(stage: Stage, first: str) -> None:
    parent = MoneyLog("parent")
    parent.start()
    parent.ordinary("i1", 3)
    fork = fork_of(parent)
    logs = {"parent": b"".join(parent.lines[1:]), "fork": bytes(fork)}
    ids = {"parent": parent.session_id, "fork": fork.session_id}
    for name in sorted(logs, key=lambda name: name != first):
        place(stage.root, logs[name], ids[name])
        stage.index()
    assert [turn.session_id for turn in found(stage)] == [parent.session_id]


def test_a_call_of_ones_own_server_or_without_an_amount_costs_something_unknown(stage: Stage) -> None:
    log = MoneyLog()
    log.ask("i1")
    log.call(1, "c1")
    log.call(None, "c2")
    log.call(0, "c3", isByok=True)
    log.ask("i2")
    log.call(0, "c4", aiCreditsStatus="unavailable")
    log.ask("i3")
    log.call(0, "c5")
    assert [(turn.calls, turn.metered, turn.nano_aiu) for turn in indexed(stage, log)] == [
        (3, 1, CREDIT), (1, 0, None), (1, 1, 0),
    ]  # fmt: skip


def test_a_prompt_that_nobody_answered_is_no_turn(stage: Stage) -> None:
    log = MoneyLog()
    log.ask("i1")
    assert indexed(stage, log) == []


def test_ordinary_turns_are_selected_like_others(stage: Stage) -> None:
    log = MoneyLog()
    log.ordinary("i1", 1, "m-one")
    log.ordinary("i2", 2, "m-two")
    log.ordinary("i3", 3, "m-one")
    first, second, third = indexed(stage, log)
    assert found(stage, model="m-one") == [first, third]
    assert found(stage, since=second.started_at) == [second, third]
    assert found(stage, until=second.started_at) == [first]
    assert found(stage, limit=2) == [second, third]
    assert found(stage, session=log.session_id[:8]) == [first, second, third]
    assert found(stage, session="x") == found(stage, client="vscode") == found(stage, pattern="single") == []


def test_the_client_of_an_ordinary_turn_is_that_of_its_session(stage: Stage) -> None:
    log = MoneyLog()
    log.start()
    log.ordinary("i1", 1)
    path = place(stage.root, log)
    (path.parent / "workspace.yaml").write_text("client_name: github/cli\n")
    stage.index()
    (turn,) = found(stage, client="github/cli")
    assert (turn.client, turn.cli_version, turn.repository, turn.branch) == ("github/cli", "1.0.84-4", "acme/w", "main")
