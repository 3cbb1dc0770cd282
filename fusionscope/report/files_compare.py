"""``compare --json``."""

from __future__ import annotations

import json
from typing import Any

from fusionscope import model
from fusionscope.report.compare import LEAST, Comparison, Figure, Measure
from fusionscope.report.figures import Rate
from fusionscope.report.told import caution, told

__all__ = ["comparison_json", "comparison_object"]


def comparison_object(comparison: Comparison, a: str, b: str) -> dict[str, Any]:
    """Return what ``compare A B --json`` writes; ``a`` and ``b`` are the sides as they were asked for."""
    return {
        "a": {"side": a, "turns": comparison.turns[0]},
        "b": {"side": b, "turns": comparison.turns[1]},
        "shared_turns": comparison.shared,
        "least": LEAST,
        "measures": [_measure(each) for each in comparison.measures],
        "caution": caution(comparison),
    }


def comparison_json(comparison: Comparison, a: str, b: str) -> str:
    """Return the object of ``compare A B --json``."""
    return json.dumps(comparison_object(comparison, a, b), indent=2, allow_nan=False) + "\n"


def _measure(measure: Measure) -> dict[str, Any]:
    return {
        "measure": measure.name,
        "counted": measure.things,
        "a": measure.counts[0],
        "b": measure.counts[1],
        "figures": [_figure(each) for each in measure.figures],
        "test": measure.test,
        "p": measure.p,
        "differ": measure.tells,
        "sentence": told(measure),
    }


def _figure(figure: Figure) -> dict[str, Any]:
    return {
        "figure": figure.name or "share",
        "unit": "credits" if figure.unit == "nano_aiu" else figure.unit,
        "a": _value(figure.unit, figure.a),
        "b": _value(figure.unit, figure.b),
        "difference": _value(figure.unit, figure.difference),
    }


def _value(unit: str, value: Rate | float | None) -> dict[str, Any] | float | None:
    """Return money as credits, a rate with its counts (those of ``spent`` are nano-AIU), all else as it is."""
    if isinstance(value, Rate):
        return value._asdict()
    return model.credits(round(value)) if unit == "nano_aiu" and value is not None else value
