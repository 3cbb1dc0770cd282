"""Logs in which every level of money is written: usage records, ordinary turns, compactions, totals, rewinds, forks."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from tests.logs import CREDIT, Log

__all__ = ["MoneyLog", "fork_of"]


class MoneyLog(Log):
    """A log of CLI 1.0.102: one second an event, as in ``Log``. Amounts are credits."""

    def ask(self, interaction: str | None, **envelope: Any) -> None:
        """The person asks."""
        self.event("user.message", envelope=envelope, content="x", interactionId=interaction)

    def reply(self, interaction: str | None, call: str | None = None, model: str = "m-one", **envelope: Any) -> None:
        """The assistant speaks, in no Fusion turn."""
        self.event("assistant.message", envelope=envelope, content="x", model=model, interactionId=interaction, apiCallId=call)

    def call(self, spent: float | None, call: str | None = None, model: str = "m-one", **more: Any) -> None:
        """One model call of 1,000 + 50 tokens, 800 of them cached; ``spent`` is ``None`` where it was not metered."""
        usage = {
            "model": model, "inputTokens": 1_000, "outputTokens": 50, "cacheReadTokens": 800, "cacheWriteTokens": 0,
            "duration": 400, "apiCallId": call, "isByok": False,
            "accounting": {"sourceSessionId": self.session_id, "sequence": 1, "usageId": call},
            "aiCreditsStatus": "unavailable" if spent is None else "complete",
        }  # fmt: skip
        if spent is not None:
            usage["copilotUsage"] = {"totalNanoAiu": round(spent * CREDIT)}
        envelope = more.pop("envelope", {})
        fusion = more.pop("fusion", None)
        self.event("session.usage_record", envelope=envelope, usage=usage | more, **({"fusion": fusion} if fusion else {}))

    def ordinary(self, interaction: str, spent: float | None, model: str = "m-one") -> None:
        """A whole turn without Fusion, three events: asked, one call, answered."""
        self.ask(interaction)
        self.call(spent, f"call-{interaction}", model)
        self.reply(interaction, f"call-{interaction}", model)

    def compact(self, spent: float | None) -> None:
        """A compaction of one request."""
        used: dict[str, Any] = {"model": "m-one", "inputTokens": 5_000, "outputTokens": 100, "requestCount": 1}
        used["aiCreditsStatus"] = "unavailable" if spent is None else "complete"
        if spent is not None:
            used["copilotUsage"] = {"totalNanoAiu": round(spent * CREDIT)}
        self.event("session.compaction_complete", success=True, trigger="manual", summaryContent="x", compactionTokensUsed=used)

    def total(self, spent: float, requests: int = 3, started: int | None = 0, **more: Any) -> None:
        """A shutdown that says what the session cost so far."""
        models = {"m-big": {"requests": {"count": requests, "cost": 0}, "totalNanoAiu": round(spent * CREDIT)}}
        snapshot = {"aiCreditsStatus": more.pop("status", "complete")}
        self.shutdown(**{"totalNanoAiu": round(spent * CREDIT), "sessionStartTime": started, "modelMetrics": models,
                         "accountingSnapshot": snapshot, **more})  # fmt: skip

    def rewind(self) -> None:
        """The CLI went back; what it removed the caller removes."""
        self.event("session.info", infoType="rewind", message="x")


def fork_of(parent: Log, name: str = "fork", begins: str = "2026-11-30T12:00:00") -> MoneyLog:
    """A fork: the parent's events with their ids, and a start of its own under the id of the parent's."""
    fork = MoneyLog(name, begins)
    start = json.loads(fork.start())
    start["id"] = json.loads(parent.lines[0])["id"]
    fork.lines = [json.dumps(start, separators=(",", ":")).encode() + b"\n", *parent.lines[1:]]
    fork.event("session.info", infoType="fork", message="x")
    return fork


def at(log: Log) -> int:
    """The moment of a log's last event (ms)."""
    stamp = json.loads(log.lines[-1])["timestamp"]
    return round(datetime.fromisoformat(stamp).timestamp() * 1_000)
