"""Small session logs made line by line: ids, times and amounts depend on nothing but the calls.

A ``Log`` holds the lines of one session, so that a test can write any part or mixture of them. One cascade turn
(``Log.turn``) is eight lines: 12.5 credits (0.5 + 2.0 + 10.0), three legs with one request each, 300 input and 30 output
tokens, a rejected draft.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

__all__ = ["Log", "a_turn", "place"]

CREDIT = 1_000_000_000


def _uuid(text: str) -> str:
    return str(uuid.UUID(bytes=hashlib.sha256(text.encode()).digest()[:16], version=4))


class Log:
    """A session log under construction; each event comes one second after the one before."""

    def __init__(self, name: str = "s1", begins: str = "2026-11-30T10:00:00") -> None:
        self.session_id = _uuid(name)
        self.lines: list[bytes] = []
        self._now = datetime.fromisoformat(begins)
        self._parent: str | None = None
        self._spent: dict[str, list[int]] = {}

    def __bytes__(self) -> bytes:
        return b"".join(self.lines)

    def event(self, kind: str, /, seconds: float = 1.0, envelope: dict[str, Any] | None = None, **data: Any) -> bytes:
        """Append an event of type ``kind``; ``envelope`` adds to, or replaces, what stands beside its data."""
        self._now += timedelta(seconds=seconds)
        event_id = _uuid(f"{self.session_id} {len(self.lines)}")
        stamp = self._now.isoformat(timespec="milliseconds") + "Z"
        record = {"type": kind, "data": data, "id": event_id, "timestamp": stamp, "parentId": self._parent}
        self._parent = event_id
        line = json.dumps(record | (envelope or {}), separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        self.lines.append(line)
        return line

    def start(self, **data: Any) -> bytes:
        """``session.start`` of CLI 1.0.84-4."""
        context = {"cwd": "/home/dev/w", "repository": "acme/w", "branch": "main"}
        return self.event(
            "session.start",
            **{
                "sessionId": self.session_id,
                "copilotVersion": "1.0.84-4",
                "selectedModel": "hydrafusion",
                "context": context,
                **data,
            },
        )

    def user(self, text: str = "go") -> bytes:
        """``user.message``."""
        return self.event("user.message", content=text, attachments=[])

    def resolved(
        self, fusion_id: str, pattern: str = "cascade", primary: str = "m-small", secondary: str = "m-big", **data: Any
    ) -> bytes:
        """``session.fusion_resolved``, routed in 200 ms."""
        route: dict[str, Any] = {
            "fusionId": fusion_id, "turnId": "0", "contractVersion": 1, "syntheticModel": "hydrafusion", "policy": "max",
            "routeSource": "capi_plan", "planVersion": "1", "policyVersion": None, "ruleId": None, "ruleName": "r",
            "scores": {"reasoning": 0.5, "codeGen": 0.25, "debugging": 0.125, "toolUse": 0},
            "pattern": pattern, "phasePlan": [],
            "primaryModel": primary, "secondaryModel": secondary, "fallbackModel": secondary, "followUpModel": primary,
            "routingLatencyMs": 200.0,
        }  # fmt: skip
        return self.event("session.fusion_resolved", **route | data)

    def leg(
        self, fusion_id: str, n: int, kind: str, model: str, nano_aiu: int, verdict: str | None = None, **data: Any
    ) -> bytes:
        """``assistant.fusion_phase_completed`` of phase ``<fusion_id>:p<n>``: 2 s, 1 request, 100 + 10 tokens."""
        leg = {
            "fusionId": fusion_id, "phaseId": f"{fusion_id}:p{n}", "phaseKind": kind,
            "role": "judge" if kind == "judge" else "solver",
            "conversationScope": "review" if kind in ("judge", "critic") else "root", "model": model, "status": "succeeded",
            "content": "x", "verdict": verdict, "durationMs": 2_000, "usage": self._usage(fusion_id, nano_aiu),
        }  # fmt: skip
        return self.event(data.pop("event", "assistant.fusion_phase_completed"), **leg | data)

    def leg_failed(self, fusion_id: str, n: int, kind: str, model: str, nano_aiu: int, **data: Any) -> bytes:
        """``assistant.fusion_phase_failed``, reason ``primary_call_failed``."""
        failed = {"event": "assistant.fusion_phase_failed", "status": "failed", "reason": "primary_call_failed"}
        return self.leg(fusion_id, n, kind, model, nano_aiu, **failed | data)

    def tool_start(self, fusion_id: str, n: int | None, call_id: str, name: str = "bash", **data: Any) -> bytes:
        """``tool.execution_start`` in phase ``<fusion_id>:p<n>``, or in the turn but no phase."""
        started: dict[str, Any] = {
            "toolCallId": call_id,
            "toolName": name,
            "turnId": "0",
            "fusion": self._attribution(fusion_id, n),
        }
        return self.event("tool.execution_start", **started | data)

    def tool_end(self, fusion_id: str, n: int | None, call_id: str, success: bool = True, **data: Any) -> bytes:
        """``tool.execution_complete``, likewise."""
        ended: dict[str, Any] = {"toolCallId": call_id, "success": success, "fusion": self._attribution(fusion_id, n)}
        return self.event("tool.execution_complete", **ended | data)

    def tool(self, fusion_id: str, n: int | None, call_id: str, name: str = "bash", success: bool = True) -> None:
        """A tool call of one second."""
        self.tool_start(fusion_id, n, call_id, name)
        self.tool_end(fusion_id, n, call_id, success)

    def handoff(self, fusion_id: str, source: int, target: int, model: str) -> bytes:
        """``session.fusion_handoff``."""
        return self.event(
            "session.fusion_handoff", fusionId=fusion_id, sourcePhaseId=f"{fusion_id}:p{source}",
            targetPhaseId=f"{fusion_id}:p{target}", targetModel=model, message={},
        )  # fmt: skip

    def commit(self, fusion_id: str, n: int, model: str) -> bytes:
        """``session.fusion_commit_started``."""
        return self.event(
            "session.fusion_commit_started", fusionId=fusion_id, commitId=f"{fusion_id}:c", sourcePhaseId=f"{fusion_id}:p{n}",
            sourceModel=model, kind="text", toolCallId=None,
        )  # fmt: skip

    def completed(self, fusion_id: str, n: int, model: str, pattern: str = "cascade", **data: Any) -> bytes:
        """``session.fusion_completed``: 9 s, the sums of the legs so far."""
        requests, nano_aiu = self._spent.get(fusion_id, [0, 0])
        end = {
            "fusionId": fusion_id, "commitId": f"{fusion_id}:c", "turnId": "0", "syntheticModel": "hydrafusion",
            "pattern": pattern, "outcome": "completed", "finalSourcePhaseId": f"{fusion_id}:p{n}", "finalSourceModel": model,
            "followUpModel": model, "degradedReason": None, "phaseCount": requests, "requestCount": requests,
            "inputTokens": 100 * requests, "outputTokens": 10 * requests, "cachedTokens": 0, "totalNanoAiu": nano_aiu,
            "durationMs": 9_000.0,
        }  # fmt: skip
        return self.event("session.fusion_completed", **end | data)

    def route_failed(
        self, attempt_id: str = "a1", reason: str = "router_timeout", fallback: str = "m-big", **data: Any
    ) -> bytes:
        """``session.fusion_route_failed`` after 5 s, without a fusion id as before CLI 1.0.104."""
        failed: dict[str, Any] = {"attemptId": attempt_id, "syntheticModel": "hydrafusion", "policy": "max", "reason": reason,
                  "fallbackModel": fallback, "routingLatencyMs": 5_000}  # fmt: skip
        return self.event("session.fusion_route_failed", **failed | data)

    def resume(self, **data: Any) -> bytes:
        """``session.resume``."""
        resumed: dict[str, Any] = {
            "selectedModel": "hydrafusion",
            "eventCount": len(self.lines),
            "context": {"cwd": "/home/dev/w"},
        }
        return self.event("session.resume", **resumed | data)

    def shutdown(self, **data: Any) -> bytes:
        """``session.shutdown``."""
        return self.event("session.shutdown", **{"shutdownType": "routine", "totalNanoAiu": 0, "modelMetrics": {}, **data})

    def turn(self, fusion_id: str = "f1") -> Log:
        """Append a whole cascade turn; see the module."""
        self.user()
        self.resolved(fusion_id)
        self.leg(fusion_id, 0, "primary", "m-small", CREDIT // 2)
        self.leg(fusion_id, 1, "judge", "m-big", 2 * CREDIT, "reject")
        self.handoff(fusion_id, 1, 2, "m-big")
        self.leg(fusion_id, 2, "repair", "m-big", 10 * CREDIT)
        self.commit(fusion_id, 2, "m-big")
        self.completed(fusion_id, 2, "m-big")
        return self

    def _attribution(self, fusion_id: str, n: int | None) -> dict[str, Any]:
        tied = {"fusionId": fusion_id, "syntheticModel": "hydrafusion", "policy": "max", "pattern": "cascade"}
        return tied if n is None else tied | {"phaseId": f"{fusion_id}:p{n}"}

    def _usage(self, fusion_id: str, nano_aiu: int) -> dict[str, int]:
        spent = self._spent.setdefault(fusion_id, [0, 0])
        spent[0] += 1
        spent[1] += nano_aiu
        return {"requestCount": 1, "inputTokens": 100, "outputTokens": 10, "cachedTokens": 0, "totalNanoAiu": nano_aiu}


def a_turn(fusion_id: str = "f1") -> Log:
    """A session with one cascade turn.

    Its lines: 0 start, 1 user, 2 resolved, 3 primary, 4 judge, 5 handoff, 6 repair, 7 commit, 8 completed.
    """
    log = Log()
    log.start()
    return log.turn(fusion_id)


def place(root: Path, log: Log | bytes, session_id: str | None = None) -> Path:
    """Write a log (or any bytes) as that of a session below ``root``, and return its path."""
    name = session_id or (log.session_id if isinstance(log, Log) else _uuid("s1"))
    path = root / name / "events.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(log))
    return path
