"""What the page is told when it starts."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from fusionscope.page.address import DEFAULT, Address
from fusionscope.report.doctor_findings import Check
from fusionscope.store.outbox import Delivery
from fusionscope.store.seen import Seen

__all__ = ["Checks", "PageSettings"]

#: what `doctor` says, from a connection that only reads, what was seen in the logs, and how sending goes
Checks = Callable[[sqlite3.Connection, Seen, Sequence[Delivery]], Sequence[Check]]


class PageSettings(NamedTuple):
    """What the page shows and to whom.

    ``roots``: the session roots, each with the reason why it is looked at. ``grafana_url``: where a Grafana with the traces
    stands. ``follower``: this process also follows the logs, so that what the page shows is up to date. ``token``: what a
    visitor must know, or ``None`` where only this machine can come. ``checks``: whoever starts the page looks around, which the
    page itself has no leave to.
    """

    database: Path
    address: Address = DEFAULT
    roots: Sequence[tuple[str, str]] = ()
    grafana_url: str | None = None
    follower: bool = False
    token: str | None = None
    checks: Checks | None = None
