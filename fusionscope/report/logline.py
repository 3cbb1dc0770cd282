"""One line a turn, for logs: words and ``name=value`` pairs, safe to print and easy to search."""

from __future__ import annotations

from fusionscope.model import Turn
from fusionscope.report.text import credits, shown

__all__ = ["turn_line"]

_SHORT_ID = 15


def turn_line(turn: Turn) -> str:
    """Return, for example, ``fusion-fa51fa07 cascade legs=3 models=gpt-5.6-sol,mai-code-1.1-flash credits=14.72``.

    Models by name; the state is named unless it is ``completed``; ``credits=unknown`` where the log does not say.
    """
    nano_aiu = turn.nano_aiu
    parts = [
        shown(turn.fusion_id)[:_SHORT_ID],
        shown(turn.pattern or "unknown"),
        f"legs={len(turn.legs)}",
        f"models={','.join(shown(model) for model in sorted(turn.models))}",
        f"credits={'unknown' if nano_aiu is None else credits(nano_aiu)}",
    ]
    if turn.state != "completed":
        parts.append(f"state={turn.state}")
    return " ".join(parts)
