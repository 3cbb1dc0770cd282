"""One turn in one line, by the room there is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusionscope.model import Turn
from fusionscope.report.status_line import status_line
from tests.report import strategies
from tests.turns import CASCADE, leg, turn

_ALONE = (1, CASCADE.nano_aiu)
_WHOLE = "cascade  mai-code-1.1-flash 0.58 > gpt-5.6-sol reject 2.46 > gpt-5.6-sol 11.69  =  14.72 cr $0.15"


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (None, _WHOLE + "  session 31.40 cr"),
        (113, _WHOLE),
        (94, "cascade  mai-c~-flash 0.58 > gpt-5.6-sol reject 2.46 > gpt-5.6-sol 11.69  =  14.72 cr"),
        (80, "cascade  0.58 > reject 2.46 > 11.69  =  14.72 cr"),
        (47, "cascade  14.72 cr"),
        (16, "14.72 cr"),
        (5, "14.72"),
    ],
)  # fmt: skip
def test_the_less_room_the_less_is_said(width: int | None, line: str) -> None:
    assert status_line(CASCADE, 2, 31_400_000_000, width, styled=False) == line


def test_a_session_of_one_turn_has_no_total_of_its_own() -> None:
    assert status_line(CASCADE, 1, CASCADE.nano_aiu, 200, styled=False).endswith("=  14.72 cr $0.15")


def test_an_open_turn_shows_the_legs_so_far_and_that_more_is_to_come() -> None:
    running = CASCADE._replace(
        state="open",
        legs=CASCADE.legs[:2],
        reported_nano_aiu=None,
        reported_phases=None,
        ended_at=None,
        duration_ms=None,
        answer_phase_id=None,
    )
    line = "cascade  open  mai-code-1.1-flash 0.58 > gpt-5.6-sol reject 2.46 > ...  =  3.03 cr $0.03 so far"
    assert status_line(running, *_ALONE, 200, styled=False) == line


def test_a_turn_without_a_leg_yet_is_not_metered() -> None:
    routed = turn("f1", pattern="critique", state="open", reported_nano_aiu=None)
    assert status_line(routed, 1, None, 200, styled=False) == "critique  open  ...  =  not metered so far"


def test_a_failed_leg_and_one_of_unknown_cost_say_so() -> None:
    failed = leg("f1:p0", status="failed", nano_aiu=None)
    heir = leg("f1:p1", index=1, model="m-big", nano_aiu=2_000_000_000, is_answer=True)
    degraded = turn("f1", failed, heir, state="degraded")
    line = "single  degraded  m-small failed ? > m-big 2.00  =  2.00 cr $0.02"
    assert status_line(degraded, 1, 2_000_000_000, 200, styled=False) == line


def test_a_failed_route_says_why_and_who_served() -> None:
    refused = turn(
        "f1", state="failed", pattern=None, route_failure="router_timeout", fallback_model="m-big", reported_nano_aiu=None
    )
    assert status_line(refused, 1, None, 200, styled=False) == "not fused  router_timeout, served by m-big"
    assert status_line(refused, 1, None, 30, styled=False) == "not fused  router_timeout"


def test_styles_add_nothing_to_read() -> None:
    styled = status_line(CASCADE, 2, 31_400_000_000, None, styled=True)
    assert styled.endswith("\x1b[1m=  14.72 cr $0.15\x1b[0m  \x1b[2msession 31.40 cr\x1b[0m")


@strategies.some
@given(strategies.turns(), st.integers(1, 200))
def test_no_turn_breaks_the_line_or_commands_the_terminal(any_turn: Turn, width: int) -> None:
    line = status_line(any_turn, 3, 1, width, styled=False)
    assert len(line) <= width
    assert not [sign for sign in line if ord(sign) < 32 or 127 <= ord(sign) < 160]
