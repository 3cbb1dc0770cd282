"""What ``fusionscope doctor`` finds, and what a verdict is."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from fusionscope.report.empty import LookedIn
from fusionscope.store.examine import Examined
from fusionscope.store.outbox import Delivery
from fusionscope.store.seen import Seen

__all__ = ["Check", "EndpointFound", "Findings", "Verdict"]


class Verdict(Enum):
    """Of one part, from good to bad: in order, worth a look, or so that something will not work or not be seen."""

    OK = "ok"
    LOOK = "look"
    BROKEN = "broken"


class Check(NamedTuple):
    """A verdict on one part; ``sentence`` says what was found and what to do."""

    name: str
    verdict: Verdict
    sentence: str


class EndpointFound(NamedTuple):
    """The endpoint that is configured: ``shown`` is its address without passwords, ``trouble`` why it takes nothing."""

    shown: str
    trouble: str | None


class Findings(NamedTuple):
    """Everything that was looked at.

    ``cli_root`` is what a CLI would use that is started here, ``roots`` what is read; they differ where ``named`` (``--root``).
    ``copilot_home`` and ``ignored_variables`` are of the environment. ``database_named``: the person said where it is.
    ``seen`` is what the logs say by now, also where the database does not know it yet. ``unreadable_logs`` are paths with
    reasons. ``process`` follows the logs (0: it cannot be told which), or ``None`` does. ``watch_limit`` is ``None`` where
    the system has none; ``deliveries`` are empty where the database cannot be read.
    """

    program: str
    cli_root: LookedIn
    roots: Sequence[LookedIn]
    named: bool
    copilot_home: str | None
    ignored_variables: Sequence[str]
    other_roots: Sequence[str]
    old_sessions: Sequence[str]
    unnoticed_roots: Sequence[tuple[str, str]]
    seen: Seen
    unreadable_logs: Sequence[tuple[str, str]]
    database: Examined
    database_named: bool
    database_trouble: str | None
    database_file_system: str | None
    database_on_network: bool
    process: int | None
    directories: int
    watch_limit: int | None
    deliveries: Sequence[Delivery]
    endpoint: EndpointFound | None
