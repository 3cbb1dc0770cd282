"""TraceQL: turns and legs as spans, and the CLI's own spans.

A turn is a root span (``gen_ai.operation.name`` is ``invoke_agent``), a leg a child of it (``chat``). The name of a turn's
span is ``fusion <pattern>``, so ``$pattern`` filters by the name: unlike the attribute, every turn has one.

What Grafana makes of a search (grafana-tempo-datasource, ``search.go`` and ``resultTransformer.ts``):

* Only the first query of a panel counts.
* A column for each attribute that the query names. An attribute that is a list breaks the plugin of Grafana 13, so none is
  named here.
* Grafana before 13 shows numbers as text and leaves out 0 and false.
* A variable with several values is joined with ``|``.
"""

from __future__ import annotations

from fusionscope.export import names

__all__ = ["CLI_TURNS", "LEGS", "TROUBLE", "TURNS", "WATERFALL", "count_by", "select", "span"]

#: `service.name` of the CLI's own telemetry
_CLI_SERVICE = "github-copilot"


def span(attribute: str) -> str:
    """Return an attribute as TraceQL names it."""
    return f"span.{attribute}"


def _of(service: str, *conditions: str) -> str:
    return "{ " + " && ".join([f'resource.{names.SERVICE_NAME} = "{service}"', *conditions]) + " }"


_SESSION = f'{span(names.CONVERSATION_ID)} =~ "$session"'
_IS_TURN = f'{span(names.OPERATION)} = "{names.INVOKE_AGENT}"'
#: matches all: Grafana has a column for a name only where the query asks for it
_NAMED = 'name =~ ".+"'

TURNS = _of(names.SERVICE, _IS_TURN, _SESSION, f'name =~ "{names.ROOT} ($pattern)"')
LEGS = f"{TURNS} > " + _of(
    names.SERVICE, f'{span(names.OPERATION)} = "{names.CHAT}"', f'{span(names.RESPONSE_MODEL)} =~ "$model"'
)
#: no filter by pattern: a failed route has none
TROUBLE = _of(
    names.SERVICE,
    _IS_TURN,
    _SESSION,
    _NAMED,
    f"(status = error || {span(names.DEGRADED_REASON)} != nil || {span(names.INCOMPLETE)} = true)",
)
CLI_TURNS = _of(_CLI_SERVICE, _IS_TURN, _SESSION, _NAMED)
WATERFALL = "${traceId}"


def select(spans: str, *attributes: str) -> str:
    """Return spans with more attributes as columns."""
    return f"{spans} | select({', '.join(map(span, attributes))})"


def count_by(spans: str, attribute: str) -> str:
    """Return the number of spans by an attribute."""
    return f"{spans} | count_over_time() by ({span(attribute)})"
