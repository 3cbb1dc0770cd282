"""The answer of ``fusionscope doctor``: everything that was found, and a verdict on each part of it.

Pure functions: whoever calls them has looked already. The parts are judged in ``doctor_places``, ``doctor_logs`` and
``doctor_sending``; here they are put in order, and written as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fusionscope.report import doctor_logs, doctor_places, doctor_sending
from fusionscope.report.doctor_findings import Check, Findings, Verdict
from fusionscope.report.status import delivery_object
from fusionscope.vocabulary import CONTRACT_VERSION

__all__ = ["as_json", "broken", "diagnose", "result"]


def diagnose(found: Findings) -> list[Check]:
    """Return a verdict on each part, in the order of the data: where the logs are, what they say, where it goes."""
    program = Check("program", Verdict.OK, found.program)
    return [program, *doctor_places.checks(found), *doctor_logs.checks(found), *doctor_sending.checks(found)]


def broken(checks: Sequence[Check]) -> str | None:
    """Return in one sentence which parts are broken; ``None``: none is."""
    names = dict.fromkeys(check.name for check in checks if check.verdict is Verdict.BROKEN)
    return f"Broken: {', '.join(names)}." if names else None


def result(checks: Sequence[Check]) -> str:
    """Return the verdict on the whole, in a few words."""
    look, bad = (sum(check.verdict is verdict for check in checks) for verdict in (Verdict.LOOK, Verdict.BROKEN))
    if not look and not bad:
        return "Nothing to look at."
    return f"{look} to look at, {bad} broken."


def as_json(found: Findings, checks: Sequence[Check]) -> str:
    """Return one JSON object: the verdicts, and what they rest on. Moments are RFC 3339, sizes bytes."""
    worst = max((check.verdict for check in checks), key=list(Verdict).index)
    return json.dumps(
        {
            "verdict": worst.value,
            "checks": [{"name": check.name, "verdict": check.verdict.value, "sentence": check.sentence} for check in checks],
            "cli_root": found.cli_root._asdict(),
            "roots": [root._asdict() for root in found.roots],
            "other_roots": list(found.other_roots),
            "unreadable_logs": [{"path": path, "why": why} for path, why in found.unreadable_logs],
            **_seen_object(found),
            "database": _database_object(found),
            "followed_by": found.process,
            "watches": {"directories": found.directories, "limit": found.watch_limit},
            "outbox": [delivery_object(delivery) for delivery in found.deliveries],
            "endpoint": found.endpoint._asdict() if found.endpoint else None,
        },
        indent=2,
    )


def _seen_object(found: Findings) -> dict[str, Any]:
    seen = found.seen._asdict()
    drift = seen.pop("drift")
    seen["asked_without_fusion"] = [asked._asdict() for asked in seen.pop("asked")]
    seen["unknown_words"] = drift.words
    seen["contract"] = {"newest": found.seen.contract, "known": CONTRACT_VERSION}
    return seen


def _database_object(found: Findings) -> dict[str, Any]:
    database = found.database._asdict()
    return database | {
        "path": str(found.database.path),
        "condition": found.database.condition.value,
        "file_system": found.database_file_system,
        "on_a_network": found.database_on_network,
    }
