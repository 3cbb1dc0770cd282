"""Turns without Fusion as JSON and CSV: ``turns --ordinary``, and the key ``ordinary`` of ``summary --json``."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from fusionscope import model
from fusionscope.model import OrdinaryTurn
from fusionscope.report import ordinary
from fusionscope.report.cells import cell
from fusionscope.report.figures import Tokens
from fusionscope.report.ordinary import Median
from fusionscope.report.text import rfc3339
from fusionscope.store.ledger import Ledger

__all__ = ["CSV_COLUMNS", "ordinary_object", "ordinary_turn_object", "ordinary_turns_csv", "ordinary_turns_json"]

CSV_COLUMNS = (
    "interaction_id", "session_id", "client", "cli_version", "started_at", "ended_at", "duration_ms", "models", "calls",
    "metered_calls", "tool_calls", "failed_tool_calls", "input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens",
    "nano_aiu", "credits", "usd",
)  # fmt: skip


def ordinary_turn_object(turn: OrdinaryTurn) -> dict[str, Any]:
    """Return one turn without Fusion: its keys in their order, ``None`` where the log does not say."""
    return {
        "interaction_id": turn.interaction_id,
        "session_id": turn.session_id,
        "client": turn.client,
        "cli_version": turn.cli_version,
        "started_at": rfc3339(turn.started_at),
        "ended_at": rfc3339(turn.ended_at),
        "duration_ms": turn.ended_at - turn.started_at,
        "models": list(turn.models),
        "calls": turn.calls,
        "metered_calls": turn.metered,
        "tool_calls": turn.tool_calls,
        "failed_tool_calls": turn.failed_tool_calls,
        "input_tokens": turn.input_tokens,
        "output_tokens": turn.output_tokens,
        "cached_tokens": turn.cached_tokens,
        "cache_write_tokens": turn.cache_write_tokens,
        "nano_aiu": turn.nano_aiu,
        "credits": _credits(turn.nano_aiu),
        "usd": None if turn.nano_aiu is None else model.usd(turn.nano_aiu),
    }


def ordinary_turns_json(turns: Sequence[OrdinaryTurn]) -> str:
    """Return the array of ``turns --ordinary --json``, oldest first, one turn a line."""
    if not turns:
        return "[]\n"
    return "[\n" + ",\n".join(json.dumps(ordinary_turn_object(turn), allow_nan=False) for turn in turns) + "\n]\n"


def ordinary_turns_csv(turns: Sequence[OrdinaryTurn]) -> str:
    """Return ``turns --ordinary --csv``: a header and one row a turn, oldest first, in RFC 4180; unknown is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(CSV_COLUMNS)
    for turn in turns:
        row = ordinary_turn_object(turn) | {"models": ", ".join(turn.models)}
        writer.writerow([cell(row[column]) for column in CSV_COLUMNS])
    return out.getvalue()


def ordinary_object(turns: Sequence[OrdinaryTurn], fusion: Median, ledgers: Iterable[Ledger]) -> dict[str, Any]:
    """Return the key ``ordinary`` of ``summary --json``: none of it is in the other figures."""
    spent = ordinary.nano_aiu(turns)
    several = ordinary.of_several_models(turns)
    totals = ordinary.without_fusion(ledgers)
    return {
        "turns": len(turns),
        "sessions": ordinary.sessions(turns),
        "calls": ordinary.calls(turns),
        "tool_calls": sum(turn.tool_calls for turn in turns),
        "failed_tool_calls": sum(turn.failed_tool_calls for turn in turns),
        "tokens": _tokens(ordinary.tokens(turns)),
        "nano_aiu": spent,
        "credits": _credits(spent),
        **_median(ordinary.median_of(turns)),
        "by_model": {name: _model(each) for name, each in ordinary.by_model(turns).items()},
        "several_models": None if several is None else _model(several),
        "fusion": {**_median(fusion)},
        "sessions_without_fusion": {
            "sessions": totals.sessions,
            "metered_sessions": totals.metered,
            "nano_aiu": totals.nano_aiu,
            "credits": _credits(totals.nano_aiu),
            "requests": totals.requests,
        },
    }


def _model(figures: ordinary.ModelFigures) -> dict[str, Any]:
    return {
        "turns": figures.turns,
        "calls": figures.calls,
        "tokens": _tokens(figures.tokens),
        "nano_aiu": figures.nano_aiu,
        "credits": _credits(figures.nano_aiu),
        **_median(figures.median),
        "mean_seconds": figures.mean_seconds,
    }


def _median(found: Median) -> dict[str, Any]:
    return {"known_turns": found.known, "median_credits": _credits(found.nano_aiu)}


def _tokens(tokens: Tokens | None) -> dict[str, int] | None:
    return None if tokens is None else tokens._asdict()


def _credits(nano_aiu: int | None) -> float | None:
    return None if nano_aiu is None else model.credits(nano_aiu)
