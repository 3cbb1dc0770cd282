"""Predictions against turns: in order, session by session."""

from __future__ import annotations

from fusionscope.model import Turn
from fusionscope.report.predictions import Compared, Prediction, answering, compare, hits, predictions_object, unpredicted
from fusionscope.report.terminal_predictions import print_predictions
from tests.report.screen import printed
from tests.turns import TEN, leg, turn


def _turn(fusion_id: str, pattern: str | None, minute: int, **fields: object) -> Turn:
    return turn(fusion_id, leg(f"{fusion_id}:p0"), pattern=pattern, started_at=TEN + minute * 60_000, **fields)


def _hits(compared: list[Compared]) -> list[bool | None]:
    return [one.hit for one in compared]


SIX = [
    Prediction(f"p{n}", pattern, "s1")
    for n, pattern in enumerate(["single", "single", "cascade", "cascade", "critique", "critique"])
]


def test_prompts_are_compared_with_turns_in_their_order() -> None:
    turns = {
        "s1": [
            _turn(f"f{n}", pattern, n)
            for n, pattern in enumerate(["single", "cascade", "cascade", "single", "critique", "single"])
        ]
    }
    compared = compare(SIX, turns)
    assert _hits(compared) == [True, False, True, False, True, False]
    assert hits(compared) == (3, 6, 0.5)
    assert unpredicted(compared, turns) == 0


def test_what_was_not_run_yet_and_what_has_no_route_are_neither_hits_nor_misses() -> None:
    turns = {"s1": [_turn("f1", "single", 1), _turn("f2", None, 2, route_failure="router_timeout"), _turn("f3", "cascade", 3)]}
    compared = compare(SIX, turns)
    assert _hits(compared) == [True, None, True, None, None, None]
    assert hits(compared) == (2, 2, 1.0)


def test_nothing_that_was_routed_is_no_rate() -> None:
    assert hits(compare(SIX, {"s1": []})) == (0, 0, None)
    assert hits(compare(SIX, {})) == (0, 0, None)


def test_each_session_is_counted_on_its_own() -> None:
    asked = [Prediction("a", "single", "s1"), Prediction("b", "cascade", "s2"), Prediction("c", "critique", "s1")]
    turns = {"s1": [_turn("f1", "single", 1), _turn("f2", "critique", 2)], "s2": [_turn("f3", "single", 3)]}
    assert _hits(compare(asked, turns)) == [True, False, True]


def test_turns_that_were_taken_back_and_those_of_sub_agents_answer_no_prompt() -> None:
    turns = [
        _turn("f4", "critique", 4),
        _turn("f1", "single", 1),
        _turn("f2", "cascade", 2, rewound=True),
        _turn("f3", "single", 3, agent_id="agent-1"),
    ]
    assert [turn.fusion_id for turn in answering(turns)] == ["f1", "f4"]


def test_turns_nobody_predicted_are_counted() -> None:
    turns = {"s1": [_turn(f"f{n}", "single", n) for n in range(8)]}
    assert unpredicted(compare(SIX, turns), turns) == 2


def test_the_object_has_every_prompt_with_its_turn() -> None:
    turns = {"s1": [_turn("f1", "single", 1), _turn("f2", None, 2, reported_nano_aiu=None, legs=())]}
    made = predictions_object(compare(SIX[:3], turns), turns)
    assert {name: made[name] for name in ("predictions", "routed", "hits", "hit_rate", "unpredicted_turns")} == {
        "predictions": 3, "routed": 1, "hits": 1, "hit_rate": 1.0, "unpredicted_turns": 0,
    }  # fmt: skip
    assert [(each["pattern"], each["hit"], each["fusion_id"], each["credits"]) for each in made["prompts"]] == [
        ("single", True, "f1", 0.5), (None, None, "f2", None), (None, None, None, None),
    ]  # fmt: skip


def test_the_terminal_has_a_line_a_prompt_and_the_hits() -> None:
    turns = {"s1": [_turn("f1", "single", 1), _turn("f2", "cascade", 2), _turn("f3", None, 3, route_failure="x")]}

    def view(console, *, zone) -> None:  # type: ignore[no-untyped-def]
        print_predictions(console, compare(SIX[:4], turns), turns)

    assert printed(view).splitlines() == [
        "prompt  expected  got                credits",
        "p0      single    single       hit      0.50",
        "p1      single    cascade      miss     0.50",
        "p2      cascade   not fused             0.50",
        "p3      cascade   not run yet",
        "",
        "1 of 2 routed prompts as expected (50 %)",
        "1 prompt not run yet",
        "1 prompt without a route",
    ]


def test_names_from_a_file_cannot_command_a_terminal() -> None:
    asked = [Prediction("\x1b[31mred", "single\x07", "s1")]

    def view(console, *, zone) -> None:  # type: ignore[no-untyped-def]
        print_predictions(console, compare(asked, {"s1": []}), {"s1": []})

    assert "\x1b" not in printed(view)
    assert "\x07" not in printed(view)
