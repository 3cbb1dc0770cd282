from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from fusionscope.export import names
from fusionscope.export.identity import resource
from fusionscope.export.spans import turn_spans
from fusionscope.model import Handoff, Leg, Turn
from tests.export.receiver import values
from tests.export.strategies import hostile, turns
from tests.export.wire import arrived_spans
from tests.turns import CASCADE, CASCADE_ID, TEN, leg, turn

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

RESOURCE = resource("/root", "host")
F = "github.copilot.fusion."


def cut(text: str, digits: int) -> str:
    return hashlib.sha1(text.encode()).hexdigest()[:digits]


def sent(of: Turn, **options: Any) -> list[Span]:
    return arrived_spans(turn_spans(of, RESOURCE, **options))


def events(span: Span) -> list[tuple[str, int, dict[str, Any]]]:
    """Name, milliseconds and attributes of each event."""
    return [(event.name.removeprefix(F), event.time_unix_nano // 10**6, values(event.attributes)) for event in span.events]


def test_the_public_turn_is_a_root_and_three_legs_with_their_names() -> None:
    assert [span.name for span in sent(CASCADE)] == [
        "fusion cascade",
        "primary mai-code-1.1-flash",
        "judge gpt-5.6-sol",
        "repair gpt-5.6-sol",
    ]


def test_ids_and_parents_are_the_hashes_of_the_log_s_ids() -> None:
    root, *legs = sent(CASCADE)
    assert {span.trace_id.hex() for span in [root, *legs]} == {cut("trace:" + CASCADE_ID, 32)}
    assert root.span_id.hex() == cut("span:" + CASCADE_ID + ":root", 16)
    assert root.parent_span_id == b""
    assert [span.span_id.hex() for span in legs] == [
        cut(f"span:{CASCADE_ID}|{CASCADE_ID}:{phase}|0", 16) for phase in ("phase:0", "judge", "repair")
    ]
    assert {span.parent_span_id for span in legs} == {root.span_id}


def test_times_are_the_true_ones_to_the_nanosecond() -> None:
    assert [(span.start_time_unix_nano, span.end_time_unix_nano) for span in sent(CASCADE)] == [
        (1_788_921_774_729_000_000, 1_788_921_850_342_000_000),
        (1_788_921_774_979_000_000, 1_788_921_797_139_000_000),
        (1_788_921_797_233_000_000, 1_788_921_807_960_000_000),
        (1_788_921_807_963_000_000, 1_788_921_850_256_000_000),
    ]


def test_the_root_says_what_was_asked_who_answered_and_what_it_cost() -> None:
    root = sent(CASCADE._replace(cli_version="1.0.84-2"))[0]
    assert values(root.attributes) == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "github",
        "gen_ai.request.model": "hydrafusion",
        "gen_ai.agent.name": "hydrafusion",
        "gen_ai.response.model": "gpt-5.6-sol",
        "gen_ai.conversation.id": "s1",
        "gen_ai.usage.input_tokens": 57_860,
        "gen_ai.usage.output_tokens": 5_264,
        "github.copilot.cli.version": "1.0.84-2",
        "github.copilot.nano_aiu": 14_719_596_000,
        F + "credits": 14.719596,
        F + "uncommitted_credits": 3.032636,
        F + "request_count": 5,
        F + "id": CASCADE_ID,
        F + "turn_id": CASCADE_ID + ":turn",
        F + "commit_id": CASCADE_ID + ":commit",
        F + "pattern": "cascade",
        F + "policy": "max",
        F + "route_source": "capi_plan",
        F + "plan_version": "1",
        F + "contract_version": 1,
        F + "primary_model": "mai-code-1.1-flash",
        F + "secondary_model": "gpt-5.6-sol",
        F + "fallback_model": "gpt-5.6-sol",
        F + "follow_up_model": "mai-code-1.1-flash",
        F + "routing_latency_ms": 246.49609999999998,
        F + "outcome": "completed",
        F + "phase_count": 3,
        F + "models": ["mai-code-1.1-flash", "gpt-5.6-sol"],
        F + "compound": True,
    }


def test_a_leg_says_which_model_ran_what_it_used_and_whether_it_is_the_answer() -> None:
    judge, repair = sent(CASCADE)[2:]
    assert values(judge.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "github",
        "gen_ai.request.model": "hydrafusion",
        "gen_ai.response.model": "gpt-5.6-sol",
        "gen_ai.conversation.id": "s1",
        "gen_ai.usage.input_tokens": 2_339,
        "gen_ai.usage.output_tokens": 644,
        "gen_ai.usage.cache_read.input_tokens": 0,
        "gen_ai.usage.cache_write.input_tokens": 2_336,
        "github.copilot.nano_aiu": 2_457_200_000,
        F + "credits": 2.4572,
        F + "request_count": 1,
        F + "id": CASCADE_ID,
        F + "pattern": "cascade",
        F + "phase.id": CASCADE_ID + ":judge",
        F + "phase.kind": "judge",
        F + "phase.role": "judge",
        F + "phase.scope": "review",
        F + "phase.status": "succeeded",
        F + "phase.verdict": "reject",
        F + "phase.index": 1,
        F + "phase.committed": False,
    }
    assert values(repair.attributes)[F + "phase.committed"] is True


def test_the_verdict_stands_on_the_leg_that_was_judged_at_the_judge_s_end() -> None:
    root, primary, judge, repair = sent(CASCADE)
    facts = {
        "gen_ai.evaluation.name": "fusion.judge",
        "gen_ai.evaluation.score.label": "reject",
        F + "phase.id": CASCADE_ID + ":judge",
    }
    assert events(primary) == [("gen_ai.evaluation.result", 1_788_921_807_960, facts)]
    assert events(judge) == events(repair) == []
    assert [name for name, _, _ in events(root)] == ["route_resolved", "handoff", "commit"]


def test_the_root_s_events_stand_in_order_of_time_with_their_facts() -> None:
    resolved, handoff, commit = events(sent(CASCADE)[0])
    assert resolved == ("route_resolved", 1_788_921_774_975, {})
    assert handoff == (
        "handoff",
        1_788_921_807_962,
        {
            F + "source_phase_id": CASCADE_ID + ":judge",
            F + "target_phase_id": CASCADE_ID + ":repair",
            F + "target_model": "gpt-5.6-sol",
        },
    )
    assert commit == ("commit", 1_788_921_850_342, {F + "source_phase_id": CASCADE_ID + ":repair"})


def test_parallel_critics_both_stand_on_the_draft_and_need_no_verdict() -> None:
    critics = [leg(f"c{index}", index=index, kind="critic", scope="review", ended_at=TEN + 3_000 + index) for index in (1, 2)]
    drafted = leg("d", kind="draft", is_answer=True)
    spans = sent(turn("f1", drafted, *critics, pattern="critique"))
    assert [(name, at) for name, at, _ in events(spans[1])] == [
        ("gen_ai.evaluation.result", TEN + 3_001),
        ("gen_ai.evaluation.result", TEN + 3_002),
    ]
    assert events(spans[1])[0][2] == {"gen_ai.evaluation.name": "fusion.critic", F + "phase.id": "c1"}


def test_a_second_judge_stands_on_the_repair_it_saw_and_a_failed_try_on_no_span() -> None:
    made = turn(
        "f1",
        leg("p"),
        leg("j1", index=1, kind="judge", scope="review", verdict="reject"),
        leg("r", index=2, kind="repair"),
        leg("x", index=3, kind="repair", status="failed"),
        leg("j2", index=4, kind="judge", scope="review", verdict="accept"),
    )
    found = {values(span.attributes)[F + "phase.id"]: [facts for _, _, facts in events(span)] for span in sent(made)[1:]}
    assert [fact[F + "phase.id"] for fact in found["p"]] == ["j1"]
    assert [fact[F + "phase.id"] for fact in found["r"]] == ["j2"]
    assert found["x"] == []


def test_a_judge_that_failed_is_an_evaluation_with_an_error_and_one_that_was_cancelled_is_none() -> None:
    failed = leg("j1", index=1, kind="judge", status="failed", reason="judge_invalid_output")
    cancelled = leg("j2", index=2, kind="judge", status="cancelled")
    primary = sent(turn("f1", leg("p"), failed, cancelled))[1]
    assert [facts for _, _, facts in events(primary)] == [
        {"gen_ai.evaluation.name": "fusion.judge", F + "phase.id": "j1", "error.type": "judge_invalid_output"}
    ]


@pytest.mark.parametrize(
    ("outcome", "degraded", "error"),
    [
        ("completed", None, None),
        ("completed", "primary_failed", None),
        ("cancelled", None, None),
        ("something new", None, None),
        ("failed", None, "failed"),
        ("Error: 5", "repair_failed", "repair_failed"),
    ],
)
def test_only_a_failed_outcome_is_an_error(outcome: str, degraded: str | None, error: str | None) -> None:
    root = sent(turn("f1", leg(), outcome=outcome, degraded_reason=degraded))[0]
    assert root.status.code == (Status.STATUS_CODE_ERROR if error else Status.STATUS_CODE_UNSET)
    assert values(root.attributes).get("error.type") == error


def test_a_failed_leg_is_an_error_and_a_rejected_or_cancelled_one_is_not() -> None:
    legs = [
        leg("a", status="failed", reason="model_unavailable", degraded_to="b"),
        leg("b", index=1, status="failed", reason="my secret\nreason"),
        leg("c", index=2, status="failed"),
        leg("d", index=3, status="cancelled"),
        leg("e", index=4, kind="judge", verdict="reject"),
    ]
    root, *found = sent(turn("f1", *legs, degraded_reason="primary_failed"))
    assert [span.status.code == Status.STATUS_CODE_ERROR for span in found] == [True, True, True, False, False]
    assert [values(span.attributes).get("error.type") for span in found] == [
        "model_unavailable", "my secret reason", "_OTHER", None, None,
    ]  # fmt: skip
    assert [span.status.message for span in found] == ["model_unavailable", "", "", "", ""]
    assert ("degraded", TEN + 2_000, {F + "degraded_reason": "model_unavailable", F + "phase.degraded_to": "b"}) in events(root)


def test_a_degraded_turn_without_a_failed_leg_says_so_at_its_end() -> None:
    root = sent(turn("f1", leg(), state="degraded", degraded_reason="critic_failed"))[0]
    assert ("degraded", TEN + 9_000, {F + "degraded_reason": "critic_failed"}) in events(root)


def test_a_failed_route_is_a_root_of_its_own() -> None:
    failed = turn(
        "attempt-1", state="failed", outcome=None, pattern=None, route_failure="router_timeout", fallback_model="m-big",
        routing_latency_ms=200.0, ended_at=TEN + 200, last_event_at=TEN + 200, duration_ms=200.0, reported_nano_aiu=None,
        reported_requests=None, reported_phases=None,
    )  # fmt: skip
    (root,) = sent(failed)
    assert root.name == "fusion route_failed"
    assert root.trace_id.hex() == cut("trace:attempt-1", 32)
    assert (root.start_time_unix_nano, root.end_time_unix_nano) == (TEN * 10**6, (TEN + 200) * 10**6)
    assert (root.status.code, root.status.message) == (Status.STATUS_CODE_ERROR, "router_timeout")
    found = values(root.attributes)
    assert (found["error.type"], found[F + "fallback_model"]) == ("router_timeout", "m-big")
    assert not {F + "pattern", F + "models", F + "credits", F + "request_count", "gen_ai.response.model"} & found.keys()


def test_a_turn_whose_route_is_not_in_the_log_is_unknown() -> None:
    assert sent(turn("f1", leg(), pattern=None))[0].name == "fusion unknown"


def test_a_turn_that_was_given_up_is_marked_and_ends_with_what_was_last_heard() -> None:
    given_up = turn("f1", leg(), state="abandoned", outcome=None, ended_at=None, duration_ms=None, last_event_at=TEN + 2_000)
    root = sent(given_up)[0]
    assert values(root.attributes)[F + "incomplete"] is True
    assert F + "outcome" not in values(root.attributes)
    assert root.status.code == Status.STATUS_CODE_UNSET
    assert root.end_time_unix_nano == (TEN + 2_000) * 10**6


def test_of_a_turn_that_goes_on_only_what_is_new_is_sent_under_the_same_ids() -> None:
    before = CASCADE._replace(state="abandoned", legs=CASCADE.legs[:2])
    first = sent(before)
    second = sent(CASCADE, root_sent=True, sent_legs={(part.phase_id, part.attempt) for part in before.legs})
    assert [span.name for span in second] == ["repair gpt-5.6-sol"]
    assert second[0].parent_span_id == first[0].span_id
    assert [span.span_id for span in first + second] == [span.span_id for span in sent(CASCADE)]


def test_nothing_is_sent_of_an_open_turn() -> None:
    assert turn_spans(CASCADE._replace(state="open"), RESOURCE) == []


def test_the_root_covers_a_leg_that_the_clock_puts_outside_its_turn() -> None:
    early = leg("a", ended_at=TEN + 500, duration_ms=2_000.0)
    late = leg("b", index=1, ended_at=TEN + 20_000)
    root, first, second = sent(turn("f1", early, late))
    assert root.start_time_unix_nano == first.start_time_unix_nano == (TEN - 1_500) * 10**6
    assert root.end_time_unix_nano == second.end_time_unix_nano == (TEN + 20_000) * 10**6


def test_repository_branch_and_what_has_no_name_in_the_table_stay_here() -> None:
    secret = "s3cret-place"  # the same text wherever the log has a place
    made = turn("f1", leg(), repository=secret, branch=secret, agent_id=secret, scores=((secret, 1.0), ("reasoning", 0.5)))
    spans = sent(made)
    assert secret.encode() not in b"".join(span.SerializeToString() for span in spans)
    assert values(spans[0].attributes)[F + "score.reasoning"] == 0.5


def test_a_megabyte_of_verdict_and_a_newline_in_a_model_are_made_fit() -> None:
    made = turn("f1", leg(model="m\nsm\x00all\ud800", kind="judge", verdict="v" * 1_000_000))
    span = sent(made)[1]
    assert span.name == "judge m sm all�"
    verdict = values(span.attributes)[F + "phase.verdict"]
    assert len(verdict) == 512
    assert verdict.endswith("v… (cut)")


def test_three_hundred_legs_are_three_hundred_spans_and_a_bounded_root() -> None:
    legs = [leg(f"p{index}", index=index, model=f"m{index}") for index in range(300)]
    spans = sent(turn("f1", *legs))
    assert len({span.span_id for span in spans}) == 301
    models = values(spans[0].attributes)[F + "models"]
    assert (len(models), models[63], models[64]) == (65, "m63", "… (cut)")


def test_empty_texts_are_left_off_and_names_stay_whole() -> None:
    span = sent(turn("f1", leg(model="", kind="", role="", reasoning_effort=" ")))[1]
    assert span.name == "unknown unknown"
    assert not {"gen_ai.response.model", "gen_ai.request.reasoning.level", F + "phase.role"} & values(span.attributes).keys()


def test_what_the_log_does_not_say_is_not_zero() -> None:
    span = sent(turn("f1", leg(nano_aiu=None)))[1]
    assert not {"github.copilot.nano_aiu", F + "credits"} & values(span.attributes).keys()


def test_bits_of_newer_versions_are_sent_where_they_are_set() -> None:
    root, first = sent(turn("f1", leg(background_work=True, reasoning_effort="high"), awaiting_background_work=True))
    assert values(root.attributes)[F + "awaiting_background_work"] is True
    assert values(first.attributes)[F + "phase.ended_with_background_work"] is True
    assert values(first.attributes)["gen_ai.request.reasoning.level"] == "high"


def test_handoffs_are_cleaned_like_everything_else() -> None:
    made = turn("f1", leg(), handoffs=(Handoff("a\nb", "", "m", TEN + 10),))
    assert events(sent(made)[0])[0] == ("handoff", TEN + 10, {F + "source_phase_id": "a b", F + "target_model": "m"})


def checked(spans: list[ReadableSpan]) -> list[Span]:
    """Encode spans; the encoder logs and drops what it cannot, so compare what went in with what comes out."""
    arrived = arrived_spans(spans)
    assert [dict(span.attributes or {}).keys() for span in spans] == [values(span.attributes).keys() for span in arrived]
    return arrived


@given(turns())
@hostile
def test_any_turn_encodes_with_valid_ids_true_order_and_no_empty_value(made: Turn) -> None:
    root, *rest = checked(turn_spans(made, RESOURCE))
    tools = rest[len(made.legs) :]
    assert len(tools) == sum(call.ended_at is not None for call in made.tool_calls)
    assert len({span.span_id for span in [root, *rest]}) == len(rest) + 1
    for span in [root, *rest]:
        assert len(span.trace_id) == 16
        assert any(span.trace_id)
        assert len(span.span_id) == 8
        assert any(span.span_id)
        assert span.start_time_unix_nano <= span.end_time_unix_nano
        if span not in tools:
            assert root.start_time_unix_nano <= span.start_time_unix_nano
            assert span.end_time_unix_nano <= root.end_time_unix_nano
        assert span.name == span.name.strip() == " ".join(span.name.split())
        assert len(span.name) <= 257
        found = values(span.attributes)
        assert found.keys() <= names.SPAN_ATTRIBUTES
        assert not [key for key, value in found.items() if value is None or value in ("", [])]
        assert all(len(value) <= 512 for value in found.values() if isinstance(value, str))
        for event in span.events:
            assert event.name in names.EVENTS
            assert values(event.attributes).keys() <= names.EVENT_ATTRIBUTES


@given(turns())
@hostile
def test_the_same_turn_gives_the_same_bytes_on_every_run(made: Turn) -> None:
    first, second = (sent(made) for _ in range(2))
    assert [span.SerializeToString() for span in first] == [span.SerializeToString() for span in second]


def test_legs_are_told_apart_by_their_attempt() -> None:
    twice: list[Leg] = [leg("p", status="failed"), leg("p", index=1, attempt=1)]
    assert len({span.span_id for span in sent(turn("f1", *twice))}) == 3
