"""The shape of the demo's table: what a turn, a leg and a session are made of before they become log lines.

Units: ``*_ms`` is a span of time in milliseconds, ``*_at`` a moment (milliseconds since 1970-01-01T00:00:00Z), money is
integer nano-AIU, tokens are counts. Input tokens contain the cached and the cache-written ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["DAY_MS", "Leg", "Part", "Session", "Turn"]

DAY_MS = 86_400_000

#: kind -> role; every other kind is run by the solver
_REVIEW_ROLES = {"judge": "judge", "critic": "critic"}


class Leg(NamedTuple):
    """One leg. ``gap_ms`` is the wait since the leg before ended (for the first leg: since the route was known)."""

    kind: str
    model: str
    gap_ms: int
    duration_ms: int
    requests: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cache_write_tokens: int
    nano_aiu: int
    verdict: str | None = None

    @property
    def role(self) -> str:
        """``judge``, ``critic`` or ``solver``."""
        return _REVIEW_ROLES.get(self.kind, "solver")

    @property
    def scope(self) -> str:
        """``review`` for the isolated, read-only legs, ``root`` for those in the visible conversation."""
        return "review" if self.kind in _REVIEW_ROLES else "root"


class Turn(NamedTuple):
    """One turn. ``closing_ms`` is the time from the end of its last leg to its own end.

    ``event_ids`` gives the event ids of named places in the turn (see ``turn_lines``) where they must not be derived.
    """

    fusion_id: str
    pattern: str
    resolved_at: int
    routing_latency_ms: float
    closing_ms: int
    prompt: str
    legs: tuple[Leg, ...]
    event_ids: Mapping[str, str]

    @property
    def answer(self) -> Leg:
        """The answer leg: nothing after it wrote to the visible conversation."""
        return next(leg for leg in reversed(self.legs) if leg.scope == "root")

    @property
    def reviewer(self) -> Leg | None:
        """The first leg in the review scope, if any."""
        return next((leg for leg in self.legs if leg.scope == "review"), None)

    def phase_id(self, leg: Leg) -> str:
        """The first leg of a turn is called ``phase:0``, every other one by its kind, as CLI 1.0.84-2 does."""
        return f"{self.fusion_id}:{'phase:0' if leg is self.legs[0] else leg.kind}"

    @property
    def commit_id(self) -> str:
        """Identity of the commit that made the answer visible."""
        return f"{self.fusion_id}:commit"


class Part(NamedTuple):
    """A stretch of a session between opening the CLI and leaving it."""

    opened_at: int
    closed_at: int
    turns: tuple[Turn, ...]


class Session(NamedTuple):
    """One session: the first part starts it, every further part resumes it."""

    session_id: str
    parts: tuple[Part, ...]

    def later(self, days: int) -> Session:
        """The same session, whole days later."""
        by = days * DAY_MS
        return self._replace(
            parts=tuple(
                Part(
                    part.opened_at + by,
                    part.closed_at + by,
                    tuple(turn._replace(resolved_at=turn.resolved_at + by) for turn in part.turns),
                )
                for part in self.parts
            )
        )
