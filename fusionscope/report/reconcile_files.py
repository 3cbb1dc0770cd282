"""The levels of sessions' money as JSON: ``reconcile --json``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fusionscope import model
from fusionscope.report import levels
from fusionscope.report.levels import Level
from fusionscope.report.outside import outside_of
from fusionscope.report.reconcile import Difference, differences
from fusionscope.report.text import rfc3339
from fusionscope.store.ledger import Ledger

__all__ = ["ledger_object", "ledgers_json"]

#: of these only the first is counted, in every figure
_LEVELS = {
    "turns": levels.counted,
    "legs": levels.legs,
    "roll_ups": levels.roll_ups,
    "usage_records_in_turns": levels.calls_in_fusion,
    "usage_records_outside": levels.calls_outside,
    "shutdown_totals": levels.shutdown,
}


def ledger_object(ledger: Ledger) -> dict[str, Any]:
    """Return one session: its levels, what lies outside its turns, and the differences with their reasons."""
    apart = outside_of(ledger)
    origin, totals = ledger.origin, ledger.totals
    return {
        "session_id": ledger.session_id,
        "started_at": rfc3339(ledger.started_at),
        "cli_version": origin.cli_version,
        "client": origin.client,
        "counted": "turns",
        "levels": {name: _level(level(ledger)) for name, level in _LEVELS.items()},
        "shutdowns": None
        if totals is None
        else {"written": totals.shutdowns, "added": len(totals.segments), "requests": totals.requests,
              "is_subtotal": totals.is_subtotal, "last_at": rfc3339(totals.last_at)},
        "outside": {**apart._asdict(), "nano_aiu": apart.nano_aiu},
        "inherited": {"turns": len(ledger.inherited_turns), "calls": len(ledger.inherited_calls)},
        "differences": [_difference(each) for each in differences(ledger)],
    }  # fmt: skip


def ledgers_json(ledgers: Sequence[Ledger]) -> str:
    """Return the array of ``reconcile --json``, oldest first, one session a line."""
    if not ledgers:
        return "[]\n"
    return "[\n" + ",\n".join(json.dumps(ledger_object(each), allow_nan=False) for each in ledgers) + "\n]\n"


def _level(level: Level) -> dict[str, Any]:
    credits = None if level.nano_aiu is None else model.credits(level.nano_aiu)
    return {"nano_aiu": level.nano_aiu, "credits": credits, "parts": level.parts, "unknown": level.unknown}


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "more": difference.more,
        "less": difference.less,
        "nano_aiu": difference.nano_aiu,
        "missing": difference.missing,
        "reasons": [reason._asdict() for reason in difference.reasons],
        "unexplained_nano_aiu": None if difference.nano_aiu is None else difference.unexplained_nano_aiu,
    }
