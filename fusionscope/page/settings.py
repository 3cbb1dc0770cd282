"""What the page is told when it starts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from fusionscope.page.address import DEFAULT, Address

__all__ = ["PageSettings"]


class PageSettings(NamedTuple):
    """What the page shows and to whom.

    ``roots``: the session roots, each with the reason why it is looked at. ``grafana_url``: where a Grafana with the traces
    stands. ``follower``: this process also follows the logs, so that what the page shows is up to date. ``token``: what a
    visitor must know, or ``None`` where only this machine can come.
    """

    database: Path
    address: Address = DEFAULT
    roots: Sequence[tuple[str, str]] = ()
    grafana_url: str | None = None
    follower: bool = False
    token: str | None = None
