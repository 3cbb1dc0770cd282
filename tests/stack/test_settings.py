"""The settings of collector, Tempo, Prometheus and Grafana that figures depend on, and that the files agree with each other."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml

from fusionscope.export import names
from tests.stack.programs import ROOT

PROVISIONING = ROOT / "stack/grafana/provisioning"


def load(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


COLLECTOR, TEMPO, PROMETHEUS = (load(f"stack/{name}") for name in ("collector.yaml", "tempo.yaml", "prometheus/prometheus.yml"))
SOURCES = {source["uid"]: source for source in load("stack/grafana/provisioning/datasources/fusionscope.yaml")["datasources"]}


def hours(span: str) -> int:
    number, unit = re.fullmatch(r"(\d+)([hd])", span).groups()  # type: ignore[union-attr]
    return int(number) * {"h": 1, "d": 24}[unit]


def test_the_collector_answers_only_when_the_back_end_has_answered() -> None:
    traces, metrics = COLLECTOR["exporters"]["otlp_grpc"], COLLECTOR["exporters"]["prometheus_remote_write"]
    assert traces["sending_queue"] == traces["retry_on_failure"] == {"enabled": False}
    assert metrics["remote_write_queue"] == metrics["retry_on_failure"] == {"enabled": False}
    assert all("processors" not in pipeline for pipeline in COLLECTOR["service"]["pipelines"].values())


def test_the_collector_adds_nothing_to_names_and_labels() -> None:
    metrics = COLLECTOR["exporters"]["prometheus_remote_write"]
    assert metrics["translation_strategy"] == "UnderscoreEscapingWithoutSuffixes"
    assert metrics["disable_scope_info"] is True
    assert metrics["target_info"] == {"enabled": False}


def test_the_collector_uses_what_is_built_for_the_test_and_nothing_else() -> None:
    built = load("stack/collector-builder.yaml")
    modules = " ".join(entry["gomod"] for part in ("receivers", "exporters", "extensions") for entry in built[part])
    assert set(COLLECTOR["exporters"]) == {"otlp_grpc", "prometheus_remote_write"}
    for module in ("otlpreceiver", "otlpexporter", "prometheusremotewriteexporter", "healthcheckextension"):
        assert f"/{module} " in modules
    assert set(COLLECTOR["receivers"]) == {"otlp"}
    assert set(COLLECTOR["extensions"]) == set(COLLECTOR["service"]["extensions"]) == {"health_check"}


def test_old_turns_keep_their_dates_in_tempo() -> None:
    assert hours(TEMPO["live_store"]["wal"]["ingestion_time_range_slack"]) >= 30 * 24
    assert "ingestion_time_range_slack" not in TEMPO["storage"]["trace"]["wal"], "of no effect in 3.x"
    kept = TEMPO["backend_worker"]["compaction"]["block_retention"]
    assert hours(kept) >= 30 * 24
    assert TEMPO["backend_scheduler"]["provider"]["compaction"]["compaction"]["block_retention"] == kept
    assert TEMPO["query_frontend"]["query_end_cutoff"] == "0s"
    assert TEMPO["storage"]["trace"]["blocklist_poll"] == "10s"


@pytest.mark.parametrize("key", ["ingester", "compactor", "metrics_generator", "overrides"])
def test_tempo_has_no_settings_of_2_x_and_makes_no_metrics_of_spans(key: str) -> None:
    assert key not in TEMPO


def test_prometheus_takes_whatever_it_keeps() -> None:
    (kept,) = [
        word.partition("=")[2]
        for word in load("compose.yaml")["services"]["prometheus"]["command"]
        if word.startswith("--storage.tsdb.retention.time=")
    ]
    window = PROMETHEUS["storage"]["tsdb"]["out_of_order_time_window"]
    assert hours(kept) >= hours(window) >= 30 * 24
    assert "scrape_configs" not in PROMETHEUS


def test_the_data_sources_have_the_uids_that_the_dashboard_names_and_reach_the_services() -> None:
    assert {uid: (source["type"], source["url"], source.get("isDefault", False)) for uid, source in SOURCES.items()} == {
        "fusionscope-prometheus": ("prometheus", "http://prometheus:9090", True),
        "fusionscope-tempo": ("tempo", "http://tempo:3200", False),
    }
    assert not any(source["editable"] for source in SOURCES.values())


def test_the_links_lead_to_data_sources_that_are_there() -> None:
    tempo = SOURCES["fusionscope-tempo"]
    assert tempo["jsonData"]["tracesToMetrics"]["datasourceUid"] in SOURCES
    assert {link["targetUID"] for link in tempo["correlations"]} == {"fusionscope-tempo"}


def test_a_turn_and_the_clis_spans_of_its_session_lead_to_each_other() -> None:
    services = {"github-copilot", names.SERVICE}
    for link in SOURCES["fusionscope-tempo"]["correlations"]:
        query = link["config"]["target"]["query"]
        (service,) = services & set(re.findall(r'resource\.service\.name = "([^"]+)"', query))
        services.remove(service)
        assert f'span.{names.CONVERSATION_ID} = "$$conversation"' in query
        (found,) = link["config"]["transformations"]
        # as Grafana applies it: to the JSON of the span's attributes
        tags = json.dumps(
            [
                {"key": names.FUSION_ID, "value": "fusion-1"},
                {"key": names.CONVERSATION_ID, "value": "a3f1"},
                {"key": names.PATTERN, "value": "cascade"},
            ],
            separators=(",", ":"),
        )
        match = re.search(found["expression"], tags)
        assert match
        assert (found["field"], found["mapValue"], match[1]) == ("tags", "conversation", "a3f1")
    assert not services


def test_from_a_leg_a_link_leads_to_the_credits_of_its_model() -> None:
    link = SOURCES["fusionscope-tempo"]["jsonData"]["tracesToMetrics"]
    assert link["tags"] == [{"key": names.RESPONSE_MODEL, "value": names.RESPONSE_MODEL.replace(".", "_")}]
    (query,) = link["queries"]
    assert names.LEG_CREDITS.name.replace(".", "_") in query["query"]
    assert names.RESPONSE_MODEL in names.LEG_CREDITS.labels


def test_a_dollar_is_doubled_where_grafana_fills_in_the_environment() -> None:
    for file in PROVISIONING.rglob("*.yaml"):
        assert not re.search(r"(?<!\$)\$(\$\$)*(?!\$)[\w{]", file.read_text(encoding="utf-8")), file


def test_the_dashboard_is_provisioned_from_where_it_is_mounted() -> None:
    (provider,) = load("stack/grafana/provisioning/dashboards/fusionscope.yaml")["providers"]
    grafana = load("compose.yaml")["services"]["grafana"]
    assert f"./stack/grafana/dashboards:{provider['options']['path']}:ro" in grafana["volumes"]
    assert grafana["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"] == (
        f"{provider['options']['path']}/fusionscope.json"
    )
    assert provider["allowUiUpdates"] is False


def test_nobody_is_told_of_an_alert_by_default() -> None:
    files = list((PROVISIONING / "alerting").glob("*.yaml"))
    assert [yaml.safe_load(file.read_text(encoding="utf-8")) for file in files] == [{"apiVersion": 1}]
