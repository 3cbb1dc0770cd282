"""The lines around the turns of a session (start, resume, shutdown) and the small file beside its log."""

from __future__ import annotations

from collections.abc import Iterable

from fusionscope.demo.filler import ToolCall
from fusionscope.demo.lines import Json, Log, iso, stable_hex
from fusionscope.demo.project import BRANCH, CLI_VERSION, CLIENT, CWD, REPOSITORY, SYNTHETIC_MODEL
from fusionscope.demo.records import Leg, Session, Turn
from fusionscope.demo.turn_lines import tool_calls, write_turn

__all__ = ["session_log", "workspace"]

#: what a session holds in its context besides the conversation, in tokens; plausible constants
_SYSTEM_TOKENS = 4_420
_TOOL_DEFINITION_TOKENS = 5_367

#: lines that one of the demo's changes adds and removes
_ADDED, _REMOVED = 6, 1


def _context(session: Session) -> Json:
    return {
        "cwd": CWD,
        "gitRoot": CWD,
        "branch": BRANCH,
        "headCommit": stable_hex(f"commit {session.session_id}")[:40],
        "repository": REPOSITORY,
        "hostType": "github",
    }


def _start(session: Session, at: int) -> Json:
    return {
        "sessionId": session.session_id,
        "version": 1,
        "producer": "copilot-agent",
        "copilotVersion": CLI_VERSION,
        "startTime": iso(at),
        "selectedModel": SYNTHETIC_MODEL,
        "contextTier": None,
        "context": _context(session),
        "alreadyInUse": False,
        "remoteSteerable": False,
    }


def _resume(session: Session, at: int, log: Log) -> Json:
    return {
        "resumeTime": iso(at),
        "eventCount": len(log.lines),
        "eventsFileSizeBytes": log.size,
        "selectedModel": SYNTHETIC_MODEL,
        "contextTier": None,
        "sessionLimits": None,
        "context": _context(session),
        "alreadyInUse": False,
        "remoteSteerable": False,
    }


def _metrics(legs: Iterable[Leg]) -> Json:
    """Return the totals of every model in order of appearance, in the shape of ``modelMetrics``."""
    by_model: dict[str, list[Leg]] = {}
    for leg in legs:
        by_model.setdefault(leg.model, []).append(leg)
    return {
        model: {
            "requests": {"count": sum(leg.requests for leg in group), "cost": 0},
            "usage": {
                "inputTokens": sum(leg.input_tokens for leg in group),
                "outputTokens": sum(leg.output_tokens for leg in group),
                "cacheReadTokens": sum(leg.cached_tokens for leg in group),
                "cacheWriteTokens": sum(leg.cache_write_tokens for leg in group),
                "reasoningTokens": 0,
            },
            "totalNanoAiu": sum(leg.nano_aiu for leg in group),
        }
        for model, group in by_model.items()
    }


def _shutdown(session: Session, turns: list[Turn], log: Log) -> Json:
    """Return the totals of all ``turns`` since the session began, those before a resume included."""
    legs = [leg for turn in turns for leg in turn.legs]
    changed = [call.wrote for call in _calls(turns) if call.wrote]
    nano_aiu = sum(leg.nano_aiu for leg in legs)
    duration_ms = sum(leg.duration_ms for leg in legs)
    metrics = _metrics(legs)
    conversation = sum(leg.output_tokens for leg in legs) + 40 * len(turns)
    return {
        "shutdownType": "routine",
        "totalPremiumRequests": 0,
        "totalNanoAiu": nano_aiu,
        "totalApiDurationMs": duration_ms,
        "sessionStartTime": session.parts[0].opened_at,
        "eventsFileSizeBytes": log.size,
        "codeChanges": {
            "linesAdded": _ADDED * len(changed),
            "linesRemoved": _REMOVED * len(changed),
            "filesModified": sorted(set(changed)),
        },
        "modelMetrics": metrics,
        "agentMetrics": {"main": {"totalApiDurationMs": duration_ms, "totalNanoAiu": nano_aiu, "modelMetrics": metrics}},
        "currentModel": SYNTHETIC_MODEL,
        "currentTokens": _SYSTEM_TOKENS + _TOOL_DEFINITION_TOKENS + conversation,
        "systemTokens": _SYSTEM_TOKENS,
        "conversationTokens": conversation,
        "toolDefinitionsTokens": _TOOL_DEFINITION_TOKENS,
    }


def _calls(turns: Iterable[Turn]) -> Iterable[ToolCall]:
    for turn in turns:
        for leg in turn.legs:
            for calls in tool_calls(turn, leg):
                yield from calls


def session_log(session: Session) -> bytes:
    """Return the whole log of one session."""
    log = Log(session.session_id)
    turns: list[Turn] = []
    for number, part in enumerate(session.parts):
        if number == 0:
            log.append("session.start", part.opened_at, _start(session, part.opened_at))
        else:
            log.append("session.resume", part.opened_at, _resume(session, part.opened_at, log))
        for turn in part.turns:
            write_turn(log, turn, first=not turns)
            turns.append(turn)
        log.append("session.shutdown", part.closed_at, _shutdown(session, turns, log))
    return b"".join(log.lines)


def workspace(session: Session) -> bytes:
    """Return the ``workspace.yaml`` that stands beside the log."""
    fields = {
        "id": session.session_id,
        "cwd": CWD,
        "client_name": CLIENT,
        "created_at": iso(session.parts[0].opened_at),
        "updated_at": iso(session.parts[-1].closed_at),
    }
    return "".join(f"{key}: {value}\n" for key, value in fields.items()).encode()
