from __future__ import annotations

from hypothesis import given

from fusionscope.export import names
from fusionscope.export.labels import Labels, first_seen, pick
from fusionscope.model import Turn
from tests.export.strategies import hostile, turns
from tests.turns import TEN, call, leg, turn

ALLOWED: dict[str, set[str | bool]] = {
    "github.copilot.fusion.pattern": {"single", "cascade", "critique", "unknown", "_other"},
    "github.copilot.fusion.compound": {True, False},
    "github.copilot.fusion.outcome": {"completed", "failed", "cancelled", "abandoned", "_other"},
    "github.copilot.fusion.policy": {"standard", "high", "max", "none", "_other"},
    "github.copilot.fusion.route_source": {"capi_plan", "local_policy", "versioned_decision", "none", "_other"},
    "github.copilot.fusion.phase.kind": {
        "primary", "judge", "repair", "draft", "critic", "revision", "follow_up", "none", "_other",
    },
    "github.copilot.fusion.phase.status": {"succeeded", "failed", "cancelled", "_other"},
    "github.copilot.fusion.phase.verdict": {"accept", "reject", "none", "_other"},
    "github.copilot.fusion.phase.committed": {True, False},
    "gen_ai.response.model": {"m-small", "none", "_other"},
    "gen_ai.tool.name": {"bash", "unknown", "_other"},
    "success": {True, False},
    "error.type": {
        "primary_call_failed", "judge_call_failed", "judge_invalid_output", "repair_failed", "critic_failed",
        "critic_invalid", "revision_failed", "model_unavailable", "invalid_output", "primary_failed", "router_timeout",
        "_other",
    },
}  # fmt: skip


@given(turns())
@hostile
def test_whatever_a_log_says_a_label_is_one_of_a_few_values(made: Turn) -> None:
    labels = Labels(["m-small"], ["bash"])
    of_legs = [labels.of_leg(made, part) for part in made.legs]
    of_tools = [labels.of_tool(part, called) for called in made.tool_calls for part in (None, *made.legs)]
    for found in [labels.of_turn(made), labels.of_route(made), *of_legs, *of_tools]:
        assert not [(key, value) for key, value in found.items() if value not in ALLOWED[key]]


def test_known_values_keep_their_name_and_new_ones_are_other() -> None:
    labels = Labels(["m-small"])
    judged = leg(kind="judge", verdict="reject", status="cancelled")
    found = labels.of_leg(turn("f1", judged, pattern="cascade"), judged)
    assert found["github.copilot.fusion.phase.verdict"] == "reject"
    assert found["gen_ai.response.model"] == "m-small"
    new = leg(kind="oracle", verdict="maybe", status="paused", model="m-new")
    assert set(labels.of_leg(turn("f1", new, pattern="quorum"), new).values()) == {"_other", False}


def test_what_is_missing_is_none_and_a_success_has_no_error() -> None:
    labels = Labels([])
    given_up = turn("f1", pattern=None, outcome=None, state="abandoned", policy=None, route_source=None, answer_model=None)
    assert labels.of_turn(given_up) == {
        "github.copilot.fusion.pattern": "unknown",
        "github.copilot.fusion.compound": False,
        "github.copilot.fusion.outcome": "abandoned",
        "github.copilot.fusion.policy": "none",
        "gen_ai.response.model": "none",
    }
    assert "error.type" not in labels.of_route(given_up)
    assert labels.of_route(given_up._replace(route_failure="new_reason"))["error.type"] == "_other"


def test_the_first_twenty_models_keep_their_name() -> None:
    labels = Labels(["m0", "m0", "", *(f"m{number}" for number in range(25))])
    assert [labels.model(f"m{number}") for number in (0, 19, 20, 24)] == ["m0", "m19", "_other", "_other"]
    assert (labels.model(None), labels.model("")) == ("none", "none")


def test_the_first_fifty_tools_keep_their_name_and_one_whose_start_is_lost_is_unknown() -> None:
    labels = Labels([], [f"t{number}" for number in range(60)])

    def label(name: str) -> str | bool:
        return labels.of_tool(None, call(name=name))["gen_ai.tool.name"]

    assert [label(name) for name in ("t0", "t49", "t50", "unknown", "")] == ["t0", "t49", "_other", "unknown", "unknown"]


def test_a_tool_call_without_a_leg_has_no_kind_and_one_without_a_result_no_success() -> None:
    labels = Labels([], ["bash"])
    assert labels.of_tool(leg(kind="judge"), call(success=False)) == {
        "gen_ai.tool.name": "bash",
        "github.copilot.fusion.phase.kind": "judge",
        "success": False,
    }
    assert labels.of_tool(None, call(success=None)) == {
        "gen_ai.tool.name": "bash",
        "github.copilot.fusion.phase.kind": "none",
    }


def test_a_model_with_a_newline_is_the_same_label_as_its_clean_name() -> None:
    assert Labels(["m\nx"]).model("m x") == "m x"


def test_models_are_first_seen_by_the_log_s_time_and_then_by_name() -> None:
    assert first_seen({"c": TEN + 1, "b": TEN, "a": TEN}) == ["a", "b", "c"]


def test_a_metric_has_its_own_labels_in_the_order_of_the_table() -> None:
    made = turn("f1", leg())
    found = pick(names.LEG_SECONDS, Labels([]).of_leg(made, made.legs[0]))
    assert list(found) == [
        "github.copilot.fusion.pattern",
        "github.copilot.fusion.phase.kind",
        "gen_ai.response.model",
    ]
