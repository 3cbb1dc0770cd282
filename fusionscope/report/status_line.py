"""One turn in one line, as long as there is room: for the status line of the CLI.

Only ASCII signs of our own. Bold and dim are the only styles, and only where the caller wants them.
"""

from __future__ import annotations

from collections.abc import Iterator

from fusionscope.model import Leg, Turn
from fusionscope.report.standing import pattern, state
from fusionscope.report.text import credits, dollars, shown

__all__ = ["status_line"]

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_MODEL = 12  # columns of a model's name where room is scarce
_VERDICT = 20


def status_line(turn: Turn, session_turns: int, session_nano_aiu: int | None, width: int | None, styled: bool) -> str:
    """Return ``turn`` in one line of at most ``width`` columns (``None``: any), the session's total behind it.

    ``session_turns`` and ``session_nano_aiu`` are those of all its turns; of one turn alone the total says nothing new.
    The fewer columns, the less of it: first without the session, then shorter names, amounts only, the total only.
    """
    session = f"session {credits(session_nano_aiu)} cr" if session_turns > 1 and session_nano_aiu is not None else ""
    for parts, total, rest in _forms(turn, session):
        plain = "  ".join(filter(None, (parts, total, rest)))
        if width is None or len(plain) <= width:
            break
    else:
        return plain[:width]
    if not styled:
        return plain
    return "  ".join(filter(None, (parts, f"{_BOLD}{total}{_PLAIN}", rest and f"{_DIM}{rest}{_PLAIN}")))


def _forms(turn: Turn, session: str) -> Iterator[tuple[str, str, str]]:
    """The line from its longest form to its shortest: the legs, the total, the session."""
    head = "  ".join(filter(None, (pattern(turn), state(turn))))
    if turn.route_failure is not None:
        why = shown(turn.route_failure, 40)
        served = f", served by {shown(turn.fallback_model)}" if turn.fallback_model else ""
        yield head, f"{why}{served}", session
        yield head, f"{why}{served}", ""
        yield head, why, ""
        yield head, "", ""
        return
    full, short, nameless = _legs(turn, None), _legs(turn, _MODEL), _legs(turn, 0)
    total = credits(turn.nano_aiu) if turn.nano_aiu is None else f"{credits(turn.nano_aiu)} cr"
    priced = total if turn.nano_aiu is None else f"{total} {dollars(turn.nano_aiu)}"
    so_far = " so far" if turn.is_open else ""
    yield f"{head}  {full}", f"=  {priced}{so_far}", session
    yield f"{head}  {full}", f"=  {priced}{so_far}", ""
    yield f"{head}  {short}", f"=  {total}{so_far}", ""
    yield f"{head}  {nameless}", f"=  {total}{so_far}", ""
    yield head, f"{total}{so_far}", ""
    yield "", total, ""


def _legs(turn: Turn, room: int | None) -> str:
    return " > ".join([*(_leg(leg, room) for leg in turn.legs), *_running(turn)])


def _leg(leg: Leg, room: int | None) -> str:
    verdict = shown(leg.verdict, _VERDICT) if leg.verdict else ""
    status = "" if leg.status == "succeeded" else shown(leg.status, _VERDICT)
    return " ".join(filter(None, (_cut(shown(leg.model), room), verdict, status, _amount(leg))))


def _amount(leg: Leg) -> str:
    return "?" if leg.nano_aiu is None else credits(leg.nano_aiu)


def _running(turn: Turn) -> list[str]:
    """What stands for the leg that runs now: the log names it when it has ended."""
    return ["..."] if turn.is_open else []


def _cut(name: str, room: int | None) -> str:
    """Cut in the middle: names of models differ at both ends. No room: no name."""
    if room is None or len(name) <= room or not room:
        return name if room != 0 else ""
    return f"{name[: room - room // 2 - 1]}~{name[-(room // 2) :]}"
