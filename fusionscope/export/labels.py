"""Metric labels: a bounded set of values, whatever a log says.

Free text of the log becomes a label only through an allow-list; everything else is ``_other``, what is missing is
``none``. No label ever holds a session, a turn, a leg, a path or a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fusionscope.export import names
from fusionscope.export.names import Metric
from fusionscope.export.values import clean
from fusionscope.model import Leg, ToolCall, Turn

__all__ = ["LabelValues", "Labels", "first_seen", "pick"]

LabelValues = dict[str, str | bool]


class Labels:
    """The label values of legs, turns, routing attempts and tool calls.

    ``models`` and ``tools`` are names in the order they were first seen: the first 20 models and 50 tools keep theirs. The
    order must be that of the log and not that of reading (``first_seen`` gives it), or the same leg could have another label
    on another run.
    """

    def __init__(self, models: Iterable[str], tools: Iterable[str] = ()) -> None:
        self._models = _first(models, names.MODEL_LABELS)
        self._tools = _first(tools, names.TOOL_LABELS)

    def model(self, model: str | None) -> str:
        """Return the label of a model id."""
        return _allowed(clean(model) if model else None, self._models, missing=names.NONE)

    def of_leg(self, turn: Turn, leg: Leg) -> LabelValues:
        """Return every label that a metric of this leg may have."""
        return {
            names.PATTERN: _pattern(turn),
            names.PHASE_KIND: _allowed(leg.kind, names.KINDS),
            names.PHASE_STATUS: _allowed(leg.status, names.STATUSES),
            names.PHASE_VERDICT: _allowed(leg.verdict, names.VERDICTS, missing=names.NONE),
            names.PHASE_COMMITTED: leg.is_answer,
            names.RESPONSE_MODEL: self.model(leg.model),
        }

    def of_turn(self, turn: Turn) -> LabelValues:
        """Return every label that a metric of this turn may have. A turn without an outcome has its state for it."""
        return {
            names.PATTERN: _pattern(turn),
            names.COMPOUND: turn.compound,
            names.OUTCOME: _allowed(turn.outcome or turn.state, names.OUTCOMES),
            names.POLICY: _allowed(turn.policy, names.POLICIES, missing=names.NONE),
            names.RESPONSE_MODEL: self.model(turn.answer_model),
        }

    def of_route(self, turn: Turn) -> LabelValues:
        """Return the labels of the turn's routing attempt: no ``error.type`` where it succeeded, as the conventions have it."""
        found: LabelValues = {
            names.ROUTE_SOURCE: _allowed(turn.route_source, names.ROUTE_SOURCES, missing=names.NONE),
            names.POLICY: _allowed(turn.policy, names.POLICIES, missing=names.NONE),
        }
        if turn.route_failure is not None:
            found[names.ERROR_TYPE] = _allowed(turn.route_failure, names.REASONS)
        return found

    def of_tool(self, leg: Leg | None, call: ToolCall) -> LabelValues:
        """Return the labels of an ended tool call of ``leg``: no ``success`` where the log does not say."""
        name = clean(call.name)
        found: LabelValues = {
            names.TOOL_NAME: names.UNKNOWN if name in ("", names.UNKNOWN) else _allowed(name, self._tools),
            names.PHASE_KIND: names.NONE if leg is None else _allowed(leg.kind, names.KINDS),
        }
        if call.success is not None:
            found[names.SUCCESS] = call.success
        return found


def first_seen(born: Mapping[str, int]) -> list[str]:
    """Return names by the moment each of them was first seen (``born``), then by name."""
    return sorted(born, key=lambda name: (born[name], name))


def _first(seen: Iterable[str], most: int) -> frozenset[str]:
    named = dict.fromkeys(name for text in seen if (name := clean(text)))
    return frozenset(list(named)[:most])


def pick(metric: Metric, values: LabelValues) -> LabelValues:
    """Return the labels of ``metric`` out of ``values``, in the order of the table."""
    return {key: values[key] for key in metric.labels if key in values}


def _pattern(turn: Turn) -> str:
    return _allowed(turn.pattern, names.PATTERNS, missing=names.UNKNOWN)


def _allowed(value: str | None, allowed: frozenset[str], *, missing: str = names.OTHER) -> str:
    if not value:
        return missing
    return value if value in allowed else names.OTHER
