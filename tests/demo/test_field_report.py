"""Every figure that the field report prints comes out of the demo's lines, rounded the way it is printed there."""

from __future__ import annotations

import statistics

import pytest

from tests.demo.reading import DemoTurn, Event, credits, printed


def legs_of(turns: list[DemoTurn]) -> list[Event]:
    return [leg for turn in turns for leg in turn.legs]


def nano(legs: list[Event]) -> int:
    return sum(leg["data"]["usage"]["totalNanoAiu"] for leg in legs)


def tokens(turns: list[DemoTurn], name: str) -> int:
    return sum(leg["data"]["usage"][name] for leg in legs_of(turns))


def test_there_are_24_turns_in_six_sessions(turns: list[DemoTurn], sessions: list[list[Event]]) -> None:
    assert len(turns) == 24
    assert len(sessions) == 6


@pytest.mark.parametrize(
    ("pattern", "count", "total", "median", "smallest", "largest", "mean_wall"),
    [
        ("single", 18, "187.03", "7.97", "2.25", "36.24", "27.7"),
        ("cascade", 3, "30.22", "13.11", "2.39", "14.72", "63.8"),
        ("critique", 3, "97.35", "45.05", "0.51", "51.79", "60.9"),
    ],
)
def test_pattern_table(
    turns: list[DemoTurn],
    pattern: str,
    count: int,
    total: str,
    median: str,
    smallest: str,
    largest: str,
    mean_wall: str,
) -> None:
    mine = [turn for turn in turns if turn.pattern == pattern]
    amounts = [turn.nano_aiu for turn in mine]
    assert len(mine) == count
    assert printed(sum(amounts)) == total
    assert f"{statistics.median(map(credits, amounts)):.2f}" == median
    assert (printed(min(amounts)), printed(max(amounts))) == (smallest, largest)
    assert f"{statistics.mean(turn.seconds for turn in mine):.1f}" == mean_wall


@pytest.mark.parametrize(
    ("model", "total", "share", "count"),
    [
        ("gpt-5.6-sol", "180.73", "57.4", 24),
        ("claude-opus-5", "131.78", "41.9", 3),
        ("gpt-5.6-luna", "0.98", "0.3", 2),
        ("mai-code-1.1-flash", "0.92", "0.3", 2),
        ("gpt-5.6-terra", "0.19", "0.1", 1),
    ],
)
def test_model_table(turns: list[DemoTurn], model: str, total: str, share: str, count: int) -> None:
    legs = legs_of(turns)
    mine = [leg for leg in legs if leg["data"]["model"] == model]
    assert len(mine) == count
    assert printed(nano(mine)) == total
    assert f"{100 * nano(mine) / nano(legs):.1f}" == share


@pytest.mark.parametrize(
    ("kind", "total"),
    [("primary", "188.61"), ("draft", "95.87"), ("repair", "23.62"), ("judge", "5.02"), ("critic", "1.48")],
)
def test_kind_table(turns: list[DemoTurn], kind: str, total: str) -> None:
    assert printed(nano([leg for leg in legs_of(turns) if leg["data"]["phaseKind"] == kind])) == total


def test_no_other_model_and_no_other_kind_ran(turns: list[DemoTurn]) -> None:
    legs = legs_of(turns)
    assert len(legs) == 32
    assert len({leg["data"]["model"] for leg in legs}) == 5
    assert len({leg["data"]["phaseKind"] for leg in legs}) == 5


def test_all_turns_together_cost_the_sum_of_the_printed_tables(turns: list[DemoTurn]) -> None:
    assert printed(nano(legs_of(turns))) == "314.60"


def test_six_of_24_turns_are_compound(turns: list[DemoTurn]) -> None:
    compound = [turn for turn in turns if len(turn.models) > 1]
    assert len(compound) == 6
    assert f"{100 * len(compound) / len(turns):.0f}" == "25"


def test_two_of_three_judges_reject(turns: list[DemoTurn]) -> None:
    verdicts = [leg["data"]["verdict"] for leg in legs_of(turns) if leg["data"]["phaseKind"] == "judge"]
    assert sorted(verdicts) == ["accept", "reject", "reject"]
    assert f"{100 * verdicts.count('reject') / len(verdicts):.0f}" == "67"


def test_only_judges_give_a_verdict(turns: list[DemoTurn]) -> None:
    assert {leg["data"]["verdict"] for leg in legs_of(turns) if leg["data"]["phaseKind"] != "judge"} == {None}


def test_review_share_is_2_5_percent(turns: list[DemoTurn]) -> None:
    review = [leg for turn in turns for leg in turn.legs if leg["data"]["phaseId"] != turn.answer_phase_id]
    assert f"{100 * nano(review) / nano(legs_of(turns)):.1f}" == "2.5"


def test_there_are_96_inference_calls(turns: list[DemoTurn]) -> None:
    assert tokens(turns, "requestCount") == 96
    assert sum(turn.completed["data"]["requestCount"] for turn in turns) == 96


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("inputTokens", 1_524_207),
        ("cachedTokens", 1_145_114),
        ("cacheWriteTokens", 335_922),
        ("outputTokens", 25_713),
    ],
)
def test_token_totals(turns: list[DemoTurn], name: str, count: int) -> None:
    assert tokens(turns, name) == count
    assert sum(turn.completed["data"][name] for turn in turns) == count


def test_three_quarters_of_the_input_are_cached_and_input_is_59_times_output(turns: list[DemoTurn]) -> None:
    assert f"{100 * tokens(turns, 'cachedTokens') / tokens(turns, 'inputTokens'):.0f}" == "75"
    assert f"{tokens(turns, 'inputTokens') / tokens(turns, 'outputTokens'):.0f}" == "59"


def test_cached_and_written_tokens_are_part_of_the_input(turns: list[DemoTurn]) -> None:
    for leg in legs_of(turns):
        usage = leg["data"]["usage"]
        assert usage["cachedTokens"] + usage["cacheWriteTokens"] <= usage["inputTokens"]


def test_routing_latency(turns: list[DemoTurn]) -> None:
    latencies = [turn.resolved["data"]["routingLatencyMs"] for turn in turns]
    assert f"{min(latencies):.0f} {max(latencies):.0f} {statistics.mean(latencies):.0f}" == "172 371 229"


def test_source_policy_and_degradation_are_the_same_throughout(turns: list[DemoTurn]) -> None:
    assert {turn.resolved["data"]["routeSource"] for turn in turns} == {"capi_plan"}
    assert {turn.resolved["data"]["policy"] for turn in turns} == {"max"}
    assert {turn.completed["data"]["degradedReason"] for turn in turns} == {None}


def test_everything_happened_on_one_day_with_one_version(sessions: list[list[Event]]) -> None:
    assert {event["timestamp"][:10] for events in sessions for event in events} == {"2026-09-09"}
    assert {events[0]["data"]["copilotVersion"] for events in sessions} == {"1.0.84-2"}
