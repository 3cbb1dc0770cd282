"""The alert rules: each fires when it should and not before, and on the demo each value is the one that the lines give."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.stack.board import RULES, RULES_FILE
from tests.stack.conftest import Demo
from tests.stack.programs import program
from tests.stack.server import Prometheus, Series
from tests.stack.test_dashboard_figures import moment

CASES = Path(__file__).parent / "alerts"
HOUR, DAY = 3600.0, 86_400.0


def value(prometheus: Prometheus, name: str, at: float) -> Series:
    (rule,) = [rule for rule in RULES if rule.name == name]
    return prometheus.instant(rule.expression, at)


def test_prometheus_accepts_the_rules() -> None:
    done = subprocess.run([program("promtool"), "check", "rules", str(RULES_FILE)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("case", sorted(CASES.glob("*.yml")), ids=lambda path: path.stem)
def test_alerts_fire_when_they_should_and_not_before(case: Path) -> None:
    done = subprocess.run([program("promtool"), "test", "rules", str(case)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_has_a_case_in_which_it_fires() -> None:
    written = "".join(case.read_text(encoding="utf-8") for case in CASES.glob("*.yml"))
    fires = {rule.name for rule in RULES if f"alertname: {rule.name}\n        exp_alerts" in written}
    fires |= {rule.name for rule in RULES if f"alertname: {rule.name}, exp_alerts" in written}
    assert fires == {rule.name for rule in RULES}


def test_credits_of_an_hour_are_those_that_ended_in_it(prometheus: Prometheus, demo: Demo) -> None:
    found = {}
    for clock in ("01:00:00", "02:00:00", "03:00:00"):
        hour = demo.facts.between(moment(clock) - HOUR, moment(clock))
        credits = sum(leg.credits for leg in hour.legs)
        assert value(prometheus, "FusionCreditsPerHour", moment(clock)) == (
            {(): pytest.approx(credits)} if credits > 100 else {}
        )
        found[clock] = f"{credits:.2f}"
    assert found == {"01:00:00": "60.03", "02:00:00": "167.06", "03:00:00": "87.51"}


def test_credits_per_turn_are_compared_only_after_20_turns_and_with_the_median_hour(prometheus: Prometheus) -> None:
    # the 11 turns before 01:00 are too few; later 24 turns, and no hour of the night is three times the others
    for clock in ("02:00:00", "03:00:00"):
        assert value(prometheus, "FusionCreditsPerTurn", moment(clock)) == {}


def test_the_mix_did_not_move_as_there_was_no_week_before(prometheus: Prometheus) -> None:
    assert value(prometheus, "FusionPatternMixMoved", moment("03:00:00")) == {}


def test_one_model_took_57_percent_of_the_demo(prometheus: Prometheus) -> None:
    found = value(prometheus, "FusionOneModelOverHalf", moment("03:00:00"))
    assert {model: f"{share:.1%}" for (model,), share in found.items()} == {"gpt-5.6-sol": "57.4%"}
    assert value(prometheus, "FusionOneModelOverHalf", moment("01:00:00")) == {}


def test_nothing_failed_and_no_word_was_new_in_the_demo(prometheus: Prometheus) -> None:
    for name in ("FusionTurnFailed", "FusionTurnDegraded", "FusionUnknownWords"):
        assert value(prometheus, name, moment("03:00:00")) == {}


def test_the_demo_is_silent_from_three_days_after_it_to_two_weeks_after_that(prometheus: Prometheus) -> None:
    end = moment("03:00:00")
    silent = [day for day in range(20) if value(prometheus, "FusionscopeSilent", end + day * DAY)]
    assert silent == list(range(3, 17))
