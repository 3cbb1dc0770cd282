"""The events of one synthetic turn: the question, the route, every leg with its rounds, the commit and the roll-up.

The kinds of events, their fields and their proportions are those of CLI 1.0.102: nearly every byte is text of messages and of
tools' results; the Fusion events are one line in seven and hardly any of the bytes.
"""

from __future__ import annotations

import json
from functools import reduce
from random import Random
from typing import NamedTuple

from bench.filler import Filler, log_uniform
from bench.log import TEXT, Json, Log, random_id
from bench.truth import Truth

__all__ = ["SYNTHETIC_MODEL", "TurnWriter", "Usage"]

SYNTHETIC_MODEL = "hydrafusion"
_POLICY = "max"

#: model -> nano-AIU for one token of input and one of output; a cached one costs a tenth of an input token
_RATES = {
    "gpt-5.6-sol": (250_000, 2_000_000),
    "gpt-5.6-terra": (110_000, 880_000),
    "gpt-5.6-luna": (50_000, 400_000),
    "claude-opus-5": (900_000, 4_500_000),
    "mai-code-1.1-flash": (20_000, 140_000),
}

#: once in so many lines a tool's result quotes a Fusion line; one in so many compound turns loses its review
_DECOY_EVERY, _DEGRADED_EVERY = 1_000, 20


class Phase(NamedTuple):
    """A leg that a pattern may run; the ``conditional`` ones only when a review asks for them."""

    kind: str
    role: str
    scope: str
    conditional: bool


_PLANS = {
    "single": (Phase("primary", "solver", "root", False),),
    "cascade": (
        Phase("primary", "solver", "root", False),
        Phase("judge", "judge", "review", False),
        Phase("repair", "solver", "root", True),
    ),
    "critique": (
        Phase("draft", "solver", "root", False),
        Phase("critic", "critic", "review", False),
        Phase("revision", "solver", "root", True),
    ),
}


class Usage(NamedTuple):
    """What calls of a model took, in the order and under the names of the log (``as_json``)."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    nano_aiu: int = 0

    def plus(self, other: Usage) -> Usage:
        """The sum of both."""
        return Usage._make(map(int.__add__, self, other))

    def as_json(self) -> Json:
        """As the log has it, in legs and roll-ups."""
        names = ("requestCount", "inputTokens", "outputTokens", "cachedTokens", "cacheWriteTokens", "totalNanoAiu")
        return dict(zip(names, self, strict=True))


class _Leg(NamedTuple):
    phase: Phase
    phase_id: str
    model: str


class TurnWriter:
    """Writes one turn and counts what is in it."""

    def __init__(self, log: Log, rng: Random, filler: Filler, truth: Truth) -> None:
        self._log, self._rng, self._filler, self._truth = log, rng, filler, truth
        self._pattern = rng.choices(list(_PLANS), (11, 7, 6))[0]
        self._first, self._second = rng.sample(list(_RATES), 2)
        # four judges in five reject, three critics in ten ask for a revision
        self._verdict = None if self._pattern != "cascade" else "reject" if rng.random() < 0.8 else "accept"
        self._asks_for_more = self._verdict == "reject" or (self._pattern == "critique" and rng.random() < 0.3)
        self._latency_ms = rng.uniform(150, 1_400)
        self._fusion_id = f"fusion-{random_id(rng)}"
        self._turn_id, self._commit_id = f"{self._fusion_id}:turn", f"{self._fusion_id}:commit"
        self._ids = {"interactionId": random_id(rng), "turnId": "0"}
        self._rounds = 0

    def write(self, budget: int, *, ends: bool) -> dict[str, Usage]:
        """Add a turn of about ``budget`` bytes; one that does not end stops after its first leg.

        Returns what each model took.
        """
        truth, log = self._truth, self._log
        truth.resolved += 1
        truth.patterns[self._pattern] += 1
        until = log.size + budget
        began_at = self._question()
        compound_turns = truth.resolved - truth.patterns["single"]
        degraded = ends and self._pattern != "single" and compound_turns % _DEGRADED_EVERY == 0
        legs = self._legs(degraded) if ends else self._legs(degraded)[:1]
        taken: dict[str, Usage] = {}
        for index, leg in enumerate(legs):
            if leg.phase.conditional:
                self._handoff(legs[index - 1], leg)
            left = sum(each.phase.scope == "root" for each in legs[index:])
            usage = self._run(leg, log.size + max(0, until - log.size) // max(1, left), degraded)
            taken[leg.model] = taken.get(leg.model, Usage()).plus(usage)
        if ends:
            self._end(legs, taken, began_at, degraded)
        else:
            truth.open_turns += 1
        return taken

    def _legs(self, degraded: bool) -> list[_Leg]:
        """The legs that run."""
        plan = _PLANS[self._pattern]
        return [
            _Leg(phase, f"{self._fusion_id}:{'phase:0' if phase is plan[0] else phase.kind}",
                 self._first if phase.kind in ("primary", "draft", "revision") else self._second)
            for phase in plan
            if not phase.conditional or (self._asks_for_more and not degraded)
        ]  # fmt: skip

    def _run(self, leg: _Leg, until: int, degraded: bool) -> Usage:
        """Add the events of one leg, until the log has the size ``until``."""
        log, began_at, usage = self._log, self._log.now, Usage()
        if leg.phase.scope == "root":
            while not usage.requests or log.size < until:
                usage = usage.plus(self._round(leg, room=max(1_000, until - log.size)))
        else:
            # a review is isolated: nothing but its end is on disk
            log.wait(self._rng.randint(900, 20_000))
            usage = self._call(leg.model)
        self._leg_end(leg, usage, log.now - began_at, failed=degraded and leg.phase.scope == "review")
        log.wait(self._rng.randint(3, 90))
        return usage

    def _question(self) -> int:
        """Add the person's prompt and the route; returns when the route was asked for, which is when the turn began."""
        data: Json = {
            "content": TEXT, "transformedContent": TEXT, "messageId": random_id(self._rng),
            "supportedNativeDocumentMimeTypes": [], "delivery": "idle", **self._ids,
        }  # fmt: skip
        self._log.put("user.message", data, self._filler.text(log_uniform(self._rng, 60, 1_500)))
        began_at = self._log.now
        self._log.wait(round(self._latency_ms))
        critics = [{"model": self._second, "phaseId": f"{self._fusion_id}:critic"}] if self._pattern == "critique" else []
        judge = self._second if self._pattern == "cascade" else None
        data = {
            "fusionId": self._fusion_id, "turnId": self._turn_id, "syntheticModel": SYNTHETIC_MODEL, "policy": _POLICY,
            "routeSource": "capi_plan", "contractVersion": 1, "planVersion": "1", "policyVersion": None,
            "modelUniverseVersion": None, "ruleId": None, "scores": None, "pattern": self._pattern,
            "phasePlan": [phase._asdict() for phase in _PLANS[self._pattern]],
            "primaryModel": self._first, "secondaryModel": self._second, "judgeModel": judge, "repairModel": judge,
            "critics": critics, "fallbackModel": self._second, "followUpModel": self._first, "followUp": None,
            "routingLatencyMs": self._latency_ms,
        }  # fmt: skip
        self._log.put("session.fusion_resolved", data)
        return began_at

    def _call(self, model: str) -> Usage:
        """What one call of a model takes."""
        fresh, output = self._rng.randint(900, 30_000), self._rng.randint(40, 3_000)
        cached, written = int(fresh * self._rng.uniform(0, 3)), int(fresh * self._rng.uniform(0, 0.8))
        per_input, per_output = _RATES[model]
        cost = fresh * per_input + cached * per_input // 10 + output * per_output
        return Usage(1, fresh + cached, output, cached, written, cost)

    def _round(self, leg: _Leg, room: int) -> Usage:
        """Add one model call with one tool call; every second result is long. No text is longer than ``room`` bytes."""
        log, rng = self._log, self._rng
        tool_call_id, call_id, fusion = f"call_{random_id(rng)[:8]}", f"chatcmpl-{random_id(rng)}", self._attribution(leg)
        usage = self._call(leg.model)
        self._ids["turnId"] = str(self._rounds)
        log.put("assistant.turn_start", dict(self._ids))
        log.wait(rng.randint(400, 9_000))
        log.put("session.usage_record", {"usage": self._usage_record(leg.model, usage, call_id)})
        arguments = {"command": "cat notes", "description": "Read", "mode": "sync"}
        request = {
            "toolCallId": tool_call_id, "name": "bash", "arguments": arguments, "type": "function",
            "intentionSummary": "Read", "toolTitle": "Running command",
        }  # fmt: skip
        data = {
            "messageId": random_id(rng), "model": leg.model, "content": TEXT, "toolRequests": [request], **self._ids,
            "rte": False, "apiCallId": call_id, "fusion": fusion,
        }  # fmt: skip
        log.put("assistant.message", data, self._text(0.15, room))
        data = {
            "toolCallId": tool_call_id, "toolName": "bash", "arguments": arguments, "turnId": self._ids["turnId"],
            "model": leg.model, "toolTitle": "Running command",
            "shellToolInfo": {"possiblePaths": [], "hasWriteFileRedirection": False}, "fusion": fusion,
        }  # fmt: skip
        log.put("tool.execution_start", data)
        log.wait(rng.randint(5, 3_000))
        data = {
            "toolCallId": tool_call_id, "model": leg.model, **self._ids, "rte": False, "shellExecution": {"exitCode": 0},
            "success": True, "result": {"content": TEXT}, "fusion": fusion,
            "toolTelemetry": {"properties": {"executionMode": "sync"}, "metrics": {"commandTimeout": 30_000}},
        }  # fmt: skip
        log.put("tool.execution_complete", data, self._text(0.5, room) + self._decoy())
        log.put("assistant.turn_end", {"turnId": self._ids["turnId"]})
        self._rounds += 1
        return usage

    def _leg_end(self, leg: _Leg, usage: Usage, duration_ms: int, *, failed: bool) -> None:
        """Add the end of a leg; a failed review leaves the turn to its first leg."""
        data: Json = {
            "fusionId": self._fusion_id, "phaseId": leg.phase_id, "phaseKind": leg.phase.kind, "role": leg.phase.role,
            "conversationScope": leg.phase.scope, "model": leg.model, "status": "failed" if failed else "succeeded",
        }  # fmt: skip
        spent: Json = {"durationMs": duration_ms, "usage": usage.as_json()}
        if failed:
            first = f"{self._fusion_id}:phase:0"
            data |= {"reason": f"{leg.phase.kind}_call_failed", "errorMessage": TEXT, "degradedToPhaseId": first}
            self._log.put("assistant.fusion_phase_failed", data | spent, b"The service did not answer")
        else:
            verdict = self._verdict if leg.phase.kind == "judge" else None
            mode = {"projectionMode": "none" if leg.phase.scope == "review" else "staged"}
            data |= {"content": TEXT, "verdict": verdict} | spent | mode
            self._log.put("assistant.fusion_phase_completed", data, self._filler.text(log_uniform(self._rng, 300, 8_000)))
            if verdict:
                self._truth.verdicts[verdict] += 1
        self._count(leg.model, usage, failed)

    def _handoff(self, source: _Leg, target: _Leg) -> None:
        """Add the handing over of work from one leg to another."""
        data = {
            "fusionId": self._fusion_id, "sourcePhaseId": source.phase_id, "targetPhaseId": target.phase_id,
            "targetModel": target.model, "message": {"role": "user", "content": TEXT},
        }  # fmt: skip
        self._log.put("session.fusion_handoff", data, self._filler.text(log_uniform(self._rng, 200, 4_000)))
        self._truth.handoffs += 1

    def _end(self, legs: list[_Leg], taken: dict[str, Usage], began_at: int, degraded: bool) -> None:
        """Add the commit and the roll-up; the last leg in the visible conversation gave the answer."""
        answer = [leg for leg in legs if leg.phase.scope == "root"][-1]
        total = reduce(Usage.plus, taken.values())
        data: Json = {
            "fusionId": self._fusion_id, "commitId": self._commit_id, "sourcePhaseId": answer.phase_id,
            "sourceModel": answer.model, "kind": "text", "toolCallId": None,
        }  # fmt: skip
        self._log.put("session.fusion_commit_started", data)
        self._log.wait(self._rng.randint(20, 90))
        data = {
            "fusionId": self._fusion_id, "commitId": self._commit_id, "turnId": self._turn_id,
            "syntheticModel": SYNTHETIC_MODEL, "pattern": self._pattern, "outcome": "completed",
            "finalSourcePhaseId": answer.phase_id, "finalSourceModel": answer.model, "followUpModel": self._first,
            "degradedReason": "review_unavailable" if degraded else None, "phaseCount": len(legs), **total.as_json(),
            "durationMs": self._log.now - began_at,
        }  # fmt: skip
        self._log.put("session.fusion_completed", data)
        self._truth.commits += 1
        self._truth.completed += 1
        self._truth.degraded += degraded
        self._truth.nano_aiu += total.nano_aiu

    def _count(self, model: str, usage: Usage, failed: bool) -> None:
        truth = self._truth
        truth.legs += 1
        truth.failed_legs += failed
        truth.models[model] += 1
        truth.nano_aiu_legs += usage.nano_aiu
        truth.requests += usage.requests
        truth.tokens["input"] += usage.input_tokens
        truth.tokens["output"] += usage.output_tokens
        truth.tokens["cached"] += usage.cached_tokens
        truth.tokens["cache_write"] += usage.cache_write_tokens

    def _text(self, long: float, room: int) -> bytes:
        """The text of a message or a result, with the probability ``long`` that it is long."""
        size = log_uniform(self._rng, *((5_000, 200_000) if self._rng.random() < long else (50, 3_000)))
        return self._filler.text(min(size, room))

    def _decoy(self) -> bytes:
        """Now and then, the newest Fusion line as text: the agent looked into a session log."""
        if self._truth.lines // _DECOY_EVERY <= self._truth.decoy_lines:
            return b""
        self._truth.decoy_lines += 1
        return json.dumps(self._log.newest_fusion_line.decode())[1:-1].encode()

    def _attribution(self, leg: _Leg) -> Json:
        return {
            "fusionId": self._fusion_id, "syntheticModel": SYNTHETIC_MODEL, "policy": _POLICY, "pattern": self._pattern,
            "phaseId": leg.phase_id, "phaseKind": leg.phase.kind, "role": leg.phase.role, "sourceModel": leg.model,
            "conversationScope": leg.phase.scope,
        }  # fmt: skip

    def _usage_record(self, model: str, usage: Usage, call_id: str) -> Json:
        return {
            "model": model, "modelDisplayName": model, "inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens,
            "cacheReadTokens": usage.cached_tokens, "cacheWriteTokens": usage.cache_write_tokens, "cost": 1,
            "duration": self._rng.randint(90, 9_000), "timeToFirstTokenMs": self._rng.randint(40, 900),
            "initiator": "agent" if self._rounds else "user", "interactionType": "conversation-agent", "isByok": False,
            "modelProvider": "github", "isAuto": False, "maxPromptTokens": 128_000, "transport": "http", "apiCallId": call_id,
            "rte": False, "apiEndpoint": "/chat/completions",
            "accounting": {"sourceSessionId": self._log.session_id, "sequence": self._log.lines, "usageId": call_id},
            "aiCreditsStatus": "complete", "toolCounts": {"bash": 1}, "numToolCalls": 1, "finishReason": "tool_calls",
        }  # fmt: skip
