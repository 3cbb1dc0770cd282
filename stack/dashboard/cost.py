"""What did it cost?"""

from __future__ import annotations

from fusionscope.export import names
from stack.dashboard import palette, traceql
from stack.dashboard.layout import RowOf
from stack.dashboard.panels import points, ranking
from stack.dashboard.promql import RANGE, legend, total
from stack.dashboard.queries import instant, search

__all__ = ["cost"]


def cost() -> RowOf:
    """Return the row about credits."""
    return RowOf(
        "What did it cost?",
        [
            points(
                "Credits per turn",
                "One point a turn, at its start, as the CLI added it up. From the traces, so it follows the session as "
                "well; at most 500 turns. Compare turns of one pattern with each other: prompts differ more than patterns "
                "do.",
                search(traceql.select(traceql.TURNS, names.CREDITS, names.PATTERN)),
                value=names.CREDITS,
                series=names.PATTERN,
                unit="none",
                colours=palette.PATTERNS,
            )
            .span(12)
            .height(9),
            ranking(
                "Credits by kind",
                "Credits of legs by what they were for. Judge and critic are checks; primary, draft, repair and revision "
                "are work, whether it became the answer or not.",
                instant(f"sort_desc({_by(names.PHASE_KIND)})", legend(names.PHASE_KIND)),
                colours=palette.KINDS,
            )
            .span(6)
            .height(9),
            ranking(
                "Credits by pattern",
                "Credits of all legs of the turns of each pattern. It depends on how many turns there were: the mix is in "
                "the row below.",
                instant(f"sort_desc({_by(names.PATTERN)})", legend(names.PATTERN)),
                colours=palette.PATTERNS,
            )
            .span(6)
            .height(9),
        ],
    )


def _by(attribute: str) -> str:
    return total(names.LEG_CREDITS, RANGE, by=(attribute,))
