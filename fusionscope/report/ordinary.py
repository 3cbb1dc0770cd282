"""The figures of turns without Fusion, one function each, and Fusion beside them.

They are never mixed into the figures of Fusion turns (``figures.py``). Money is integer nano-AIU. A turn is *known* where the
log says what every one of its calls cost; only known turns are in a median.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, median
from typing import NamedTuple

from fusionscope.model import OrdinaryTurn, Turn
from fusionscope.report.figures import Tokens
from fusionscope.store.ledger import Ledger
from fusionscope.store.shutdowns import Totals

__all__ = [
    "Median",
    "ModelFigures",
    "SessionTotals",
    "by_model",
    "calls",
    "fusion_median",
    "is_known",
    "median_of",
    "nano_aiu",
    "of_several_models",
    "sessions",
    "tokens",
    "without_fusion",
]


class Median(NamedTuple):
    """The median nano-AIU of a turn over the ``known`` of ``turns``; ``None`` where none is known.

    That of an even number of turns is the middle between two, rounded to a whole nano-AIU.
    """

    nano_aiu: int | None
    known: int
    turns: int


class ModelFigures(NamedTuple):
    """The turns that one model answered alone: turns, model calls, tokens (``None``: the log has none), credits, wall time.

    ``nano_aiu`` is the sum of what is known, ``None`` where nothing is; ``mean_seconds`` is over all of the turns.
    """

    turns: int
    calls: int
    tokens: Tokens | None
    nano_aiu: int | None
    median: Median
    mean_seconds: float


class SessionTotals(NamedTuple):
    """What the shutdowns of ``sessions`` say, added: each session once, without what a fork has of its parent.

    Only ``metered`` of the sessions are in ``nano_aiu``, only ``counted`` in ``requests``.
    """

    sessions: int
    metered: int
    nano_aiu: int | None
    counted: int
    requests: int | None


def is_known(turn: OrdinaryTurn) -> bool:
    """Whether the log says what the whole turn cost."""
    return turn.nano_aiu is not None and turn.metered == turn.calls


def sessions(turns: Sequence[OrdinaryTurn]) -> int:
    """Distinct sessions among the turns."""
    return len({turn.session_id for turn in turns})


def calls(turns: Sequence[OrdinaryTurn]) -> int:
    """Model calls of the turns: usage records, or replies where the CLI wrote none."""
    return sum(turn.calls for turn in turns)


def nano_aiu(turns: Sequence[OrdinaryTurn]) -> int | None:
    """Nano-AIU of the turns as far as the log says it, or ``None`` where it says nothing."""
    amounts = [turn.nano_aiu for turn in turns if turn.nano_aiu is not None]
    return sum(amounts) if amounts else None


def tokens(turns: Sequence[OrdinaryTurn]) -> Tokens | None:
    """Tokens of the turns that have usage records, or ``None`` where none has."""
    counted = [turn for turn in turns if turn.input_tokens is not None]
    if not counted:
        return None
    return Tokens(
        input=sum(turn.input_tokens or 0 for turn in counted),
        output=sum(turn.output_tokens or 0 for turn in counted),
        cached=sum(turn.cached_tokens or 0 for turn in counted),
        cache_write=sum(turn.cache_write_tokens or 0 for turn in counted),
    )


def median_of(turns: Sequence[OrdinaryTurn]) -> Median:
    """The median nano-AIU of an ordinary turn, over those that are known."""
    return _median([turn.nano_aiu for turn in turns if is_known(turn)], len(turns))


def fusion_median(turns: Sequence[Turn]) -> Median:
    """The median nano-AIU of a Fusion turn, over those that have ended and whose credits the log says.

    A failed route is none: the person was served without Fusion.
    """
    ended = [turn for turn in turns if not turn.is_open and turn.route_failure is None]
    return _median([turn.nano_aiu for turn in ended if turn.nano_aiu is not None], len(ended))


def by_model(turns: Sequence[OrdinaryTurn]) -> dict[str, ModelFigures]:
    """The turns that one model answered alone, by that model; most turns first, then by name."""
    groups: dict[str, list[OrdinaryTurn]] = {}
    for turn in turns:
        if len(turn.models) == 1:
            groups.setdefault(turn.models[0], []).append(turn)
    found = {model: _model_figures(group) for model, group in groups.items()}
    return dict(sorted(found.items(), key=lambda item: (-item[1].turns, item[0])))


def of_several_models(turns: Sequence[OrdinaryTurn]) -> ModelFigures | None:
    """The turns in which more than one model was called, or ``None``: they are no model's own."""
    several = [turn for turn in turns if len(turn.models) > 1]
    return _model_figures(several) if several else None


def without_fusion(ledgers: Iterable[Ledger]) -> SessionTotals:
    """The shutdown totals of the sessions that hold no Fusion turn, also none of a parent's; a failed route is none."""
    amounts: list[int] = []
    requests: list[int] = []
    sessions = 0
    for each in ledgers:
        totals = each.totals
        if totals is None or _holds_fusion(each) or not _says_something(totals):
            continue
        sessions += 1
        others = sum(bool(set(segment.covers) - {each.session_id}) for segment in totals.segments)
        inherited = sum(call.nano_aiu or 0 for call in each.inherited_calls)
        if totals.nano_aiu is not None:
            amounts.append(max(0, totals.nano_aiu - others * inherited))
        if totals.requests is not None:
            requests.append(max(0, totals.requests - others * len(each.inherited_calls)))
    return SessionTotals(
        sessions=sessions,
        metered=len(amounts),
        nano_aiu=sum(amounts) if amounts else None,
        counted=len(requests),
        requests=sum(requests) if requests else None,
    )


def _says_something(totals: Totals) -> bool:
    return bool(totals.nano_aiu or totals.requests)


def _holds_fusion(ledger: Ledger) -> bool:
    return any(turn.route_failure is None or turn.legs for turn in (*ledger.turns, *ledger.inherited_turns))


def _model_figures(turns: Sequence[OrdinaryTurn]) -> ModelFigures:
    return ModelFigures(
        turns=len(turns),
        calls=calls(turns),
        tokens=tokens(turns),
        nano_aiu=nano_aiu(turns),
        median=median_of(turns),
        mean_seconds=fmean(turn.ended_at - turn.started_at for turn in turns) / 1000,
    )


def _median(amounts: Iterable[int | None], turns: int) -> Median:
    known = [amount for amount in amounts if amount is not None]
    return Median(round(median(known)) if known else None, len(known), turns)
