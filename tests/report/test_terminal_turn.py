from __future__ import annotations

from datetime import timedelta, timezone

from hypothesis import given

from fusionscope.model import Turn
from fusionscope.report.terminal import print_turn
from fusionscope.report.terminal_turn import turn_lines
from tests.report.screen import canvas, printed, widest
from tests.report.strategies import some, turns
from tests.turns import CASCADE, TEN, leg, turn

GOLDEN = """\
cascade  fusion-fa51fa07                                 2026-09-09 02:42:54 UTC
1 min 16 s · 14.72 credits ($0.15) · asked for hydrafusion

                                0 ──────── 1 min 16 s  time  credits
  mai-code-1.1-flash  drafted   ░░░░░░                 22 s     0.58  superseded
  gpt-5.6-sol         judged          ▒▒▒              11 s     2.46  reject
► gpt-5.6-sol         repaired           ████████████  42 s    11.69  the answer

  review share 20.6 %: 3.03 of 14.72 credits on legs that are not the answer

  tokens                         fresh  cached  cache-written  output  calls
  mai-code-1.1-flash  drafted   11,851   3,968              0   2,754      1
  gpt-5.6-sol         judged         3       0          2,336     644      1
  gpt-5.6-sol         repaired       9  25,859         13,834   1,866      3
  turn                          11,863  29,827         16,170   5,264      5

policy max · route capi_plan · routing 246 ms · session s1
"""


def test_the_turn_that_started_all_this_reads_like_this_in_80_columns() -> None:
    assert printed(print_turn, CASCADE) == GOLDEN


def test_a_wide_terminal_has_longer_bars_and_no_other_words() -> None:
    wide = printed(print_turn, CASCADE, width=120)
    assert widest(wide) == 120
    assert wide.split() != GOLDEN.split()
    signs = str.maketrans("", "", "░▒█─ ")
    assert wide.translate(signs) == GOLDEN.translate(signs)
    assert wide.count("█") > 2 * GOLDEN.count("█")


def test_a_narrow_terminal_loses_the_bars_before_the_facts() -> None:
    narrow = printed(print_turn, CASCADE, width=60)
    assert "█" not in narrow
    for fact in ("1 min 16 s", "14.72", "drafted", "22 s", "0.58", "reject", "42 s", "11.69", "the answer"):
        assert fact in narrow


def test_the_answer_is_marked_by_a_sign_and_a_word() -> None:
    line = next(line for line in GOLDEN.split("\n") if line.startswith("►"))
    assert line.endswith("the answer")


def test_the_zone_of_the_caller_is_used() -> None:
    east = canvas()._replace(zone=timezone(timedelta(hours=2)))
    assert turn_lines(east, CASCADE)[0].plain.endswith(" 2026-09-09 04:42:54 +02:00")


def _line(turned: Turn, word: str, width: int = 80) -> str:
    return next(line for line in printed(print_turn, turned, width=width).split("\n") if word in line)


def test_failed_and_cancelled_legs_have_a_bar_of_their_own_and_the_word() -> None:
    turned = turn(
        "f1",
        leg(status="failed", nano_aiu=None, ended_at=TEN + 3_000, duration_ms=3_000),
        leg("f1:p1", model="m-mid", status="cancelled", ended_at=TEN + 6_000, duration_ms=3_000),
        leg("f1:p2", model="m-big", is_answer=True, ended_at=TEN + 9_000, duration_ms=3_000),
    )
    assert "╳╳╳" in _line(turned, "m-small")
    assert _line(turned, "m-small").split()[-3:] == ["not", "metered", "failed"]
    assert "╌╌╌" in _line(turned, "m-mid")
    assert _line(turned, "m-mid").endswith("cancelled")


def test_parallel_critics_stand_below_each_other() -> None:
    turned = turn(
        "f1",
        leg("f1:c1", kind="critic", model="m-a", ended_at=TEN + 9_000, duration_ms=9_000),
        leg("f1:c2", kind="critic", model="m-b", ended_at=TEN + 9_000, duration_ms=9_000),
    )
    first, second = _line(turned, "m-a"), _line(turned, "m-b")
    assert first.index("▒") == second.index("▒")
    assert first.count("▒") == second.count("▒") > 30


def test_a_failed_route_has_no_waterfall_and_no_zero() -> None:
    failed = turn(
        "a77e3b12-0000-4000",
        pattern=None,
        state="failed",
        route_failure="router_timeout",
        fallback_model="m-big",
        reported_nano_aiu=None,
        duration_ms=None,
    )
    text = printed(print_turn, failed)
    assert text.startswith("not fused  a77e3b12-0000-4 ")
    assert "\nnot metered · asked for hydrafusion\n" in text
    assert "! not fused: router_timeout, served by m-big\n" in text
    assert "0.00" not in text
    assert "time" not in text.replace("router_timeout", "")


def test_a_turn_without_legs_says_so() -> None:
    assert "\nno leg in the log yet\n" in printed(print_turn, turn("f1", state="open"))
    assert "\nno leg in the log\n" in printed(print_turn, turn("f1", state="abandoned"))


def test_state_and_rewind_stand_beside_the_id() -> None:
    text = printed(print_turn, CASCADE._replace(state="degraded", rewound=True))
    assert text.startswith("cascade  fusion-fa51fa07  degraded, rewound ")


def test_the_caller_may_give_a_longer_id() -> None:
    text = printed(lambda console, turned, zone: print_turn(console, turned, short_id="fusion-fa51fa07-9", zone=zone), CASCADE)
    assert text.startswith("cascade  fusion-fa51fa07-9 ")


def test_a_long_name_is_cut_in_the_middle_and_breaks_nothing() -> None:
    turned = turn("f1", leg(model="claude-" + "x" * 50 + "-01", is_answer=True), leg("f1:p1", kind="critic"))
    line = _line(turned, "claude")
    assert "…" in line
    assert line.endswith("the answer")
    assert widest(printed(print_turn, turned)) <= 80


def test_twelve_legs_are_twelve_lines() -> None:
    legs = [leg(f"f1:p{n}", index=n, kind="critic", model=f"m-{n}") for n in range(12)]
    text = printed(print_turn, turn("f1", *legs))
    assert sum("2.0 s" in line for line in text.split("\n")) == 12
    assert widest(text) <= 80


def test_the_effort_stands_with_the_tokens_where_a_leg_has_one() -> None:
    turned = turn("f1", leg(reasoning_effort="high", is_answer=True))
    assert "  m-small  answered  high      100" in printed(print_turn, turned)
    assert "effort" not in GOLDEN


def test_nothing_of_a_log_is_taken_for_markup_or_a_command() -> None:
    text = printed(print_turn, turn("f1", leg(model="[red]m[/red]:smile:\x1b[31m")), force_terminal=True)
    assert "[red]m[/red]:smile:\ufffd[31m" in text
    assert "\x1b[31m" not in text


def test_facts_about_the_session_break_between_two_facts() -> None:
    text = printed(print_turn, CASCADE._replace(session_id="5b1c6a7e-1111-4222-8333-444455556666"))
    assert text.endswith("routing 246 ms\nsession 5b1c6a7e-1111-4222-8333-444455556666\n")


@some
@given(turns())
def test_every_turn_fits_in_80_columns(turned: Turn) -> None:
    assert widest(printed(print_turn, turned)) <= 80
