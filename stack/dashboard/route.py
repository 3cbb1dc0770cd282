"""Is the route moving? The policy is served remotely, so it can change without a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fusionscope.export import names
from fusionscope.export.names import Metric
from stack.dashboard import palette, traceql
from stack.dashboard.layout import RowOf
from stack.dashboard.panels import figures, mix, over_time, ranking
from stack.dashboard.promql import RANGE, STEP, UNKNOWN_WORDS, count, credits_a_turn, label, legend, mean, quantile, total
from stack.dashboard.queries import counted, instant, search, step
from stack.dashboard.tables import DURATION, START, columns, ledger
from stack.dashboard.turn import to_turn

if TYPE_CHECKING:
    from grafana_foundation_sdk.builders import stat, table

__all__ = ["route"]

_DAY = "1d"
_NOTE = "A day begins at midnight in the time zone of the dashboard. "

#: what may be `_other`: title -> the metric and the label that says it
_DRIFT: dict[str, tuple[Metric, str]] = {
    "pattern": (names.TURN, names.PATTERN),
    "outcome": (names.TURN, names.OUTCOME),
    "policy": (names.TURN, names.POLICY),
    "route source": (names.ROUTE_SECONDS, names.ROUTE_SOURCE),
    "route failure": (names.ROUTE_SECONDS, names.ERROR_TYPE),
    "leg kind": (names.LEG, names.PHASE_KIND),
    "leg status": (names.LEG, names.PHASE_STATUS),
    "verdict": (names.LEG, names.PHASE_VERDICT),
}


def route() -> RowOf:
    """Return the row about what the router does over time."""
    return RowOf(
        "Is the route moving?",
        [
            mix(
                "Pattern mix by day",
                f"Share of each pattern in the turns of a day. {_NOTE}On a day of few turns one turn moves it far. Unknown "
                "is a failed route, or a turn whose start is not in the log.",
                step(total(names.TURN, STEP, by=(names.PATTERN,)), legend(names.PATTERN)),
                every=_DAY,
                colours=palette.PATTERNS,
            )
            .span(8)
            .height(8),
            over_time(
                "Credits per turn by day",
                f"Credits of all legs of a day over its turns. {_NOTE}It moves with the prompts as well as with the route.",
                step(credits_a_turn(STEP), "credits per turn"),
                every=_DAY,
                unit="none",
                decimals=2,
            )
            .span(8)
            .height(8),
            over_time(
                "Routing latency by day",
                f"How long the router took, failed attempts too: mean, and nine of ten were faster than p90. {_NOTE}Where "
                "there are several sources, policies or machines, p90 is the greatest of theirs. Not filtered: routing has "
                "no pattern.",
                step(mean(names.ROUTE_SECONDS, STEP), "mean"),
                step(quantile(0.9, names.ROUTE_SECONDS, STEP), "p90"),
                every=_DAY,
                unit="s",
                decimals=0,
            )
            .span(8)
            .height(8),
            ranking(
                "Route source and policy",
                "Routing attempts by where the plan came from and by its policy, of those whose latency the log says. A "
                "source other than the usual one means that the service gave no plan.",
                instant(
                    f"sort_desc({count(names.ROUTE_SECONDS, RANGE, by=(names.ROUTE_SOURCE, names.POLICY))})",
                    legend(names.ROUTE_SOURCE, names.POLICY),
                ),
                decimals=0,
            )
            .span(6)
            .height(7),
            ranking(
                "Turns by outcome",
                "How turns ended. A failed route counts as failed. Abandoned is our word for a turn that its session went "
                "on without. A degraded turn is completed and stands in the table beside.",
                instant(f"sort_desc({total(names.TURN, RANGE, by=(names.OUTCOME,))})", legend(names.OUTCOME)),
                decimals=0,
                colours=palette.OUTCOMES,
            )
            .span(6)
            .height(7),
            _trouble().span(12).height(7),
            ranking(
                "CLI version",
                "Turns by the version of Copilot CLI that ran them, from the traces. A figure that moved when the version "
                "did may be the update's: choose two ranges and compare.",
                counted(traceql.count_by(traceql.TURNS, names.CLI_VERSION)),
                decimals=0,
            )
            .span(12)
            .height(7),
            _drift().span(12).height(7),
        ],
    )


def _trouble() -> table.Panel:
    panel = ledger(
        "Degraded and failed turns",
        "Turns that went on without a leg that was planned, failed, or were given up, and routes that failed. None is good "
        "news, and an empty table can also mean that no traces arrive. A click shows the turn below. Not filtered by "
        "pattern.",
        search(traceql.select(traceql.TROUBLE, names.OUTCOME, names.DEGRADED_REASON, names.ERROR_TYPE, names.FALLBACK_MODEL)),
        shown={
            START: "start",
            "Name": "turn",
            names.OUTCOME: "outcome",
            names.DEGRADED_REASON: "degraded",
            names.ERROR_TYPE: "error",
            names.FALLBACK_MODEL: "fallback model",
            names.INCOMPLETE: "given up",
            DURATION: "time",
        },
    )
    return columns(panel, turn=[to_turn()], outcome=palette.pills(palette.OUTCOMES), fallback_model=palette.pills())


def _drift() -> stat.Panel:
    others = []
    for title, (metric, attribute) in _DRIFT.items():
        # a route's value is its time, that of a leg or turn is 1
        number = count if metric is names.ROUTE_SECONDS else total
        others.append(instant(number(metric, RANGE, f'{label(attribute)}="{names.OTHER}"'), title))
    return figures(
        "Words this release does not know",
        "The log's format is the CLI's own and moves. Here stands how often a turn, leg or route had a value that this "
        "release of Fusionscope counts as _other, and how many unknown words turns held at all. Nothing is lost: traces "
        "have the words as they were. Empty is the usual state.",
        instant(total(UNKNOWN_WORDS, RANGE), "words"),
        *others,
        unit="none",
    ).no_value("none")
