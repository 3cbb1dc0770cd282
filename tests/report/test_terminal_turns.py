from __future__ import annotations

from datetime import timedelta, timezone

from hypothesis import given

from fusionscope.model import Turn
from fusionscope.report.terminal import print_turns
from fusionscope.report.terminal_turns import turns_lines
from tests.report.screen import canvas, printed, widest
from tests.report.strategies import many_turns, some
from tests.turns import CASCADE, leg, turn

HOUR = 3_600_000
SINGLE = turn(
    "fusion-51a91e00-1",
    leg(model="gpt-5.6-sol", nano_aiu=2_250_000_000, is_answer=True),
    started_at=CASCADE.started_at + HOUR,
    duration_ms=4_800.0,
)
NOT_FUSED = turn(
    "a77e3b12-0000-4000-8000-000000000000",
    pattern=None,
    state="failed",
    route_failure="router_timeout",
    fallback_model="gpt-5.6-sol",
    reported_nano_aiu=None,
    duration_ms=None,
    started_at=CASCADE.started_at + 22 * HOUR,
)


def test_turns_stand_below_their_day_newest_last() -> None:
    assert printed(print_turns, [NOT_FUSED, SINGLE, CASCADE], width=100).split("\n") == [
        "began  turn             pattern    models                           result   time      credits",
        "2026-09-09 UTC · 2 turns · 16.97 credits ($0.17)",
        "02:42  fusion-fa51fa07  cascade    mai-code-1.1-flash, gpt-5.6-sol  reject   76 s        14.72",
        "03:42  fusion-51a91e00  single     gpt-5.6-sol                              4.8 s         2.25",
        "2026-09-10 UTC · 1 turn · not metered",
        "00:42  a77e3b12-0000-4  not fused  by gpt-5.6-sol                                  not metered",
        "all · 3 turns · 16.97 credits ($0.17)",
        "",
    ]


def test_at_80_columns_the_names_of_the_models_are_cut() -> None:
    assert printed(print_turns, [CASCADE, SINGLE]).split("\n") == [
        "began turn            pattern models                        result  time credits",
        "2026-09-09 UTC · 2 turns · 16.97 credits ($0.17)",
        "02:42 fusion-fa51fa07 cascade mai-cod…1-flash, gpt-5.6-sol  reject  76 s   14.72",
        "03:42 fusion-51a91e00 single  gpt-5.6-sol                          4.8 s    2.25",
        "",
    ]


def test_a_turn_belongs_to_the_day_it_began_on_in_the_zone() -> None:
    west = canvas()._replace(zone=timezone(timedelta(hours=-8)))
    assert turns_lines(west, [CASCADE])[1].plain.startswith("2026-09-08 -08:00 · 1 turn")


def test_a_state_that_is_not_completed_stands_before_the_verdict() -> None:
    text = printed(print_turns, [CASCADE._replace(state="open", duration_ms=None)], width=100)
    assert "  open, reject  " in text


def test_ids_grow_until_they_differ() -> None:
    text = printed(print_turns, [turn("fusion-c0ffee11-1a"), turn("fusion-c0ffee11-1b")], width=100)
    assert "fusion-c0ffee11-1a  " in text
    assert "fusion-c0ffee11-1b  " in text


def test_more_models_than_fit_end_in_an_ellipsis() -> None:
    legs = [leg(f"f1:p{n}", model=f"model-number-{n}") for n in range(12)]
    line = printed(print_turns, [turn("fusion-51a91e00-1", *legs)]).split("\n")[2]
    assert line.startswith("10:00 fusion-51a91e00 single  mod…r-0, mod…r-1, mod…r-2, …  ")


def test_no_turns_are_said_in_words() -> None:
    assert printed(print_turns, []) == "no Fusion turns\n"


@some
@given(many_turns)
def test_every_table_fits_in_80_columns(turned: list[Turn]) -> None:
    assert widest(printed(print_turns, turned)) <= 80
