"""Lines for logs: a turn as words and ``name=value`` pairs, or as a JSON object; a sentence likewise. Safe to print."""

from __future__ import annotations

import json
import time

from fusionscope.model import Turn
from fusionscope.report.files import turn_object
from fusionscope.report.text import credits, rfc3339, shown

__all__ = ["as_json", "as_text"]

_SHORT_ID = 15


def as_text(what: Turn | str) -> str:
    """Return, for example, ``fusion-fa51fa07 cascade legs=3 models=gpt-5.6-sol,mai-code-1.1-flash credits=14.72``.

    Models by name; the state is named unless it is ``completed``; ``credits=unknown`` where the log does not say. A sentence
    stays one.
    """
    if isinstance(what, str):
        return shown(what, limit=2_000)
    nano_aiu = what.nano_aiu
    parts = [
        shown(what.fusion_id)[:_SHORT_ID],
        shown(what.pattern or "unknown"),
        f"legs={len(what.legs)}",
        f"models={','.join(shown(model) for model in sorted(what.models))}",
        f"credits={'unknown' if nano_aiu is None else credits(nano_aiu)}",
    ]
    if what.state != "completed":
        parts.append(f"state={what.state}")
    return " ".join(parts)


def as_json(what: Turn | str) -> str:
    """Return a JSON object on one line: ``time`` and ``message``, or ``turn`` as in ``turns --json``, its legs counted."""
    line: dict[str, object] = {"time": rfc3339(time.time_ns() // 10**6)}
    if isinstance(what, str):
        line["message"] = what
    else:
        line["turn"] = {**turn_object(what), "legs": len(what.legs)}
    return json.dumps(line)
