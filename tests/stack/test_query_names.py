"""Every metric, label and attribute that a query names is one that the exporter sends."""

from __future__ import annotations

import re
from itertools import chain

import promql_parser
import pytest

from fusionscope.export import names
from tests.stack.board import BOARD, RULES, filled, promql, traceql

METRICS = {metric.name.replace(".", "_"): {label.replace(".", "_") for label in metric.labels} for metric in names.SAMPLES}
VARIABLES = {
    "__range": "7d",
    "__interval": "1d",
    "pattern": ".+",
    "model": ".+",
    "session": ".+",
    "traceId": "0af7651916cd43dd",
}
QUERIES = {
    **{f"{target.panel} {target.ref_id}": filled(target.query, **VARIABLES) for target in promql()},
    **{rule.name: rule.expression for rule in RULES},
}
TRACES = {target.panel: filled(target.query, **VARIABLES) for target in traceql()}

_SELECTOR = re.compile(r"(github_copilot_fusion_\w+)(?:\{([^}]*)\})?\[")
_GROUPING = re.compile(r"\b(?:by|on|ignoring|without) \(([^)]*)\)")
_LABEL = re.compile(r'(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"')
_ATTRIBUTE = re.compile(r"\b(?:span|resource)\.([a-z][\w.]*\w)")


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_promql_parses(query: str) -> None:
    assert promql_parser.parse(query) is not None


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_promql_names_what_is_sent(query: str) -> None:
    found = _SELECTOR.findall(query)
    assert found
    known = METRICS
    for metric, conditions in found:
        assert {label for label, _ in _LABEL.findall(conditions)} <= known[metric]
    grouped = {label.strip() for labels in _GROUPING.findall(query) for label in labels.split(",")} - {""}
    assert grouped <= set.intersection(*(known[metric] for metric, _ in found)), "a label to group by that a metric has not"


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_values_that_promql_compares_with_are_values_of_labels(query: str) -> None:
    words = {
        *names.PATTERNS,
        *names.KINDS,
        *names.STATUSES,
        *names.VERDICTS,
        *names.OUTCOMES,
        names.OTHER,
        "true",
        "false",
        ".+",
    }
    for _, conditions in _SELECTOR.findall(query):
        assert {value for _, value in _LABEL.findall(conditions)} <= words


@pytest.mark.parametrize("query", TRACES.values(), ids=TRACES)
def test_traceql_names_what_is_sent(query: str) -> None:
    sent = names.SPAN_ATTRIBUTES | {names.SERVICE_NAME}
    assert set(_ATTRIBUTE.findall(query)) <= sent


@pytest.mark.parametrize("query", TRACES.values(), ids=TRACES)
def test_traceql_names_no_attribute_that_is_a_list(query: str) -> None:
    # a column of a list breaks the Tempo plugin of Grafana 13
    assert not {names.MODELS, names.CRITIC_MODELS, names.UNKNOWN_WORDS} & set(_ATTRIBUTE.findall(query))


def test_legends_and_columns_name_what_is_sent() -> None:
    labels = set(chain.from_iterable(METRICS.values()))
    fixed = {"Time", "Start time", "Name", "Duration", "Trace Service", "Trace Name", "Span ID", "status"}
    for panel in BOARD["panels"]:
        for target in panel.get("targets", []):
            assert set(re.findall(r"\{\{(\w+)\}\}", target.get("legendFormat", ""))) <= labels
        for transformation in panel.get("transformations", []):
            shown = {name for name in transformation["options"].get("renameByName", {}) if not name.startswith("Value #")}
            assert shown <= labels | names.SPAN_ATTRIBUTES | fixed
