"""The figures that stand first."""

from __future__ import annotations

from fusionscope.export import names
from stack.dashboard.layout import RowOf
from stack.dashboard.panels import figures
from stack.dashboard.promql import RANGE, count, credits_a_turn, label, mean, share, total, usd
from stack.dashboard.queries import instant
from stack.dashboard.units import CREDITS, INTEGER, USD

__all__ = ["headline"]

_FUSED = count(names.TURN_SECONDS, RANGE)
_COMPOUND = total(names.TURN, RANGE, f'{label(names.COMPOUND)}="true"')
_JUDGE = f'{label(names.PHASE_KIND)}="judge"'
_JUDGED = total(names.LEG, RANGE, _JUDGE, f'{label(names.PHASE_VERDICT)}!="{names.NONE}"')
_REJECTED = total(names.LEG, RANGE, _JUDGE, f'{label(names.PHASE_VERDICT)}="reject"')
_CREDITS = total(names.LEG_CREDITS, RANGE)
_REVIEW = total(names.LEG_CREDITS, RANGE, f'{label(names.PHASE_COMMITTED)}="false"')


def headline() -> RowOf:
    """Return the row of the headline figures."""
    return RowOf(
        "Fusion",
        [
            figures(
                "Compound rate",
                "Turns that more than one distinct model ran, of the turns that were routed. Failed routes are in neither. "
                "It says how often several models were used, not that the answer was better for it.",
                instant(share(_COMPOUND, _FUSED), "rate"),
                instant(_FUSED, "turns"),
                unit="percentunit",
            )
            .override_by_name("turns", INTEGER)
            .span(4)
            .height(5),
            figures(
                "Judge rejection rate",
                "Judge legs that said reject, of the judge legs that gave a verdict; their number stands beside it. 2 of 3 "
                "is not a rate to defend: look at the number before the rate. A rejection says what one model thought of "
                "another's draft.",
                instant(share(_REJECTED, _JUDGED), "rate"),
                instant(_JUDGED, "verdicts"),
                unit="percentunit",
            )
            .override_by_name("verdicts", INTEGER)
            .span(4)
            .height(5),
            figures(
                "Review share",
                "Credits of legs that are not the answer leg, of the credits of all legs. A rejected draft is in it as "
                "well as the judge. It is the price of checking, not waste: what a check prevented is not measured.",
                instant(share(_REVIEW, _CREDITS), "review share"),
                unit="percentunit",
                decimals=1,
            )
            .span(4)
            .height(5),
            figures(
                "Credits",
                "AI credits of all legs, failed ones too, as the CLI wrote them into its session log, and US dollars at "
                "list price (1 credit = US$0.01). It is not your bill. Legs whose cost the log does not say add nothing.",
                instant(_CREDITS, "credits"),
                instant(usd(_CREDITS), "at list price"),
                unit="none",
                decimals=2,
            )
            .override_by_name("at list price", USD)
            .span(4)
            .height(5),
            figures(
                "Turns",
                "Routed requests that ended in this range, failed routes included. An open turn counts when it ends. Not "
                "filtered by model: a turn has no single one.",
                instant(total(names.TURN, RANGE), "turns"),
                unit="none",
            )
            .span(4)
            .height(5),
            figures(
                "Mean turn",
                "Mean wall time of a turn, routing included, and its mean credits, whatever models ran in it. A few long "
                "turns move both; the table of turns shows which.",
                instant(mean(names.TURN_SECONDS, RANGE), "time"),
                instant(credits_a_turn(RANGE), "credits"),
                unit="s",
                decimals=1,
            )
            .override_by_name("credits", CREDITS)
            .span(4)
            .height(5),
        ],
    )
