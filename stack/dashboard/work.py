"""Who did the work?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fusionscope.export import names
from stack.dashboard import palette, traceql
from stack.dashboard.layout import RowOf
from stack.dashboard.panels import ranking
from stack.dashboard.promql import RANGE, label, legend, total
from stack.dashboard.queries import instant, search
from stack.dashboard.tables import DURATION, START, columns, ledger
from stack.dashboard.units import CREDITS, INTEGER

if TYPE_CHECKING:
    from grafana_foundation_sdk.builders import bargauge, table

__all__ = ["work"]

#: title of a column -> the metric that it sums up
_MODEL_FIGURES = {
    "legs": names.LEG,
    "credits": names.LEG_CREDITS,
    "calls": names.LEG_INFERENCE_CALLS,
    "input tokens": names.LEG_INPUT_TOKENS,
    "cached": names.LEG_CACHE_READ_TOKENS,
    "output tokens": names.LEG_OUTPUT_TOKENS,
}


def work() -> RowOf:
    """Return the row about models and legs."""
    return RowOf(
        "Who did the work?",
        [_credits_by_model().span(10).height(8), _models().span(14).height(8), _legs().span(24).height(10)],
    )


def _credits_by_model() -> bargauge.Panel:
    return ranking(
        "Credits by model",
        "Credits of the legs that each model ran, most first. A model's colour follows from its name, here and everywhere "
        "below. After the 20 models first seen the rest is _other.",
        instant(f"sort_desc({_by_model('credits')})", legend(names.RESPONSE_MODEL)),
    )


def _models() -> table.Panel:
    shown = {f"Value #{ref_id}": title for ref_id, title in zip("ABCDEF", _MODEL_FIGURES, strict=True)}
    panel = ledger(
        "Models",
        "What each model did. A leg is one phase of a turn, a call one request to the model: a leg with tools makes "
        "several. Input tokens contain the cached ones. Tokens of different models have different prices.",
        *(instant(_by_model(title), title, as_table=True) for title in _MODEL_FIGURES),
        shown={label(names.RESPONSE_MODEL): "model", **shown},
    )
    return columns(
        panel,
        model=palette.pills(),
        legs=INTEGER,
        credits=CREDITS,
        calls=INTEGER,
        input_tokens=INTEGER,
        cached=INTEGER,
        output_tokens=INTEGER,
    )


def _legs() -> table.Panel:
    panel = ledger(
        "Legs",
        "Every leg, newest first, at most those of 500 turns. A verdict is a judge's word on the draft before it. Answer marks "
        "the leg whose output the person received. Filtered by session, pattern and model.",
        search(
            traceql.select(
                traceql.LEGS,
                names.PATTERN,
                names.PHASE_KIND,
                names.PHASE_VERDICT,
                names.PHASE_STATUS,
                names.PHASE_COMMITTED,
                names.CREDITS,
                names.INPUT_TOKENS,
                names.OUTPUT_TOKENS,
                names.REQUEST_COUNT,
            )
        ),
        shown={
            START: "start",
            names.PATTERN: "pattern",
            names.PHASE_KIND: "kind",
            names.RESPONSE_MODEL: "model",
            names.PHASE_VERDICT: "verdict",
            names.PHASE_STATUS: "status",
            names.PHASE_COMMITTED: "answer",
            DURATION: "time",
            names.CREDITS: "credits",
            names.REQUEST_COUNT: "calls",
            names.INPUT_TOKENS: "input tokens",
            names.OUTPUT_TOKENS: "output tokens",
        },
        texts=(names.CREDITS, names.REQUEST_COUNT, names.INPUT_TOKENS, names.OUTPUT_TOKENS),
    )
    return columns(
        panel,
        pattern=palette.pills(palette.PATTERNS),
        kind=palette.pills(palette.KINDS),
        model=palette.pills(),
        verdict=palette.pills(palette.VERDICTS),
        credits=CREDITS,
        calls=INTEGER,
        input_tokens=INTEGER,
        output_tokens=INTEGER,
    )


def _by_model(figure: str) -> str:
    return total(_MODEL_FIGURES[figure], RANGE, by=(names.RESPONSE_MODEL,))
