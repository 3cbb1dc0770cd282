"""What is said of a turn and its legs, in words: verbs, fates, remarks and notes, for the terminal and the page alike.

Everything a log brought in is already safe to print in what these functions return.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from fusionscope.model import REVIEW_SCOPE, Leg, Turn
from fusionscope.report.drift import turn_drift_sentence
from fusionscope.report.standing import pattern, start_missing, state
from fusionscope.report.text import (
    credits,
    credits_apart,
    duration,
    percent,
    plural,
    shown,
)
from fusionscope.report.timeline import Timeline

__all__ = ["Fate", "Note", "fates", "notes", "pattern", "remark", "result", "start_missing", "state", "time_taken", "verb"]

_VERBS = {
    "judge": "judged",
    "repair": "repaired",
    "draft": "drafted",
    "critic": "criticised",
    "revision": "revised",
    "follow_up": "followed up",
}

# Kinds that give no answer of their own, or come after it.
_NO_WRITERS = ("judge", "critic", "follow_up")


class Fate(Enum):
    """What became of a leg's output."""

    ANSWER = "the answer"
    SUPERSEDED = "superseded"
    UNUSED = "not used"
    FAILED = "failed"
    CANCELLED = "cancelled"
    #: it reviewed another leg, or the turn has not come to an answer yet
    OTHER = ""


class Note(NamedTuple):
    """One sentence below the legs; a ``warning`` is something the person should not miss."""

    text: str
    warning: bool


def verb(turn: Turn, leg: Leg) -> str:
    """Return what the leg did; of a leg that did not succeed its kind, since it did not."""
    if leg.status != "succeeded":
        return shown(leg.kind, 20)
    if leg.kind == "primary":
        if turn.pattern in ("cascade", "critique"):
            return "drafted"
        return "answered" if leg.is_answer or turn.pattern == "single" else "primary"
    return _VERBS.get(leg.kind) or shown(leg.kind, 20)


def fates(turn: Turn) -> tuple[Fate, ...]:
    """Return the fate of each leg of ``turn``, in the order of its legs.

    A leg is superseded when it wrote for the person and then a judge rejected it or a later leg gave the answer; it is
    not used when the answer came from an earlier one.
    """
    answered = any(leg.is_answer for leg in turn.legs)
    # The answer leg may be missing from the log: then whatever is there came before it.
    overtaken = turn.answer_phase_id is not None and not answered
    found: list[Fate] = []
    for leg in reversed(turn.legs):
        found.append(_fate(leg, overtaken, answered))
        overtaken = overtaken or leg.is_answer or leg.verdict == "reject"
    return tuple(reversed(found))


def remark(leg: Leg, fate: Fate) -> str:
    """Return the few words beside a leg: its verdict and its fate."""
    words = [shown(leg.verdict, 20)] if leg.verdict else []
    if leg.status != "succeeded":
        words.append(shown(leg.status, 20))
    if fate in (Fate.ANSWER, Fate.SUPERSEDED, Fate.UNUSED):
        words.append(fate.value)
    return ", ".join(words)


def result(turn: Turn) -> str:
    """Return the state, where it is worth a word, and the verdict: how the turn went, for a column of many."""
    return ", ".join(filter(None, (state(turn), shown(turn.verdict, 20) if turn.verdict else "")))


def time_taken(turn: Turn) -> str:
    """Return the wall time, and whether it is not the whole of it."""
    if turn.duration_ms is not None:
        return duration(turn.duration_ms)
    seen = duration(max(0, turn.last_event_at - turn.started_at))
    return f"{seen} so far" if turn.is_open else f"{seen} seen"


def notes(turn: Turn, line: Timeline) -> list[Note]:
    """Return what else must be said of ``turn``, warnings first."""
    warnings = [*_of_its_end(turn), *_of_failed_legs(turn), *_of_its_log(turn, line), *_of_its_money(turn)]
    facts = [*_of_background(turn), *_of_review(turn), *filter(None, [turn_drift_sentence(turn)])]
    return [Note(text, True) for text in warnings] + [Note(text, False) for text in facts]


def _fate(leg: Leg, overtaken: bool, answered: bool) -> Fate:
    if leg.is_answer:
        return Fate.ANSWER
    if leg.status == "failed":
        return Fate.FAILED
    if leg.status == "cancelled":
        return Fate.CANCELLED
    if leg.status != "succeeded" or leg.scope == REVIEW_SCOPE or leg.kind in _NO_WRITERS:
        return Fate.OTHER
    if overtaken:
        return Fate.SUPERSEDED
    return Fate.UNUSED if answered else Fate.OTHER


def _of_its_end(turn: Turn) -> list[str]:
    said: list[str] = []
    if turn.route_failure is not None:
        served = f", served by {shown(turn.fallback_model)}" if turn.fallback_model else ""
        said.append(f"not fused: {shown(turn.route_failure or 'no reason')}{served}")
    if turn.degraded_reason is not None:
        said.append(f"degraded: {shown(turn.degraded_reason)}")
    if turn.state == "abandoned":
        said.append("abandoned: the log has no end of this turn")
    elif turn.state in ("failed", "cancelled") and turn.route_failure is None:
        outcome = turn.outcome if turn.outcome not in (None, turn.state) else None
        answer = "no answer came of this turn" if turn.answer_phase_id is None else "the log names an answer all the same"
        said.append(f"{turn.state}: {shown(outcome) if outcome else answer}")
    if turn.rewound:
        said.append("rewound: the session went back to before this turn; what it cost was spent")
    if turn.awaiting_background_work:
        said.append("work went on in the background after the end of this turn")
    return said


def _of_failed_legs(turn: Turn) -> list[str]:
    said = []
    for leg in turn.legs:
        if leg.status == "succeeded" or not (leg.reason or leg.degraded_to):
            continue
        text = f"{shown(leg.model)} {shown(leg.status, 20)} as {shown(leg.kind, 20)}"
        if leg.reason:
            text += f": {shown(leg.reason)}"
        heir = next((other for other in turn.legs if other.phase_id == leg.degraded_to), None)
        if heir is not None:
            text += f"; {shown(heir.model)} took over"
        elif leg.degraded_to:
            text += f"; {shown(leg.degraded_to)} was to take over"
        said.append(text)
    return said


def _of_its_log(turn: Turn, line: Timeline) -> list[str]:
    said = []
    if turn.missing_legs:
        said.append(f"{turn.missing_legs} of {plural(turn.reported_phases or 0, 'leg')} missing: not in the log")
    if turn.legs and start_missing(turn):
        said.append("start not in log: nothing is known of the route of this turn")
    if line.clock_moved:
        said.append("the clock moved during this turn: its legs are drawn one after the other, in log order")
    elif turn.duration_ms is not None and line.length_ms > turn.duration_ms + 1_000:
        said.append(f"legs ran outside the turn's own {duration(turn.duration_ms)}: the axis covers them all")
    if any(leg.cached_tokens + leg.cache_write_tokens > leg.input_tokens for leg in turn.legs):
        said.append("the log counts more cached tokens than input tokens: fresh ones are shown as 0")
    return said


def _of_its_money(turn: Turn) -> list[str]:
    said = []
    unmetered = sum(leg.nano_aiu is None for leg in turn.legs)
    if 0 < unmetered < len(turn.legs):
        said.append(f"{unmetered} of {plural(len(turn.legs), 'leg')} not metered: the log says no credits")
    difference = turn.difference_nano_aiu
    if difference and turn.reported_nano_aiu is not None:
        total, legs = credits_apart(turn.reported_nano_aiu, turn.legs_nano_aiu)
        if difference > 0:
            said.append(f"not itemised: {credits(difference)} credits (total {total}, legs {legs})")
        else:
            said.append(f"the legs add up to {legs} credits, the turn's total says {total}")
    return said


def _of_background(turn: Turn) -> list[str]:
    """Name the legs that ended while work of theirs went on."""
    return [
        f"{shown(leg.model)} ended as {shown(leg.kind, 20)} with work going on in the background"
        for leg in turn.legs
        if leg.background_work
    ]


def _of_review(turn: Turn) -> list[str]:
    """Say the review share of a turn in which legs other than the answer leg cost something."""
    spent = turn.nano_aiu
    review = turn.review_nano_aiu
    if not spent or not review or (turn.answer_phase_id is None and not turn.is_open):
        return []
    so_far = " so far" if turn.is_open else ""
    return [
        f"review share {percent(review / spent, 1)}{so_far}: {credits(review)} of {credits(spent)} credits "
        "on legs that are not the answer"
    ]
