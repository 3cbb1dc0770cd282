"""``summary --by`` as JSON and CSV: the finest groups, a row each, so that rows add up to the total."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from fusionscope import model
from fusionscope.report.cells import cell
from fusionscope.report.groups import Group, Grouping

__all__ = ["groups_csv", "groups_json", "groups_object"]


def groups_object(grouping: Grouping, zone_name: str) -> dict[str, Any]:
    """Return what ``summary --by KEYS --json`` writes; ``zone_name`` says whose days and weeks they are."""
    return {
        "by": list(grouping.keys),
        "zone": zone_name,
        "total": _figures(grouping.total),
        "rows": [_row(grouping, group) for group in grouping.rows],
    }


def groups_json(grouping: Grouping, zone_name: str) -> str:
    """Return the object of ``summary --by KEYS --json``."""
    return json.dumps(groups_object(grouping, zone_name), indent=2, allow_nan=False) + "\n"


def groups_csv(grouping: Grouping) -> str:
    """Return ``summary --by KEYS --csv``: a header and one row a group, in RFC 4180 (lines end in CR LF); no row of totals.

    Write it without translating line ends. Unknown is an empty cell.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([*map(_column, grouping.keys), "itemised", *_figures(grouping.total)])
    for group in grouping.rows:
        writer.writerow([cell(value) for value in _row(grouping, group).values()])
    return out.getvalue()


def _row(grouping: Grouping, group: Group) -> dict[str, Any]:
    named = dict(zip(map(_column, grouping.keys), group.values, strict=True))
    return named | {"itemised": group.itemised} | _figures(group)


def _column(key: str) -> str:
    return key.replace("-", "_")


def _figures(group: Group) -> dict[str, Any]:
    spent, median = group.nano_aiu, group.median_nano_aiu
    return {
        "turns": group.turns,
        "legs": group.legs,
        "nano_aiu": spent,
        "credits": None if spent is None else model.credits(spent),
        "usd": None if spent is None else model.usd(spent),
        "share": group.share,
        "median_credits": None if median is None else model.credits(median),
        "review_nano_aiu": group.review_nano_aiu,
        "review_share": group.review_share,
        "judged": group.verdicts,
        "judge_rejections": group.rejections,
        "judge_rejection_rate": group.rejections / group.verdicts if group.verdicts else None,
        "unmetered": group.unmetered,
    }
