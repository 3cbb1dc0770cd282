"""The picture of `watch`: it fits, and says the newest first."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from fusionscope.model import Turn
from fusionscope.report.terminal_watch import Frame, watch_lines
from tests.report import strategies
from tests.report.screen import canvas
from tests.turns import CASCADE, TEN, leg, turn

_DRIFT = "not known to this release: pattern debate (1 turn); run `fusionscope doctor`"
_GOLDEN = Path(__file__).with_name("golden")


def _frame(*turns: Turn, **fields: object) -> Frame:
    defaults: dict[str, object] = {
        "session": (2, 31_400_000_000), "day": (3, 120_330_000_000), "drift": None, "source": "following the logs",
    }  # fmt: skip
    return Frame(turns, **{**defaults, **fields})  # type: ignore[arg-type]


def _before(number: int) -> list[Turn]:
    return [turn(f"fusion-{n:08}", leg(is_answer=True), started_at=TEN - 90_000_000 * (number - n)) for n in range(number)]


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 30)])
def test_the_picture_is_as_it_was_looked_at(width: int, height: int) -> None:
    running = CASCADE._replace(
        state="open", legs=CASCADE.legs[:2], reported_nano_aiu=None, reported_phases=None, ended_at=None, duration_ms=None,
        answer_phase_id=None, last_event_at=CASCADE.legs[1].ended_at,
    )  # fmt: skip
    lines = watch_lines(canvas(width), _frame(*_before(12), running, drift=_DRIFT), height)
    shown = "\n".join(line.plain.rstrip() for line in lines) + "\n"
    assert shown == (_GOLDEN / f"watch-{width}.txt").read_text(encoding="utf-8")


def test_without_a_turn_the_reason_is_shown() -> None:
    lines = watch_lines(canvas(80), _frame(session=(0, None), day=(0, None), empty="No session log yet."), 24)
    assert [line.plain for line in lines if line.plain.strip()] == [
        "today no turn",
        "No session log yet.",
        "following the logs" + " " * 55 + "q quits",
    ]


def test_trouble_is_shown_in_the_place_of_who_follows() -> None:
    lines = watch_lines(canvas(40), _frame(CASCADE, trouble="Reading pauses: the database cannot be written (full)."), 24)
    assert lines[-1].plain == "! Reading pauses: the database cannot b…"


@strategies.some
@given(
    st.lists(strategies.turns(), max_size=6),
    st.integers(1, 130),
    st.integers(1, 40),
    st.none() | st.just(_DRIFT),
    st.none() | strategies.texts,
)
def test_any_picture_has_the_size_of_the_terminal(
    turns: list[Turn], width: int, height: int, drift: str | None, trouble: str | None
) -> None:
    lines = watch_lines(canvas(width), _frame(*turns, drift=drift, trouble=trouble), height)
    assert len(lines) == height
    assert not [line for line in lines if "\n" in line.plain or "\x1b" in line.plain]
    if width >= 80:
        assert max(cell_len(line.plain) for line in lines) <= width
