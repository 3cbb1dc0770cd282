"""The committed dashboard: it is what the generator makes, and Grafana finds in it what it needs."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import pytest

from stack.dashboard.build import dashboard_json
from tests.stack.board import BOARD, DASHBOARD

ROWS = ["Fusion", "Who did the work?", "What did it cost?", "Is the route moving?", "One turn"]
PANELS: list[dict[str, Any]] = [panel for panel in BOARD["panels"] if panel["type"] != "row"]
UIDS = {"prometheus": "fusionscope-prometheus", "tempo": "fusionscope-tempo"}


def titled(panel: dict[str, Any]) -> str:
    return str(panel["title"])


def test_the_committed_file_is_what_the_generator_makes() -> None:
    assert DASHBOARD.read_text(encoding="utf-8") == dashboard_json()


def test_it_is_a_classic_dashboard_that_grafana_11_loads() -> None:
    assert BOARD["schemaVersion"] <= 42
    assert BOARD["uid"] == "fusionscope"
    assert not BOARD["editable"]
    assert "__inputs" not in BOARD


def test_the_rows_answer_the_questions_in_order() -> None:
    assert [panel["title"] for panel in BOARD["panels"] if panel["type"] == "row"] == ROWS


def test_ids_and_titles_are_unique() -> None:
    for key in ("id", "title"):
        values = [panel[key] for panel in BOARD["panels"]]
        assert len(set(values)) == len(values)


def test_panels_fill_the_grid_and_do_not_overlap() -> None:
    places = [panel["gridPos"] for panel in BOARD["panels"]]
    for place in places:
        assert place["x"] >= 0
        assert place["x"] + place["w"] <= 24
    for one, other in combinations(places, 2):
        beside = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        assert beside or one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
    assert sum(place["w"] * place["h"] for place in places) == 24 * max(place["y"] + place["h"] for place in places)


def test_every_data_source_is_one_of_the_two_that_are_provisioned() -> None:
    queries = [target["datasource"] for panel in PANELS for target in panel["targets"]]
    variables = [variable["datasource"] for variable in BOARD["templating"]["list"] if "datasource" in variable]
    for source in [*queries, *variables, *(panel["datasource"] for panel in PANELS)]:
        assert source == {"type": source["type"], "uid": UIDS[source["type"]]}


@pytest.mark.parametrize("panel", PANELS, ids=titled)
def test_every_panel_says_what_it_means(panel: dict[str, Any]) -> None:
    assert len(panel["description"]) > 60
    assert panel["description"].endswith(".")


@pytest.mark.parametrize("panel", PANELS, ids=titled)
def test_what_is_one_number_is_asked_for_once_over_the_whole_range(panel: dict[str, Any]) -> None:
    for target in panel["targets"]:
        if "expr" not in target:
            continue
        assert target["instant"] == (panel["type"] in ("stat", "bargauge", "table"))
        assert target["instant"] != target["range"]
        assert ("$__range" in target["expr"], "$__interval" in target["expr"]) == (target["instant"], target["range"])
        assert ("interval" in panel) == target["range"]


@pytest.mark.parametrize("panel", PANELS, ids=titled)
def test_grafana_uses_only_the_first_traceql_of_a_panel_so_there_is_one(panel: dict[str, Any]) -> None:
    assert len([target for target in panel["targets"] if "query" in target]) in (0, 1)


def test_no_query_sees_only_five_minutes_or_takes_amounts_for_counters() -> None:
    for panel in PANELS:
        for target in panel["targets"]:
            query = target.get("expr", "")
            assert not re.search(r"\b(rate|irate|increase|delta)\(", query)
            selectors = len(re.findall(r"github_copilot_fusion_\w+(?:\{[^}]*\})?\[", query))
            assert selectors == len(re.findall(r"\b(?:sum|count|quantile)_over_time\(", query)), query


def test_variables_are_session_from_traces_pattern_model_and_a_hidden_trace() -> None:
    found = {variable["name"]: variable for variable in BOARD["templating"]["list"]}
    assert list(found) == ["session", "pattern", "model", "traceId"]
    assert found["session"]["datasource"]["type"] == "tempo"
    assert found["session"]["query"]["label"] == "gen_ai.conversation.id"
    assert found["traceId"]["hide"] == 2
    for name in ("session", "pattern", "model"):
        assert (found[name]["includeAll"], found[name]["multi"], found[name]["allValue"]) == (True, True, ".+")


def links(title: str) -> dict[str, str]:
    (panel,) = [panel for panel in PANELS if panel["title"] == title]
    return {
        override["matcher"]["options"]: link["url"]
        for override in panel["fieldConfig"]["overrides"]
        for found in override["properties"]
        if found["id"] == "links"
        for link in found["value"]
    }


@pytest.mark.parametrize("title", ["Every turn", "Degraded and failed turns", "What the CLI sent of the session"])
def test_a_click_on_a_row_loads_its_waterfall_and_keeps_the_rest(title: str) -> None:
    (url,) = [url for column, url in links(title).items() if column != "session"]
    assert url.startswith("/d/fusionscope?${__url_time_range}&")
    assert url.endswith("&var-traceId=${__data.fields.traceIdHidden}")
    assert {f"${{{name}:queryparam}}" for name in ("session", "pattern", "model")} <= set(url.split("?")[1].split("&"))


@pytest.mark.parametrize("title", ["Every turn", "What the CLI sent of the session"])
def test_turns_and_the_clis_own_spans_lead_to_each_other_by_the_session(title: str) -> None:
    assert 'var-session=${__data.fields["gen_ai.conversation.id"]}' in links(title)["session"]


def test_the_waterfall_shows_the_trace_that_was_clicked() -> None:
    (panel,) = [panel for panel in PANELS if panel["type"] == "traces"]
    assert [target["query"] for target in panel["targets"]] == ["${traceId}"]


def test_no_model_and_no_session_is_named() -> None:
    written = DASHBOARD.read_text(encoding="utf-8").lower()
    assert not re.search(r"gpt|claude|mai-|gemini|hydrafusion", written)
