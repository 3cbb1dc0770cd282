"""Turns and figures as JSON and CSV: the stable interfaces of ``turns --json``, ``summary --json`` and ``turns --csv``.

JSON is pure ASCII, so that nothing of a log reaches a terminal raw; CSV text is cleaned and guarded against formulas.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

from fusionscope import model
from fusionscope.model import Leg, ToolCall, Turn
from fusionscope.report import figures
from fusionscope.report.calls import calls_by_leg
from fusionscope.report.cells import cell
from fusionscope.report.summary import Summary
from fusionscope.report.text import rfc3339
from fusionscope.store.drift import NO_DRIFT, Drift

__all__ = ["CSV_COLUMNS", "summary_json", "summary_object", "turn_details", "turn_object", "turns_csv", "turns_json"]

#: the columns of ``turns --csv``: those of the JSON that fit in a cell, then sums of the legs
CSV_COLUMNS = (
    "fusion_id", "session_id", "pattern", "state", "outcome", "started_at", "ended_at", "duration_ms",
    "routing_latency_ms", "route_source", "policy", "degraded_reason", "models", "compound", "nano_aiu", "credits", "usd",
    "review_nano_aiu", "rewound", "answer_phase_id", "verdict", "legs", "requests", "input_tokens", "output_tokens",
    "cached_tokens", "cache_write_tokens",
)  # fmt: skip

# Below this a float holds every whole number exactly.
_EXACT = 2.0**53


def turn_object(turn: Turn) -> dict[str, Any]:
    """Return one turn as ``turns --json`` writes it: its keys in their order, ``None`` where the log does not say."""
    return _turn_fields(turn) | {"legs": [_leg_object(leg) for leg in turn.legs]}


def turn_details(turn: Turn) -> dict[str, Any]:
    """Return one turn as ``show --json`` writes it: as ``turns --json`` does, and after that what only one turn has room for.

    That is each tool call, in its leg or, where the log ties it to none, in the turn; and the text of the service, which is
    there only where somebody asked for it to be kept.
    """
    found = turn_object(turn)
    by_leg, loose = calls_by_leg(turn)
    for leg, rows in zip(found["legs"], by_leg, strict=True):
        leg["tool_calls"] = [_call_object(row.call) for row in rows]
    return found | {
        "tool_calls": [_call_object(row.call) for row in loose],
        "rule_name": turn.rule_name,
        "hint": turn.hint,
    }


def turns_json(turns: Sequence[Turn]) -> str:
    """Return the array of ``turns --json``, oldest first, one turn a line."""
    if not turns:
        return "[]\n"
    return "[\n" + ",\n".join(_json(turn_object(turn)) for turn in _oldest_first(turns)) + "\n]\n"


def summary_object(found: Summary, skipped_records: int, drift: Drift = NO_DRIFT) -> dict[str, Any]:
    """Return the figures of ``summary --json``: its keys in their order. ``drift`` is of all logs, whatever was selected."""
    return {
        "turns": found.turns,
        "sessions": found.sessions,
        "compound_turns": found.compound.part,
        "compound_rate": found.compound.value,
        "judged": found.rejections.whole,
        "judge_rejections": found.rejections.part,
        "judge_rejection_rate": found.rejections.value,
        "nano_aiu": found.nano_aiu,
        "credits": model.credits(found.nano_aiu),
        "usd": model.usd(found.nano_aiu),
        "review_nano_aiu": found.review.part,
        "review_share": found.review.value,
        "requests": found.requests,
        "tokens": {
            "input": found.tokens.input,
            "output": found.tokens.output,
            "cached": found.tokens.cached,
            "cache_write": found.tokens.cache_write,
        },
        "by_pattern": {
            pattern: {
                "turns": each.turns,
                "nano_aiu": each.nano_aiu,
                "median_credits": None if each.median_nano_aiu is None else model.credits(each.median_nano_aiu),
                "mean_seconds": each.mean_seconds,
            }
            for pattern, each in found.by_pattern.items()
        },
        "by_model": {
            name: {"legs": each.legs, "nano_aiu": each.nano_aiu, "share": each.share} for name, each in found.by_model.items()
        },
        "by_kind": {name: {"legs": each.legs, "nano_aiu": each.nano_aiu} for name, each in found.by_kind.items()},
        "routing_latency_ms": {
            "min": _number(found.routing_latency.min),
            "mean": _number(found.routing_latency.mean),
            "max": _number(found.routing_latency.max),
        },
        "skipped_records": skipped_records,
        "open_turns": found.open_turns,
        "drift": {"unknown_words": drift.words, "unknown_types": drift.types, "contract": drift.contract},
    }


def summary_json(found: Summary, skipped_records: int, drift: Drift = NO_DRIFT, ordinary: dict[str, Any] | None = None) -> str:
    """Return the object of ``summary --json``; the figures of turns without Fusion (``ordinary``) have a key of their own."""
    apart = {} if ordinary is None else {"ordinary": ordinary}
    return json.dumps(summary_object(found, skipped_records, drift) | apart, indent=2, allow_nan=False) + "\n"


def turns_csv(turns: Sequence[Turn]) -> str:
    """Return ``turns --csv``: a header and one row a turn, oldest first, in RFC 4180 (lines end in CR LF).

    Write it without translating line ends. Unknown is an empty cell; ``models`` are separated by a comma and a space.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(CSV_COLUMNS)
    for turn in _oldest_first(turns):
        row = _turn_fields(turn)
        tokens = figures.tokens([turn])
        row |= {
            "models": ", ".join(turn.models),
            "verdict": turn.verdict,
            "legs": len(turn.legs),
            "requests": turn.requests,
            "input_tokens": tokens.input,
            "output_tokens": tokens.output,
            "cached_tokens": tokens.cached,
            "cache_write_tokens": tokens.cache_write,
        }
        writer.writerow([cell(row[column]) for column in CSV_COLUMNS])
    return out.getvalue()


def _turn_fields(turn: Turn) -> dict[str, Any]:
    spent = turn.nano_aiu
    models = turn.models
    return {
        "fusion_id": turn.fusion_id,
        "session_id": turn.session_id,
        "pattern": turn.pattern,
        "state": turn.state,
        "outcome": turn.outcome,
        "started_at": rfc3339(turn.started_at),
        "ended_at": rfc3339(turn.ended_at),
        "duration_ms": _number(turn.duration_ms),
        "routing_latency_ms": _number(turn.routing_latency_ms),
        "route_source": turn.route_source,
        "policy": turn.policy,
        "degraded_reason": turn.degraded_reason,
        "models": list(models),
        "compound": len(models) > 1,
        "nano_aiu": spent,
        "credits": None if spent is None else model.credits(spent),
        "usd": None if spent is None else model.usd(spent),
        "review_nano_aiu": turn.review_nano_aiu,
        "rewound": turn.rewound,
        "answer_phase_id": turn.answer_phase_id,
    }


def _leg_object(leg: Leg) -> dict[str, Any]:
    return {
        "phase_id": leg.phase_id,
        "index": leg.index,
        "kind": leg.kind,
        "role": leg.role,
        "scope": leg.scope,
        "model": leg.model,
        "reasoning_effort": leg.reasoning_effort,
        "status": leg.status,
        "verdict": leg.verdict,
        "reason": leg.reason,
        "started_at": rfc3339(leg.started_at),
        "ended_at": rfc3339(leg.ended_at),
        "duration_ms": _number(leg.duration_ms),
        "requests": leg.requests,
        "input_tokens": leg.input_tokens,
        "output_tokens": leg.output_tokens,
        "cached_tokens": leg.cached_tokens,
        "cache_write_tokens": leg.cache_write_tokens,
        "nano_aiu": leg.nano_aiu,
        "is_answer": leg.is_answer,
    }


def _call_object(call: ToolCall) -> dict[str, Any]:
    return {
        "tool_call_id": call.tool_call_id,
        "parent_tool_call_id": call.parent_tool_call_id,
        "phase_id": call.phase_id,
        "turn_id": call.turn_id,
        "interaction_id": call.interaction_id,
        "name": call.name,
        "started_at": rfc3339(call.started_at),
        "ended_at": rfc3339(call.ended_at),
        "duration_ms": call.duration_ms,
        "success": call.success,
        "exit_code": call.exit_code,
        "error": call.error,
    }


def _oldest_first(turns: Iterable[Turn]) -> list[Turn]:
    # The order of turns that started in one millisecond must not depend on the order they were given in.
    return sorted(turns, key=lambda turn: (turn.started_at, turn.fusion_id))


def _json(value: object) -> str:
    return json.dumps(value, separators=(", ", ": "), allow_nan=False)


def _number(value: float | None) -> float | int | None:
    """Return a whole number as an integer, so that it reads ``9000`` and not ``9000.0``; JSON knows no infinity."""
    if value is None or not isfinite(value):
        return None
    return int(value) if abs(value) < _EXACT and value == int(value) else value
