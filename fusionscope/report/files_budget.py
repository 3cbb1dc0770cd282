"""``budget --json``."""

from __future__ import annotations

import json
from typing import Any

from fusionscope.model import credits
from fusionscope.report.budget import Budget
from fusionscope.report.text import rfc3339

__all__ = ["budget_json", "budget_object"]


def budget_object(budget: Budget, zone_name: str) -> dict[str, Any]:
    """Return what ``budget --json`` writes; ``zone_name`` says whose month it is."""
    return {
        "month": budget.month.first.isoformat()[:7],
        "zone": zone_name,
        "now": rfc3339(budget.now),
        "limit_credits": credits(budget.limit),
        "spent_nano_aiu": budget.spent,
        "spent_credits": credits(budget.spent),
        "spent_share": budget.spent / budget.limit,
        "over": budget.is_over,
        "credits_a_day": credits(budget.per_day),
        "month_end_credits": credits(budget.at_end),
        "runs_out_at": rfc3339(budget.runs_out_at),
        "fusion_nano_aiu": budget.fusion,
        "fusion_share": budget.share(budget.fusion),
        "ordinary_nano_aiu": budget.ordinary,
        "ordinary_share": budget.share(budget.ordinary),
        "top_model": budget.model,
        "top_model_nano_aiu": budget.model_nano_aiu,
        "top_model_share": budget.share(budget.model_nano_aiu),
        "unmetered_fusion_turns": budget.unmetered_fusion,
        "unmetered_ordinary_turns": budget.unmetered_ordinary,
    }


def budget_json(budget: Budget, zone_name: str) -> str:
    """Return the object of ``budget --json``."""
    return json.dumps(budget_object(budget, zone_name), indent=2, allow_nan=False) + "\n"
