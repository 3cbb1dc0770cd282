"""Tool calls as spans, beside the table in the reference: names, ids, parents, attributes, status."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from fusionscope.export.identity import resource
from fusionscope.export.spans import turn_spans
from fusionscope.model import ToolCall, Turn
from tests.export.receiver import values
from tests.export.wire import arrived_spans
from tests.turns import TEN, call, leg, turn

F = "github.copilot.fusion."


def cut(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()[:16]


def sent(of: Turn, **options: Any) -> list[Span]:
    """The spans of tool calls."""
    spans = arrived_spans(turn_spans(of, resource("/root", "host"), **options))
    return [span for span in spans if span.name.startswith("execute_tool")]


def with_calls(*calls: ToolCall, **fields: Any) -> Turn:
    return turn("f1", leg(), tool_calls=calls, **fields)


def test_a_call_is_a_span_with_the_name_ids_times_and_attributes_of_the_table() -> None:
    (span,) = sent(with_calls(call()))
    assert span.name == "execute_tool bash"
    assert span.kind == Span.SPAN_KIND_INTERNAL
    assert span.trace_id.hex() == hashlib.sha1(b"trace:f1").hexdigest()[:32]
    assert (span.span_id.hex(), span.parent_span_id.hex()) == (cut("span:s1|c1"), cut("span:f1|f1:p0|0"))
    assert (span.start_time_unix_nano, span.end_time_unix_nano) == ((TEN + 1_000) * 10**6, (TEN + 1_500) * 10**6)
    assert span.status.code == Status.STATUS_CODE_UNSET
    assert values(span.attributes) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "bash",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.type": "function",
        "gen_ai.conversation.id": "s1",
        "process.exit.code": 0,
        "github.copilot.turn_id": "3",
        "github.copilot.interaction_id": "i1",
        F + "id": "f1",
        F + "phase.id": "f1:p0",
    }


@pytest.mark.parametrize(("code", "error"), [("timeout", "timeout"), (None, "tool_error")])
def test_a_call_that_failed_is_an_error_with_its_code_and_no_description(code: str | None, error: str) -> None:
    (span,) = sent(with_calls(call(success=False, exit_code=1, error=code)))
    assert (span.status.code, span.status.message) == (Status.STATUS_CODE_ERROR, "")
    found = values(span.attributes)
    assert (found["error.type"], found["process.exit.code"]) == (error, 1)


def test_an_exit_code_of_a_call_that_went_well_is_no_error() -> None:
    (span,) = sent(with_calls(call(exit_code=1)))
    assert (span.status.code, "error.type" in values(span.attributes)) == (Status.STATUS_CODE_UNSET, False)


def test_the_parent_is_the_caller_else_the_leg_else_the_root() -> None:
    spans = sent(
        with_calls(
            call("a"),
            call("b", None, parent_tool_call_id="a", started_at=TEN + 1_100),
            call("c", None, started_at=TEN + 1_200),
            call("d", "f1:p9", started_at=TEN + 1_300),
        )
    )
    root = cut("span:f1:root")
    assert [span.parent_span_id.hex() for span in spans] == [cut("span:f1|f1:p0|0"), cut("span:s1|a"), root, root]
    assert values(spans[3].attributes)[F + "phase.id"] == "f1:p9"
    assert F + "phase.id" not in values(spans[1].attributes)


def test_a_call_without_an_end_is_not_sent_and_is_no_parent() -> None:
    (span,) = sent(with_calls(call("a", ended_at=None), call("b", parent_tool_call_id="a", started_at=TEN + 1_100)))
    assert (span.span_id.hex(), span.parent_span_id.hex()) == (cut("span:s1|b"), cut("span:f1|f1:p0|0"))


def test_calls_with_one_id_are_numbered_by_their_starts_also_where_the_first_has_no_end_yet() -> None:
    first, second, third = (call("a", started_at=TEN + at, ended_at=TEN + at + 10) for at in (0, 100, 200))
    ids = [cut("span:s1|a"), cut("span:s1|a|1"), cut("span:s1|a|2")]
    assert [span.span_id.hex() for span in sent(with_calls(first, second, third))] == ids
    assert [span.span_id.hex() for span in sent(with_calls(first._replace(ended_at=None), second, third))] == ids[1:]


def test_a_call_that_ends_after_its_turn_was_sent_goes_alone_under_the_same_parent() -> None:
    early, late = call("a"), call("b", started_at=TEN + 1_600, ended_at=TEN + 60_000)
    before = turn_spans(with_calls(early, late._replace(ended_at=None)), resource("/root", "host"))
    after = turn_spans(
        with_calls(early, late), resource("/root", "host"),
        root_sent=True, sent_legs={("f1:p0", 0)}, sent_tools={("a", TEN + 1_500)},
    )  # fmt: skip
    assert [span.name for span in before] == ["fusion single", "primary m-small", "execute_tool bash"]
    (span,) = arrived_spans(after)
    assert (span.span_id.hex(), span.parent_span_id.hex()) == (cut("span:s1|b"), cut("span:f1|f1:p0|0"))


def test_a_clock_that_goes_back_gives_no_negative_length() -> None:
    (span,) = sent(with_calls(call(ended_at=TEN - 5)))
    assert span.start_time_unix_nano == span.end_time_unix_nano


def test_an_open_turn_sends_no_call() -> None:
    assert sent(with_calls(call(), state="open")) == []


def test_the_root_says_what_joins_it_to_the_cli_s_spans_who_steered_and_what_is_not_known() -> None:
    made = turn("f1", leg(), interaction_id="i1", steered=False, unknown_words=("pattern debate", "kind arbiter"))
    found = values(arrived_spans(turn_spans(made, resource("/root", "host")))[0].attributes)
    assert found["github.copilot.interaction_id"] == "i1"
    assert found[F + "has_user_steering"] is False
    assert found[F + "unknown_words"] == ["pattern debate", "kind arbiter"]
    silent = values(arrived_spans(turn_spans(turn("f1", leg()), resource("/root", "host")))[0].attributes)
    assert not {"github.copilot.interaction_id", F + "has_user_steering", F + "unknown_words"} & silent.keys()


def test_a_leg_whose_start_is_in_the_log_begins_there() -> None:
    span = arrived_spans(turn_spans(turn("f1", leg(began_at=TEN + 300)), resource("/root", "host")))[1]
    assert (span.start_time_unix_nano, span.end_time_unix_nano) == ((TEN + 300) * 10**6, (TEN + 2_000) * 10**6)
