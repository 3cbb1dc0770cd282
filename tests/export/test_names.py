"""The names are an interface: dashboards and alerts of other people hold them. The expected ones are written out here."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import fusionscope.export
from fusionscope.export import names

GEN_AI = {
    "gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "gen_ai.response.model", "gen_ai.agent.name",
    "gen_ai.conversation.id", "gen_ai.request.reasoning.level", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens",
    "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_write.input_tokens", "error.type", "gen_ai.tool.name",
    "gen_ai.tool.call.id", "gen_ai.tool.type", "process.exit.code",
}  # fmt: skip
FUSION = {
    "id", "credits", "request_count", "turn_id", "commit_id", "pattern", "policy", "route_source", "plan_version",
    "policy_version", "model_universe_version", "contract_version", "rule_id", "selected_rule_id", "score.reasoning",
    "score.code_gen", "score.debugging", "score.tool_use", "primary_model", "secondary_model", "judge_model",
    "repair_model", "fallback_model", "follow_up_model", "critic_models", "routing_latency_ms", "outcome",
    "degraded_reason", "phase_count", "models", "compound", "uncommitted_credits", "awaiting_background_work",
    "incomplete", "phase.id", "phase.kind", "phase.role", "phase.scope", "phase.status", "phase.verdict", "phase.index",
    "phase.committed", "phase.degraded_to", "phase.ended_with_background_work", "has_user_steering", "unknown_words",
}  # fmt: skip
P, K, C, M = "pattern", "phase.kind", "phase.committed", "gen_ai.response.model"
END = (P, K, "phase.status", "phase.verdict", M)
ROUTE = ("route_source", "policy", "error.type")
TOOL = ("gen_ai.tool.name", "success", K)
SAMPLES = {
    "leg": END, "leg.credits": (P, K, C, M), "leg.input_tokens": (P, K, M), "leg.output_tokens": (P, K, M),
    "leg.cache_read_tokens": (P, K, M), "leg.cache_write_tokens": (P, K, M), "leg.inference_calls": (P, K, M),
    "leg.seconds": (P, K, M), "turn": (P, "compound", "outcome", "policy", M), "turn.seconds": (P, "outcome"),
    "route.seconds": ROUTE, "leg.tool_calls": TOOL, "turn.unknown_words": (P,),
}  # fmt: skip
TOTALS = {
    "turn.count": ("{turn}", (P, "outcome", "policy", M)), "turn.duration": ("s", (P, "outcome")),
    "route.duration": ("s", ROUTE), "phase.count": ("{phase}", END), "phase.duration": ("s", (P, K, M)),
    "credits": ("{credit}", (P, K, C, M)), "usage.input_tokens": ("{token}", (P, K, M)),
    "usage.output_tokens": ("{token}", (P, K, M)), "usage.cache_read.input_tokens": ("{token}", (P, K, M)),
    "usage.cache_write.input_tokens": ("{token}", (P, K, M)), "inference_calls": ("{inference_call}", (P, K, M)),
    "tool.call.count": ("{call}", TOOL), "unknown_word.count": ("{word}", (P,)),
}  # fmt: skip


def full(name: str) -> str:
    return name if name.startswith(("gen_ai.", "error.", "success")) else f"github.copilot.fusion.{name}"


def test_span_attributes_are_those_of_the_table() -> None:
    cli = {f"github.copilot.{name}" for name in ("nano_aiu", "cli.version", "turn_id", "interaction_id")}
    assert GEN_AI | cli | {full(name) for name in FUSION} == names.SPAN_ATTRIBUTES


def test_events_are_those_of_the_table() -> None:
    ours = {full(name) for name in ("route_resolved", "handoff", "commit", "degraded")}
    assert {"gen_ai.evaluation.result"} | ours == names.EVENTS
    assert {"gen_ai.evaluation.name", "gen_ai.evaluation.score.label", full("phase.id")} <= names.EVENT_ATTRIBUTES


def test_samples_have_no_unit_and_the_labels_of_the_table() -> None:
    found = {metric.name: (metric.unit, metric.labels) for metric in names.SAMPLES}
    assert found == {full(name): ("", tuple(map(full, labels))) for name, labels in SAMPLES.items()}


def test_counters_have_the_units_and_labels_of_the_table() -> None:
    found = {metric.name: (metric.unit, metric.labels) for metric in names.TOTALS}
    assert found == {full(name): (unit, tuple(map(full, labels))) for name, (unit, labels) in TOTALS.items()}


def test_no_metric_name_is_used_twice_or_ends_in_total() -> None:
    found = [metric.name for metric in (*names.SAMPLES, *names.TOTALS)]
    assert len(set(found)) == len(found)
    assert not [name for name in found if name.endswith("total")]


def test_histogram_bounds_double_as_the_table_says() -> None:
    assert list(names.TURN_BOUNDS) == [1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0]
    assert pytest.approx([0.01 * 2**step for step in range(14)]) == names.ROUTE_BOUNDS
    assert pytest.approx([0.1 * 2**step for step in range(13)]) == names.PHASE_BOUNDS


def test_labels_never_hold_an_id() -> None:
    labels = {label for metric in (*names.SAMPLES, *names.TOTALS) for label in metric.labels}
    assert not labels & {names.FUSION_ID, names.PHASE_ID, names.TURN_ID, names.COMMIT_ID, names.CONVERSATION_ID}


def test_no_other_module_spells_a_name() -> None:
    for path in Path(fusionscope.export.__path__[0]).glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        docs = {
            ast.get_docstring(node, clean=False)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        }
        spelled = [text for text in texts if text not in docs and text.startswith(("gen_ai", "github.", "error.", "service."))]
        assert path.name == "names.py" or not spelled, f"{path.name} spells {spelled}"
