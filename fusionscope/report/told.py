"""What a comparison tells, in plain sentences, for the terminal and JSON alike."""

from __future__ import annotations

from fusionscope.report.compare import LEAST, SIGNIFICANT, Comparison, Measure
from fusionscope.report.text import count, plural

__all__ = ["caution", "told"]


def told(measure: Measure) -> str:
    """Say in one sentence whether the sides of a measure differ, or that there is too little to tell; the test is named."""
    if measure.p is None:
        a, b = measure.counts
        return f"Too few {measure.things} to tell: {count(a)} and {count(b)}, and it takes {LEAST} on each side."
    found = f"{_chance(measure.p)}, {measure.test}"
    if measure.tells:
        return f"The sides differ by more than chance would have it ({found})."
    return f"These {measure.things} show no difference that chance would not make as well ({found})."


def caution(comparison: Comparison) -> str:
    """Say what many tests at once, shared turns and a choice of sides do to what is told."""
    tests = sum(measure.p is not None for measure in comparison.measures)
    said = []
    if comparison.shared:
        said.append(f"{plural(comparison.shared, 'turn')} on both sides: the tests suppose that there is none.")
    if tests > 1:
        said.append(
            f"{tests} tests were made: where nothing differs, each still has {round(SIGNIFICANT * 100)} chances in 100 to tell"
            f" a difference, all together about {tests * SIGNIFICANT:.1f} times."
        )
    said.append("Sides differ in what was asked, too: a difference alone does not say that the router changed.")
    return " ".join(said)


def _chance(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"
