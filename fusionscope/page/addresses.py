"""Where the views of a turn and of a session are, here and in Grafana."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from fusionscope import ids
from fusionscope.model import Turn

__all__ = ["grafana_address", "session_address", "trace_of", "turn_address"]

#: so much time before and after a turn, for back ends that look no further (ms)
_MARGIN_MS = 60_000


def turn_address(fusion_id: str) -> str:
    """Return the address of a turn."""
    return f"/turns/{quote(fusion_id, safe='')}"


def session_address(session_id: str) -> str:
    """Return the address of a session."""
    return f"/sessions/{quote(session_id, safe='')}"


def trace_of(turn: Turn) -> str:
    """Return the trace id of a turn, in hex: that of the spans which are exported of it."""
    return f"{ids.trace_id(turn.fusion_id):032x}"


def grafana_address(base: str | None, turn: Turn) -> str | None:
    """Return where the dashboard shows a turn's trace, or ``None`` where no Grafana is configured."""
    if not base:
        return None
    query = {
        "var-traceId": trace_of(turn),
        "from": turn.started_at - _MARGIN_MS,
        "to": max(turn.last_event_at, turn.started_at) + _MARGIN_MS,
    }
    return f"{base.rstrip('/')}/d/fusionscope?{urlencode(query)}"
