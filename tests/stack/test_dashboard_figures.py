"""Every PromQL of the dashboard, run on a real Prometheus that holds the demo, gives the number that the demo's lines give."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from tests.stack.board import BOARD, Target, filled, promql
from tests.stack.conftest import Demo
from tests.stack.demo_facts import Facts
from tests.stack.expected import EXPECTED
from tests.stack.programs import program
from tests.stack.server import Prometheus, Series

ALL = ".+"
DAY = 86_400.0
STEPS = {"1d": DAY}


def moment(clock: str) -> float:
    """A clock time (UTC) of the demo's day, in seconds since 1970. No sample of the demo is on a full hour."""
    return datetime.fromisoformat(f"2026-09-09T{clock}+00:00").timestamp()


NIGHT = (moment("00:00:00"), moment("03:00:00"))
WINDOWS = {
    "the whole night": NIGHT,
    "its first hour, whose one judge accepts": (moment("00:00:00"), moment("01:00:00")),
    "its second hour": (moment("01:00:00"), moment("02:00:00")),
    "a stretch without a judge": (moment("00:00:00"), moment("00:36:00")),
    "an hour before it": (moment("00:00:00") - DAY, moment("00:00:00") - DAY + 3600),
}
PATTERNS = ["single", "cascade", "critique"]
MODELS = ["gpt-5.6-sol", "claude-opus-5", "gpt-5.6-luna", "mai-code-1.1-flash", "gpt-5.6-terra"]
CHOICES = {
    "all": (ALL, ALL),
    **{pattern: (pattern, ALL) for pattern in PATTERNS},
    "two patterns": ("(cascade|critique)", ALL),
    **{model: (ALL, model.replace(".", r"\\.")) for model in MODELS},
}


def run(prometheus: Prometheus, target: Target, window: tuple[float, float], pattern: str, model: str) -> dict[float, Series]:
    """The results of a query as Grafana asks it; an instant one has a single moment, the end of the time range."""
    start, end = window
    if target.is_instant:
        query = filled(target.query, __range=f"{round(end - start)}s", pattern=pattern, model=model)
        return {end: found} if (found := prometheus.instant(query, end)) else {}
    assert target.every is not None
    step = STEPS[target.every]
    query = filled(target.query, __interval=target.every, pattern=pattern, model=model)
    return prometheus.over(query, start // step * step, end // step * step, step)


def expected(target: Target, facts: Facts, window: tuple[float, float]) -> dict[float, Series]:
    """The results that the facts give: of the whole time range, or of each step that begins in it."""
    start, end = window
    figure = EXPECTED[target.key]
    if target.is_instant:
        found = {end: figure(facts.between(start, end))}
    else:
        assert target.every is not None
        step = STEPS[target.every]
        first, last = int(start // step), int(end // step)
        found = {at * step: figure(facts.between(at * step, (at + 1) * step)) for at in range(first, last + 1)}
    return {at: series for at, series in found.items() if series}


def chosen(facts: Facts, choice: str) -> Facts:
    if choice == "all":
        return facts
    if choice == "two patterns":
        return facts.of_patterns("cascade", "critique")
    return facts.of_patterns(choice) if choice in PATTERNS else facts.of_models(choice)


def same(found: dict[float, Series], wanted: dict[float, Series]) -> None:
    assert found.keys() == wanted.keys()
    for at, series in wanted.items():
        assert found[at] == pytest.approx(series, rel=1e-9)


def test_every_query_has_a_figure_to_compare_with() -> None:
    assert sorted(target.key for target in promql()) == sorted(EXPECTED)


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("window", WINDOWS)
def test_every_query_gives_the_figure_of_its_window_and_of_what_is_chosen(
    prometheus: Prometheus, demo: Demo, window: str, choice: str
) -> None:
    pattern, model = CHOICES[choice]
    for target in promql():
        found = run(prometheus, target, WINDOWS[window], pattern, model)
        same(found, expected(target, chosen(demo.facts, choice), WINDOWS[window]))


def figure(prometheus: Prometheus, panel: str, ref_id: str = "A") -> Series:
    (target,) = [target for target in promql() if target.key == (panel, ref_id)]
    (series,) = run(prometheus, target, NIGHT, ALL, ALL).values()
    return series


def test_the_headline_is_that_of_the_field_report(prometheus: Prometheus) -> None:
    assert f"{figure(prometheus, 'Compound rate')[()]:.0%}" == "25%"
    assert f"{figure(prometheus, 'Judge rejection rate')[()]:.0%}" == "67%"
    assert figure(prometheus, "Judge rejection rate", "B")[()] == 3
    assert f"{figure(prometheus, 'Review share')[()]:.1%}" == "2.5%"
    assert f"{figure(prometheus, 'Credits')[()]:.2f}" == "314.60"
    assert f"{figure(prometheus, 'Credits', 'B')[()]:.2f}" == "3.15"
    assert figure(prometheus, "Turns")[()] == 24
    # (18 of 27.7 s, 3 of 63.8 s, 3 of 60.9 s) over 24, and 314.60 credits over 24
    assert f"{figure(prometheus, 'Mean turn')[()]:.1f}" == "36.4"
    assert f"{figure(prometheus, 'Mean turn', 'B')[()]:.2f}" == "13.11"


def test_models_are_those_of_the_field_report(prometheus: Prometheus) -> None:
    credits = {"gpt-5.6-sol": "180.73", "claude-opus-5": "131.78", "gpt-5.6-luna": "0.98", "mai-code-1.1-flash": "0.92",
               "gpt-5.6-terra": "0.19"}  # fmt: skip
    assert {model: f"{amount:.2f}" for (model,), amount in figure(prometheus, "Credits by model").items()} == credits
    assert figure(prometheus, "Models", "A") == {
        ("gpt-5.6-sol",): 24, ("claude-opus-5",): 3, ("gpt-5.6-luna",): 2, ("mai-code-1.1-flash",): 2, ("gpt-5.6-terra",): 1,
    }  # fmt: skip
    totals = [sum(figure(prometheus, "Models", ref_id).values()) for ref_id in "CDEF"]
    assert totals == [96, 1_524_207, 1_145_114, 25_713]


def test_kinds_and_patterns_are_those_of_the_field_report(prometheus: Prometheus) -> None:
    kinds = {"primary": "188.61", "draft": "95.87", "repair": "23.62", "judge": "5.02", "critic": "1.48"}
    assert {kind: f"{amount:.2f}" for (kind,), amount in figure(prometheus, "Credits by kind").items()} == kinds
    patterns = {"single": "187.03", "cascade": "30.22", "critique": "97.35"}
    assert {pattern: f"{amount:.2f}" for (pattern,), amount in figure(prometheus, "Credits by pattern").items()} == patterns


def test_the_route_is_that_of_the_field_report(prometheus: Prometheus) -> None:
    assert figure(prometheus, "Pattern mix by day") == {("single",): 18, ("cascade",): 3, ("critique",): 3}
    assert f"{1000 * figure(prometheus, 'Routing latency by day')[()]:.0f}" == "229"
    assert figure(prometheus, "Route source and policy") == {("max", "capi_plan"): 24}
    assert figure(prometheus, "Turns by outcome") == {("completed",): 24}


def test_a_rate_of_nothing_is_0_and_a_rate_over_nothing_is_no_data(prometheus: Prometheus) -> None:
    (rate,) = [target for target in promql() if target.key == ("Judge rejection rate", "A")]
    accepted, unjudged = (WINDOWS[name] for name in ("its first hour, whose one judge accepts", "a stretch without a judge"))
    assert run(prometheus, rate, accepted, ALL, ALL) == {accepted[1]: {(): 0.0}}
    assert run(prometheus, rate, unjudged, ALL, ALL) == {}


def test_the_public_cascade_alone_costs_what_its_log_says(prometheus: Prometheus) -> None:
    (credits,) = [target for target in promql() if target.key == ("Credits", "A")]
    found = run(prometheus, credits, (moment("02:40:00"), moment("03:00:00")), ALL, ALL)
    assert found == {moment("03:00:00"): {(): pytest.approx(14.719596, rel=1e-12)}}


def test_all_is_the_sum_of_the_parts(prometheus: Prometheus) -> None:
    (credits,) = [target for target in promql() if target.key == ("Credits", "A")]
    for choices in ([(pattern, ALL) for pattern in PATTERNS], [(ALL, model.replace(".", r"\\.")) for model in MODELS]):
        parts = [run(prometheus, credits, NIGHT, *choice)[NIGHT[1]][()] for choice in choices]
        assert sum(parts) == pytest.approx(figure(prometheus, "Credits")[()])


def test_a_variable_that_is_empty_shows_no_data(prometheus: Prometheus) -> None:
    for target in promql():
        if "$pattern" in target.query:
            assert run(prometheus, target, NIGHT, "", ALL) == {}
        if "$model" in target.query:
            assert run(prometheus, target, NIGHT, ALL, "") == {}


@pytest.mark.parametrize(("name", "values"), [("pattern", PATTERNS), ("model", MODELS)])
def test_variables_offer_what_ran(prometheus: Prometheus, name: str, values: list[str]) -> None:
    (variable,) = [found for found in BOARD["templating"]["list"] if found["name"] == name]
    match, label = variable["query"]["query"].removeprefix("label_values(").removesuffix(")").rsplit(", ", 1)
    assert sorted(prometheus.label_values(label, match, *NIGHT)) == sorted(values)
    assert variable["allValue"] == ALL


def test_the_demo_loaded_twice_gives_the_same_figures(demo: Demo, tmp_path: Path) -> None:
    with Prometheus(program("prometheus"), tmp_path) as twice:
        for write in (*demo.writes, *demo.writes):
            twice.write(write)
        for target in promql():
            same(run(twice, target, NIGHT, ALL, ALL), expected(target, demo.facts, NIGHT))
