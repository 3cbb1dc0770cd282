"""One turn: the table of turns, the waterfall of the one that was clicked, and the CLI's own spans of its session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grafana_foundation_sdk.builders.dashboard import Panel

from fusionscope.export import names
from stack.dashboard import palette, traceql
from stack.dashboard.layout import RowOf
from stack.dashboard.queries import TempoQuery, search
from stack.dashboard.sources import TEMPO
from stack.dashboard.tables import DURATION, START, columns, ledger, link
from stack.dashboard.units import CREDITS, INTEGER
from stack.dashboard.variables import TRACE_ID

if TYPE_CHECKING:
    from grafana_foundation_sdk.builders import table
    from grafana_foundation_sdk.models.dashboard import DynamicConfigValue

__all__ = ["UID", "one_turn", "to_turn"]

UID = "fusionscope"

#: a path below the root of Grafana, which it prefixes with its own sub-path
_HERE = f"/d/{UID}?${{__url_time_range}}&${{pattern:queryparam}}&${{model:queryparam}}"
#: a hidden column of every search
_THIS_TRACE = f"var-{TRACE_ID}=${{__data.fields.traceIdHidden}}"


def to_turn() -> DynamicConfigValue:
    """Return the link that shows the waterfall of a row's trace."""
    return link("Show the waterfall below", f"{_HERE}&${{session:queryparam}}&{_THIS_TRACE}")


def _to_session() -> DynamicConfigValue:
    return link(
        "Only this session, with the CLI's own spans",
        f'{_HERE}&var-session=${{__data.fields["{names.CONVERSATION_ID}"]}}&{_THIS_TRACE}',
    )


def one_turn() -> RowOf:
    """Return the row about single turns."""
    return RowOf(
        "One turn",
        [_turns().span(24).height(10), _waterfall().span(24).height(14), _cli_turns().span(24).height(8)],
    )


def _turns() -> table.Panel:
    panel = ledger(
        "Every turn",
        "One row a turn, newest first, at most 500. A click on the turn shows its legs below; a click on the session "
        "leaves only that session, with what the CLI itself sent of it. Credits are the turn's own total; review are those "
        "of legs that are not the answer. Failed routes show when all patterns are chosen.",
        search(
            traceql.select(
                traceql.TURNS,
                names.OUTCOME,
                names.COMPOUND,
                names.RESPONSE_MODEL,
                names.CREDITS,
                names.UNCOMMITTED_CREDITS,
                names.REQUEST_COUNT,
                names.INPUT_TOKENS,
                names.OUTPUT_TOKENS,
                names.POLICY,
                names.CLI_VERSION,
            )
        ),
        shown={
            START: "start",
            "Name": "turn",
            names.OUTCOME: "outcome",
            names.COMPOUND: "compound",
            names.RESPONSE_MODEL: "answered by",
            DURATION: "time",
            names.CREDITS: "credits",
            names.UNCOMMITTED_CREDITS: "review",
            names.REQUEST_COUNT: "calls",
            names.INPUT_TOKENS: "input tokens",
            names.OUTPUT_TOKENS: "output tokens",
            names.POLICY: "policy",
            names.CLI_VERSION: "CLI",
            names.CONVERSATION_ID: "session",
        },
        texts=(names.CREDITS, names.UNCOMMITTED_CREDITS, names.REQUEST_COUNT, names.INPUT_TOKENS, names.OUTPUT_TOKENS),
    )
    return columns(
        panel,
        turn=[to_turn()],
        outcome=palette.pills(palette.OUTCOMES),
        answered_by=palette.pills(),
        session=[_to_session()],
        credits=CREDITS,
        review=CREDITS,
        calls=INTEGER,
        input_tokens=INTEGER,
        output_tokens=INTEGER,
    )


def _waterfall() -> Panel:
    return (
        Panel()
        .type("traces")
        .title("Waterfall")
        .description(
            "The legs of the turn that was clicked above, at their true times. Until a turn is clicked, Grafana says that "
            "a trace id is required. Whatever the time range, a trace is found by its id."
        )
        .datasource(TEMPO)
        .targets([TempoQuery().datasource(TEMPO).query_type("traceql").query(traceql.WATERFALL).ref_id("A")])
    )


def _cli_turns() -> table.Panel:
    panel = ledger(
        "What the CLI sent of the session",
        "The CLI's own spans of the sessions chosen above, one row a message, if its telemetry goes into this stack. They "
        "show tool calls and hooks; of the legs of a Fusion turn they know neither model nor credits. A click shows one in "
        "place of the waterfall; a click on the session leads back to its Fusion turns.",
        search(traceql.select(traceql.CLI_TURNS, names.INPUT_TOKENS, names.OUTPUT_TOKENS)),
        shown={
            START: "start",
            "Name": "span",
            DURATION: "time",
            names.INPUT_TOKENS: "input tokens",
            names.OUTPUT_TOKENS: "output tokens",
            names.CONVERSATION_ID: "session",
        },
        texts=(names.INPUT_TOKENS, names.OUTPUT_TOKENS),
    )
    return columns(panel, span=[to_turn()], session=[_to_session()], input_tokens=INTEGER, output_tokens=INTEGER)
