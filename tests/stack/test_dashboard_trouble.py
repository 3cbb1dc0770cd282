"""What the demo does not have: routes and legs that failed, a turn that was given up, words that are new."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest

from tests.logs import CREDIT, Log, place
from tests.stack.board import RULES, filled, promql
from tests.stack.conftest import writes_of
from tests.stack.programs import program
from tests.stack.server import Prometheus, Series

END = datetime.fromisoformat("2026-11-30T11:00:00+00:00").timestamp()


def troubled() -> Log:
    """Six turns: two cascades (rejected, accepted), a degraded one, one of new words, a failed route, one without an end."""
    log = Log()
    log.start()
    log.turn("rejected")

    log.resolved("accepted")
    log.leg("accepted", 0, "primary", "m-small", CREDIT)
    log.leg("accepted", 1, "judge", "m-big", 2 * CREDIT, "accept")
    log.completed("accepted", 0, "m-small")

    log.resolved("degraded", "single")
    log.leg_failed("degraded", 0, "primary", "m-small", CREDIT // 4)
    log.leg("degraded", 1, "primary", "m-big", 3 * CREDIT)
    log.completed("degraded", 1, "m-big", "single", degradedReason="primary_call_failed")

    log.resolved("new", "relay", policy="extreme")
    log.leg("new", 0, "referee", "m-small", CREDIT)
    log.leg("new", 1, "judge", "m-small", CREDIT, "maybe")
    log.completed("new", 0, "m-small", "relay", outcome="postponed")

    log.route_failed("no route")
    log.resolved("given up", "single")
    log.shutdown()
    return log


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    directory = tmp_path_factory.mktemp("trouble")
    place(directory / "session-state", troubled())
    with Prometheus(program("prometheus"), directory) as server:
        for write in writes_of(directory / "session-state", directory / "fusionscope.db"):
            server.write(write)
        yield server


def figure(prometheus: Prometheus, panel: str, ref_id: str = "A", pattern: str = ".+") -> Series:
    (target,) = [target for target in promql() if target.key == (panel, ref_id)]
    return prometheus.instant(filled(target.query, __range="3600s", pattern=pattern, model=".+"), END)


def alert(prometheus: Prometheus, name: str) -> Series:
    (rule,) = [rule for rule in RULES if rule.name == name]
    return prometheus.instant(rule.expression, END)


def test_a_failed_route_is_a_turn_but_no_routed_one(prometheus: Prometheus) -> None:
    assert figure(prometheus, "Turns") == {(): 6}
    assert figure(prometheus, "Compound rate", "B") == {(): 5}
    # rejected, accepted and degraded had two models each
    assert figure(prometheus, "Compound rate") == {(): 3 / 5}
    assert figure(prometheus, "Turns", pattern="unknown") == {(): 1}
    assert figure(prometheus, "Compound rate", pattern="unknown") == {}


def test_every_verdict_counts_as_one_and_only_reject_as_a_rejection(prometheus: Prometheus) -> None:
    assert figure(prometheus, "Judge rejection rate", "B") == {(): 3}
    assert figure(prometheus, "Judge rejection rate") == {(): pytest.approx(1 / 3)}


def test_failed_legs_cost_and_are_no_answer(prometheus: Prometheus) -> None:
    # 12.5 + 3 + 3.25 + 2; answers: 10, 1, 3, 1
    assert figure(prometheus, "Credits") == {(): 20.75}
    assert figure(prometheus, "Review share") == {(): pytest.approx(5.75 / 20.75)}


def test_outcomes_are_told_apart(prometheus: Prometheus) -> None:
    assert figure(prometheus, "Turns by outcome") == {("completed",): 3, ("_other",): 1, ("failed",): 1, ("abandoned",): 1}


def test_new_words_are_counted_where_they_are(prometheus: Prometheus) -> None:
    titles = {target.ref_id: target.query for target in promql() if target.panel == "Words this release does not know"}
    found = {ref_id: figure(prometheus, "Words this release does not know", ref_id) for ref_id in titles}
    # pattern, outcome and policy of one turn; kind of one leg, verdict of another; of these the pattern and the kind are words
    # of published enumerations, which the turn itself says are new
    assert {ref_id: series[()] for ref_id, series in found.items() if series} == {
        "A": 2,
        "B": 1,
        "C": 1,
        "D": 1,
        "G": 1,
        "I": 1,
    }


def test_alerts_see_the_trouble(prometheus: Prometheus) -> None:
    assert alert(prometheus, "FusionTurnFailed") == {("unknown",): 1}
    assert alert(prometheus, "FusionTurnDegraded") == {("m-small", "primary"): 1}
    assert alert(prometheus, "FusionUnknownWords") == {(): 2}
    assert alert(prometheus, "FusionCreditsPerHour") == {}
