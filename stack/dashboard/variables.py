"""The variables: session, pattern, model, and the turn whose waterfall is shown.

"All" is ``.+``, which on labels that are never empty is the sum of the parts, also of those that come while the page is
open. A variable that is emptied matches nothing. ``.*`` or an empty "All" would match everything, also then.
"""

from __future__ import annotations

from grafana_foundation_sdk.builders.dashboard import QueryVariable, TextBoxVariable
from grafana_foundation_sdk.models.dashboard import VariableHide, VariableOption, VariableRefresh, VariableSort

from fusionscope.export import names
from stack.dashboard.promql import label, metric_name
from stack.dashboard.sources import PROMETHEUS, TEMPO

__all__ = ["TRACE_ID", "model", "pattern", "session", "trace_id"]

TRACE_ID = "traceId"
#: Tempo's variable query for the values of an attribute
_LABEL_VALUES = 1


def pattern() -> QueryVariable:
    """Return the patterns that turns and legs have in the time range."""
    either = f'{{__name__=~"{metric_name(names.TURN)}|{metric_name(names.LEG)}"}}'
    return _from_prometheus("pattern", f"label_values({either}, {label(names.PATTERN)})").description(
        "Filters everything but routing and the table of degraded and failed turns."
    )


def model() -> QueryVariable:
    """Return the models that ran legs in the time range."""
    return _from_prometheus("model", f"label_values({metric_name(names.LEG)}, {label(names.RESPONSE_MODEL)})").description(
        "Filters the figures of legs (credits, tokens, verdicts). Figures of whole turns have no single model."
    )


def session() -> QueryVariable:
    """Return the sessions that traces name: never a metric label, there would be no end of series."""
    query: dict[str, object] = {"type": _LABEL_VALUES, "label": names.CONVERSATION_ID, "refId": "sessions"}
    return (
        _all(QueryVariable("session"))
        .datasource(TEMPO)
        .query(query)
        .description("Filters the panels that are made of traces. Metrics do not know sessions.")
    )


def trace_id() -> TextBoxVariable:
    """Return the trace that the waterfall shows; a click in the table of turns sets it."""
    return TextBoxVariable(TRACE_ID).label("trace").hide(VariableHide.HIDE_VARIABLE).default_value("")


def _from_prometheus(name: str, query: str) -> QueryVariable:
    return _all(QueryVariable(name)).datasource(PROMETHEUS).query({"query": query, "refId": name}).definition(query)


def _all(variable: QueryVariable) -> QueryVariable:
    return (
        variable.multi(True)
        .include_all(True)
        .all_value(".+")
        .current(VariableOption(selected=True, text=["All"], value=["$__all"]))
        .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(VariableSort.ALPHABETICAL_ASC)
    )
