"""The lines of one turn: the question, the route, every leg with its rounds, the commit and the roll-up.

Each line has a place in its turn, such as ``resolved``, ``judge completed`` or ``repair round 2 start``, from which its
event id is derived unless the table gives one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from fusionscope.demo.filler import ToolCall, prose, tool_call
from fusionscope.demo.lines import Json, Log, iso, stable_hex, stable_uuid
from fusionscope.demo.project import CWD, SYNTHETIC_MODEL
from fusionscope.demo.records import Leg, Turn

__all__ = ["tool_calls", "write_turn"]

#: pattern -> the legs that may run, in order; the last of a compound pattern only when a review asks for it
_PLANS: dict[str, tuple[tuple[str, str, str, bool], ...]] = {
    "single": (("primary", "solver", "root", False),),
    "cascade": (
        ("primary", "solver", "root", False),
        ("judge", "judge", "review", False),
        ("repair", "solver", "root", True),
    ),
    "critique": (
        ("draft", "solver", "root", False),
        ("critic", "critic", "review", False),
        ("revision", "solver", "root", True),
    ),
}

#: characters of filler for each output token; less than in real text, since part of the output is reasoning
_CHARACTERS_PER_TOKEN = 3

_SYSTEM_TEXT_SIZE = 9_000

#: what the CLI needs between reading the prompt and asking for a route
_ASK_MS = 38


def tool_calls(turn: Turn, leg: Leg) -> list[list[ToolCall]]:
    """Return the tool calls of every round of a leg: as even as possible, none in the last round, which answers."""
    calling = leg.requests - 1
    rounds: list[list[ToolCall]] = [[] for _ in range(leg.requests)]
    for n in range(leg.tool_calls):
        rounds[n % calling].append(tool_call(f"{turn.fusion_id} {leg.kind} {n}"))
    return rounds


class _TurnWriter:
    """Writes one turn to a log. Times are milliseconds since 1970."""

    def __init__(self, log: Log, turn: Turn) -> None:
        self.log = log
        self.turn = turn
        self.interaction_id = self.unique("interaction")
        #: counts the rounds of this turn: the CLI starts it anew with each prompt
        self.round = 0

    def unique(self, what: str) -> str:
        """Return an id of something in this turn."""
        return stable_uuid(f"{self.turn.fusion_id}/{what}")

    def put(self, place: str, event_type: str, at: int, data: Json) -> None:
        """Add the line that stands at ``place``."""
        self.log.append(event_type, at, data, self.turn.event_ids.get(place) or self.unique(place))

    def write(self, *, first: bool) -> None:
        """Add all lines; the system message only on the ``first`` turn of a session."""
        turn = self.turn
        # A round number of milliseconds that contains the fraction of the routing latency.
        began_at = turn.resolved_at - math.ceil(turn.routing_latency_ms)
        self._question(began_at - _ASK_MS, first=first)
        self.put("resolved", "session.fusion_resolved", turn.resolved_at, self._route())
        ended_at = turn.resolved_at
        for index, leg in enumerate(turn.legs):
            if leg.kind == "repair":
                self._handoff(turn.legs[index - 1], leg, ended_at + 2)
            started_at = ended_at + leg.gap_ms
            ended_at = started_at + leg.duration_ms
            if leg.scope == "root":
                # Legs in the review scope are isolated: nothing but their end is on disk.
                self._rounds(leg, started_at, ended_at)
            self.put(f"{leg.kind} completed", "assistant.fusion_phase_completed", ended_at, self._leg(leg))
        self._commit(ended_at)
        completed_at = ended_at + turn.closing_ms
        self.put("completed", "session.fusion_completed", completed_at, self._roll_up(completed_at - began_at))

    def _question(self, at: int, *, first: bool) -> None:
        prompt = self.turn.prompt
        data: Json = {
            "content": prompt,
            "transformedContent": f"<current_datetime>{iso(at)}</current_datetime>\n\n{prompt}",
            "messageId": self.unique("question"),
            "supportedNativeDocumentMimeTypes": [],
            "delivery": "idle",
            "interactionId": self.interaction_id,
            "turnId": "0",
            "parentAgentTaskId": self.unique("task"),
        }
        self.put("user", "user.message", at, data)
        if first:
            text = f"You are an assistant in a terminal.\n\nWorking directory: {CWD}\n\n"
            text += prose("system", _SYSTEM_TEXT_SIZE)
            data = {"role": "system", "content": text, "interactionId": self.interaction_id}
            self.put("system", "system.message", at + 3, data)

    def _route(self) -> Json:
        turn = self.turn
        primary, reviewer = turn.legs[0], turn.reviewer
        stronger = "gpt-5.6-sol" if primary.model != "gpt-5.6-sol" else "gpt-5.6-terra"
        return {
            "fusionId": turn.fusion_id,
            "turnId": f"{turn.fusion_id}:turn",
            "syntheticModel": SYNTHETIC_MODEL,
            "policy": "max",
            "routeSource": "capi_plan",
            "contractVersion": 1,
            "planVersion": "1",
            "policyVersion": None,
            "modelUniverseVersion": None,
            "ruleId": None,
            "scores": None,
            "pattern": turn.pattern,
            "phasePlan": [
                dict(zip(("kind", "role", "scope", "conditional"), leg, strict=True)) for leg in _PLANS[turn.pattern]
            ],
            "primaryModel": primary.model,
            "secondaryModel": reviewer.model if reviewer else None,
            "fallbackModel": reviewer.model if reviewer else stronger,
            "followUpModel": primary.model,
            "followUp": None,
            "routingLatencyMs": turn.routing_latency_ms,
        }

    def _attribution(self, leg: Leg, *, committed: bool = False) -> Json:
        turn = self.turn
        tie: Json = {
            "fusionId": turn.fusion_id,
            "syntheticModel": SYNTHETIC_MODEL,
            "policy": "max",
            "pattern": turn.pattern,
            "phaseId": turn.phase_id(leg),
            "phaseKind": leg.kind,
            "role": leg.role,
            "sourceModel": leg.model,
            "conversationScope": leg.scope,
        }
        return {**tie, "commitId": turn.commit_id} if committed else tie

    def _rounds(self, leg: Leg, started_at: int, ended_at: int) -> None:
        """Add the rounds of a leg, one for each model call.

        The text of the answer leg's last round is staged: it is written with the commit, after all other legs.
        """
        rounds = tool_calls(self.turn, leg)
        for number, calls in enumerate(rounds):
            begin = started_at + (ended_at - started_at) * number // leg.requests
            end = started_at + (ended_at - started_at) * (number + 1) // leg.requests
            place = f"{leg.kind} round {number}"
            start = {"turnId": str(self.round), "interactionId": self.interaction_id}
            self.put(f"{place} start", "assistant.turn_start", begin, start)
            if number == leg.requests - 1 and leg is self.turn.answer:
                return
            said_at = end - 1 if not calls else begin + (end - begin) * 3 // 4
            text = prose(place, 60) if calls else self._output(leg)
            message = self._message(place, leg, text, calls)
            self.put(f"{place} message", "assistant.message", said_at, message)
            for index, (at, until) in enumerate(_slots(said_at, end, len(calls))):
                self._tool(place, leg, calls[index], index, at, until)
            self._end_round(f"{place} end", end)

    def _end_round(self, place: str, at: int) -> None:
        self.put(place, "assistant.turn_end", at, {"turnId": str(self.round)})
        self.round += 1

    def _message(self, place: str, leg: Leg, text: str, calls: list[ToolCall], *, committed: bool = False) -> Json:
        requests = [
            {
                "toolCallId": self._tool_call_id(place, number),
                "name": call.name,
                "arguments": call.arguments,
                "type": "function",
                "intentionSummary": call.summary,
            }
            for number, call in enumerate(calls)
        ]
        return {
            "messageId": self.unique(f"{place} message id"),
            "model": leg.model,
            "content": text,
            "toolRequests": requests,
            "interactionId": self.interaction_id,
            "turnId": str(self.round),
            "rte": False,
            "apiCallId": f"chatcmpl-{stable_hex(f'{self.turn.fusion_id}/{place}')[:24]}",
            "fusion": self._attribution(leg, committed=committed),
        }

    def _tool_call_id(self, place: str, number: int) -> str:
        return f"call_{stable_hex(f'{self.turn.fusion_id}/{place}/{number}')[:24]}"

    def _tool(self, place: str, leg: Leg, call: ToolCall, number: int, at: int, until: int) -> None:
        tool_call_id = self._tool_call_id(place, number)
        start: Json = {
            "toolCallId": tool_call_id,
            "toolName": call.name,
            "arguments": call.arguments,
            "turnId": str(self.round),
            "model": leg.model,
        }
        if call.name == "bash":
            start["shellToolInfo"] = {"possiblePaths": [], "hasWriteFileRedirection": False}
        start["fusion"] = self._attribution(leg)
        end: Json = {
            "toolCallId": tool_call_id,
            "model": leg.model,
            "interactionId": self.interaction_id,
            "turnId": str(self.round),
            "rte": False,
            "success": True,
            "result": {"content": call.result, "detailedContent": call.result},
            "toolTelemetry": {"properties": {}, "metrics": {"resultLength": len(call.result)}},
            "fusion": self._attribution(leg),
        }
        self.put(f"{place} tool {number} start", "tool.execution_start", at, start)
        self.put(f"{place} tool {number} end", "tool.execution_complete", until, end)

    def _output(self, leg: Leg) -> str:
        """Return the text a leg ends with."""
        if self.turn.pattern == "single" and leg.requests == 1:
            return "ready"  # the smoke prompt asks for this word
        size = leg.output_tokens * _CHARACTERS_PER_TOKEN // leg.requests
        return prose(f"{self.turn.fusion_id} {leg.kind}", size)

    def _leg(self, leg: Leg) -> Json:
        alone = self.turn.pattern == "single"
        return {
            "fusionId": self.turn.fusion_id,
            "phaseId": self.turn.phase_id(leg),
            "phaseKind": leg.kind,
            "role": leg.role,
            "conversationScope": leg.scope,
            "model": leg.model,
            "status": "succeeded",
            "content": self._output(leg),
            "verdict": leg.verdict,
            "durationMs": leg.duration_ms,
            "usage": {
                "requestCount": leg.requests,
                "inputTokens": leg.input_tokens,
                "outputTokens": leg.output_tokens,
                "cachedTokens": leg.cached_tokens,
                "cacheWriteTokens": leg.cache_write_tokens,
                "totalNanoAiu": leg.nano_aiu,
            },
            "projectionMode": "none" if leg.scope == "review" else "append" if alone else "staged",
        }

    def _handoff(self, source: Leg, target: Leg, at: int) -> None:
        data = {
            "fusionId": self.turn.fusion_id,
            "sourcePhaseId": self.turn.phase_id(source),
            "targetPhaseId": self.turn.phase_id(target),
            "targetModel": target.model,
            "message": {"role": "user", "content": prose(f"{self.turn.fusion_id} handoff", 400)},
        }
        self.put("handoff", "session.fusion_handoff", at, data)

    def _commit(self, ended_at: int) -> None:
        """Add the lines that make the answer leg's text visible."""
        turn, answer = self.turn, self.turn.answer
        data = {
            "fusionId": turn.fusion_id,
            "commitId": turn.commit_id,
            "sourcePhaseId": turn.phase_id(answer),
            "sourceModel": answer.model,
            "kind": "text",
            "toolCallId": None,
        }
        self.put("commit", "session.fusion_commit_started", ended_at + 2, data)
        message = self._message("answer", answer, self._output(answer), [], committed=True)
        self.put("answer message", "assistant.message", ended_at + turn.closing_ms - 2, message)
        self._end_round("answer end", ended_at + turn.closing_ms - 1)

    def _roll_up(self, duration_ms: int) -> Json:
        turn, legs = self.turn, self.turn.legs
        return {
            "fusionId": turn.fusion_id,
            "commitId": turn.commit_id,
            "turnId": f"{turn.fusion_id}:turn",
            "syntheticModel": SYNTHETIC_MODEL,
            "pattern": turn.pattern,
            "outcome": "completed",
            "finalSourcePhaseId": turn.phase_id(turn.answer),
            "finalSourceModel": turn.answer.model,
            "followUpModel": legs[0].model,
            "degradedReason": None,
            "phaseCount": len(legs),
            "requestCount": sum(leg.requests for leg in legs),
            "inputTokens": sum(leg.input_tokens for leg in legs),
            "outputTokens": sum(leg.output_tokens for leg in legs),
            "cachedTokens": sum(leg.cached_tokens for leg in legs),
            "cacheWriteTokens": sum(leg.cache_write_tokens for leg in legs),
            "totalNanoAiu": sum(leg.nano_aiu for leg in legs),
            "durationMs": duration_ms,
        }


def _slots(begin: int, end: int, count: int) -> Iterator[tuple[int, int]]:
    """Cut the time between ``begin`` and ``end`` into ``count`` slots, each a moment after the one before."""
    for number in range(count):
        yield begin + 1 + (end - begin - 2) * number // count, begin + (end - begin - 2) * (number + 1) // count


def write_turn(log: Log, turn: Turn, *, first: bool) -> None:
    """Add the lines of one turn to its session's log; ``first`` in the session or not."""
    _TurnWriter(log, turn).write(first=first)
