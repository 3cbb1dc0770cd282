"""The demo through the stack's own programs and configuration files. Run by `make stack-test`; the name keeps it out of others.

Prometheus and the collector must be there. Tempo is used where it is; without it the tests of Tempo are skipped, and what it
would get is looked at instead.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fusionscope.demo import days_until, write_demo
from fusionscope.demo.turns import PUBLIC_CASCADE
from fusionscope.export import names
from fusionscope.ids import trace_id
from tests.stack.cli_telemetry import HISTOGRAMS, SUMS, cli_metrics
from tests.stack.processes import Stack, session

#: 2026-09-10T00:00:00Z, the end of the demo's day
DAY_END = 1_788_998_400
#: all turns of the demo, and those of two of its sessions, added by hand from the table in fusionscope/demo/turns.py
ALL, PACKAGING, DECORATOR = 314.600484, 86.4519, 14.719596
CREDITS = "sum(sum_over_time(github_copilot_fusion_leg_credits[{}]))"


def exact(value: float) -> object:
    return pytest.approx(value, rel=1e-12)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with Stack(tmp_path_factory.mktemp("stack")) as stack:
        yield stack


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo on its own day, months before anything that is sent now."""
    return write_demo(tmp_path_factory.mktemp("demo"))


def fusionscope(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fusionscope", *map(str, words)], capture_output=True, text=True, timeout=120, check=False
    )


def send(stack: Stack, root: Path, database: Path, *signals: str) -> subprocess.CompletedProcess[str]:
    chosen = [word for signal in signals for word in ("--signal", signal)]
    return fusionscope("export", "--otlp", stack.otlp, "--root", root, "--db", database, *chosen)


@pytest.fixture(scope="module")
def sent(stack: Stack, demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Stack:
    """The stack after the CLI has reported something just now, and the demo of an earlier day was sent after that."""
    stack.post("/v1/metrics", cli_metrics(time.time_ns()))
    done = send(stack, demo, tmp_path_factory.mktemp("first") / "fusionscope.db", "metrics", "traces")
    assert done.returncode == 0, done.stderr
    return stack


def test_every_credit_of_the_day_is_there(sent: Stack) -> None:
    assert sent.value(CREDITS.format("1d"), DAY_END) == exact(ALL)


def test_a_part_of_the_day_has_its_own_credits(sent: Stack) -> None:
    # the session "packaging" is open from 01:57 to 02:26, the session "decorator" from 02:42:31 to 02:44:42
    assert sent.value(CREDITS.format("30m"), DAY_END - 86_400 + 2 * 3_600 + 26 * 60) == exact(PACKAGING)
    assert sent.value(CREDITS.format("3m"), DAY_END - 86_400 + 2 * 3_600 + 45 * 60) == exact(DECORATOR)


def test_every_model_has_the_credits_of_the_field_report(sent: Stack) -> None:
    found = sent.by(
        "gen_ai_response_model",
        "sum by (gen_ai_response_model) (sum_over_time(github_copilot_fusion_leg_credits[1d]))",
        DAY_END,
    )
    assert {model: f"{credits:.2f}" for model, credits in found.items()} == {
        "gpt-5.6-sol": "180.73",
        "claude-opus-5": "131.78",
        "gpt-5.6-luna": "0.98",
        "mai-code-1.1-flash": "0.92",
        "gpt-5.6-terra": "0.19",
    }


def test_sending_all_again_from_a_new_database_changes_no_figure(sent: Stack, demo: Path, tmp_path: Path) -> None:
    done = send(sent, demo, tmp_path / "fusionscope.db", "metrics")
    assert done.stdout.startswith("Sent 24 turns (328 points)")
    assert sent.value(CREDITS.format("1d"), DAY_END) == exact(ALL)
    assert sent.value("sum(sum_over_time(github_copilot_fusion_turn[1d]))", DAY_END) == 24


def test_a_restart_of_prometheus_and_of_the_collector_changes_no_figure(sent: Stack) -> None:
    for process in (sent.collector, sent.prometheus):
        process.stop()
        process.start()
    assert sent.value(CREDITS.format("1d"), DAY_END) == exact(ALL)


def test_what_cannot_be_delivered_stays_in_the_outbox_and_goes_when_prometheus_is_back(
    sent: Stack, demo: Path, tmp_path: Path
) -> None:
    sent.prometheus.stop()
    try:
        done = send(sent, demo, tmp_path / "fusionscope.db", "metrics")
    finally:
        sent.prometheus.start()
    assert done.returncode == 1
    assert "24 turns wait to be sent" in done.stderr
    assert send(sent, demo, tmp_path / "fusionscope.db", "metrics").stdout.startswith("Sent 24 turns")
    assert sent.value(CREDITS.format("1d"), DAY_END) == exact(ALL)


def test_prometheus_has_the_names_and_labels_of_the_table_and_no_others(sent: Stack) -> None:
    series = sent.ask("series", **{"match[]": '{job="fusionscope"}'}, start=DAY_END - 86_400, end=DAY_END)
    found: dict[str, set[str]] = {}
    for labels in series:
        found.setdefault(labels.pop("__name__"), set()).update(labels)
    under = str.maketrans(".", "_")
    assert found == {
        metric.name.translate(under): {
            "job", "instance", *(label.translate(under) for label in metric.labels if label != names.ERROR_TYPE)
        }
        for metric in names.SAMPLES
    }  # fmt: skip


def test_both_metric_vocabularies_of_the_cli_arrive_under_their_own_names(sent: Stack) -> None:
    now = time.time()
    for name in SUMS:
        assert sent.value(f'{name.replace(".", "_")}{{job="github-copilot"}}', now) == 12
    for name in HISTOGRAMS:
        assert sent.value(f'{name.replace(".", "_")}_sum{{job="github-copilot"}}', now) == 3


def test_the_follower_sends_the_demo_of_last_night(stack: Stack, tmp_path: Path) -> None:
    before = time.time()
    home = tmp_path / "demo"
    follower = subprocess.Popen(
        [sys.executable, "-m", "fusionscope", "up", "--page", "off", "--demo", str(home), "--otlp", stack.otlp],
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not _all_sent(home):
            time.sleep(0.5)
        assert _all_sent(home)
    finally:
        follower.terminate()
        assert follower.wait(30) == 0
    days = days_until(round(before * 1_000))
    assert stack.value(CREDITS.format("1d"), DAY_END + days * 86_400) == exact(ALL)


def _all_sent(home: Path) -> bool:
    database = home / "fusionscope.db"
    if not database.exists():
        return False
    asked = fusionscope("status", "--json", "--root", home, "--db", database)
    if asked.returncode:
        return False
    sent = {delivery["signal"]: delivery["sent"] for delivery in json.loads(asked.stdout)["outbox"]}
    return sent == {"traces": 24, "metrics": 24}


def test_tempo_gets_every_span_with_its_own_id_and_time(sent: Stack) -> None:
    if sent.tempo:
        pytest.skip("there is a Tempo, which is asked itself")
    spans = [span for span in sent.received.spans if span.end_time_unix_nano < DAY_END * 10**9]
    assert len(spans) == len({span.span_id for span in spans}) == 24 + 32
    (root,) = [span for span in spans if span.name == "fusion cascade" and span.end_time_unix_nano > _at(2, 40)]
    legs = [span for span in spans if span.parent_span_id == root.span_id]
    # the public turn: 1 min 16 s, three legs
    assert [leg.name for leg in sorted(legs, key=lambda leg: leg.start_time_unix_nano)] == [
        "primary mai-code-1.1-flash", "judge gpt-5.6-sol", "repair gpt-5.6-sol"
    ]  # fmt: skip
    assert (root.end_time_unix_nano - root.start_time_unix_nano) // 10**9 == 75


def _at(hour: int, minute: int) -> int:
    return (DAY_END - 86_400 + hour * 3_600 + minute * 60) * 10**9


@pytest.fixture(scope="module")
def tempo(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int]:
    """Tempo's address with the demo of 20 days ago in it, and the end of that day (s since 1970)."""
    if not stack.tempo:
        pytest.skip("no program `tempo` on PATH or in $FUSIONSCOPE_STACK_BIN: what needs one was NOT run")
    home = tmp_path_factory.mktemp("old")
    days = days_until(time.time_ns() // 10**6) - 20
    assert send(stack, write_demo(home, days), home / "fusionscope.db", "traces").returncode == 0
    return stack.tempo, DAY_END + days * 86_400


def test_a_turn_of_20_days_ago_is_found_by_search_in_its_own_day_within_45_s(tempo: tuple[str, int]) -> None:
    address, end = tempo
    query = '{resource.service.name = "fusionscope" && nestedSetParent < 0}'
    deadline = time.monotonic() + 45
    found: set[str] = set()
    while time.monotonic() < deadline and len(found) < 24:
        answer = _ask(f"{address}/api/search", q=query, start=end - 86_400, end=end, limit=100)
        found = {trace["traceID"] for trace in answer.get("traces", [])}
        time.sleep(1)
    assert len(found) == 24


def test_the_credits_of_that_day_come_out_of_the_traces_too(tempo: tuple[str, int]) -> None:
    address, end = tempo
    query = '{resource.service.name = "fusionscope" && nestedSetParent < 0} | sum_over_time(span.github.copilot.fusion.credits)'
    (series,) = _ask(f"{address}/api/metrics/query", q=query, start=end - 86_400, end=end)["series"]
    assert series["value"] == pytest.approx(ALL, rel=1e-9)


def test_a_turn_is_found_by_its_id(tempo: tuple[str, int]) -> None:
    address, _ = tempo
    turn = f"{trace_id(PUBLIC_CASCADE):032x}"
    batches = _ask(f"{address}/api/traces/{turn}")["batches"]
    spans = [span for batch in batches for scope in batch["scopeSpans"] for span in scope["spans"]]
    assert sorted(span["name"] for span in spans) == [
        "fusion cascade", "judge gpt-5.6-sol", "primary mai-code-1.1-flash", "repair gpt-5.6-sol"
    ]  # fmt: skip


def _ask(url: str, **parameters: str | int) -> Any:
    with session() as client:
        answer = client.get(url, params=parameters, headers={"Accept": "application/json"}, timeout=30)
    assert answer.ok, answer.text
    return answer.json()
