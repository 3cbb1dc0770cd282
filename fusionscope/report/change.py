"""How a figure moved against the range before it."""

from __future__ import annotations

from fusionscope.report.figures import Rate
from fusionscope.report.text import percent

__all__ = ["growth", "growth_text", "points", "points_text"]


def growth(now: int | None, before: int | None) -> float | None:
    """Return by which part of itself an amount grew: 0.5 from 2 to 3; ``None`` where there was nothing before."""
    return None if now is None or not before else now / before - 1


def points(now: Rate, before: Rate) -> float | None:
    """Return how far a rate moved, as a share of 1: 0.05 from 20 % to 25 %; ``None`` where either has no value."""
    return None if now.value is None or before.value is None else now.value - before.value


def growth_text(value: float) -> str:
    """Return ``+50 %``, ``-3.2 %``, ``unchanged``; a tenfold amount and more as ``10 times``."""
    if value >= 9:
        return f"{value + 1:,.0f} times"
    text = percent(abs(value))
    return "unchanged" if text in ("0 %", "0.0 %") else f"{'+' if value > 0 else '-'}{text}"


def points_text(value: float) -> str:
    """Return ``+5.0 points``, ``-0.3 points``, ``unchanged``."""
    text = f"{abs(value) * 100:.1f}"
    return "unchanged" if text == "0.0" else f"{'+' if value > 0 else '-'}{text} points"
