"""Verdicts on sending: what waits, what is refused, and whether the endpoint is there."""

from __future__ import annotations

from collections.abc import Iterator

from fusionscope.report.doctor_findings import Check, Findings, Verdict
from fusionscope.report.status import delivery_words
from fusionscope.report.text import shown
from fusionscope.store.outbox import Delivery

__all__ = ["checks"]

_LONGEST = 400


def checks(found: Findings) -> Iterator[Check]:
    """Return the verdicts."""
    for delivery in found.deliveries:
        yield Check(f"outbox {delivery.signal}", _verdict(delivery), shown("; ".join(delivery_words(delivery)), _LONGEST))
    if found.endpoint is None:
        yield Check("endpoint", Verdict.OK, "none configured, nothing is sent")
    elif found.endpoint.trouble:
        yield Check("endpoint", Verdict.BROKEN, shown(found.endpoint.trouble, _LONGEST))
    else:
        yield Check("endpoint", Verdict.OK, f"{shown(found.endpoint.shown, _LONGEST)} takes OTLP")


def _verdict(delivery: Delivery) -> Verdict:
    if delivery.stopped:
        return Verdict.BROKEN
    if delivery.failures or delivery.parked or delivery.dropped or delivery.lost:
        return Verdict.LOOK
    return Verdict.OK
