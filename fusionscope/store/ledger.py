"""What each session says about money, on every level the log has; each event once, with the session that owns it.

Legs, roll-ups, usage records and shutdown totals are views of the same money and are never added to each other
(``report/reconcile.py`` compares them). All amounts are nano-AIU; ``None`` is unknown or not metered, which is not 0.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from fusionscope.model import UNKNOWN, OrdinaryTurn, Turn
from fusionscope.store import read
from fusionscope.store.activity import Activity, Call, Compacted, activities
from fusionscope.store.ordinary import of_activity
from fusionscope.store.origins import Origin, among_sessions, relatives
from fusionscope.store.read import Selection
from fusionscope.store.shutdowns import Mark, Totals, totals

__all__ = ["Ledger", "fused_sessions", "ledger", "ledgers", "ledgers_beside_fusion", "select"]


class Ledger(NamedTuple):
    """The money of one session.

    ``turns`` are the Fusion turns that it owns, rewound ones too (``rewound`` is here: by this session, even where a fork still
    has the turn), ``ordinary`` those without Fusion, ``calls`` its usage records, ``compactions`` what lies outside every turn.
    ``inherited_*`` is what its log holds of a parent's: the parent owns it, but the totals of a fork may count it.
    ``opened_at`` are its start and its resumes (ms), ``rewound_at`` its rewinds.
    """

    origin: Origin
    turns: tuple[Turn, ...]
    ordinary: tuple[OrdinaryTurn, ...]
    calls: tuple[Call, ...]
    compactions: tuple[Compacted, ...]
    inherited_turns: tuple[Turn, ...]
    inherited_calls: tuple[Call, ...]
    inherited_compactions: tuple[Compacted, ...]
    opened_at: tuple[int, ...]
    rewound_at: tuple[int, ...]
    shutdowns_at: tuple[int, ...]
    totals: Totals | None

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self.origin.session_id

    @property
    def started_at(self) -> int | None:
        """When it started, else the first moment that it says anything of money (ms)."""
        if self.origin.started_at is not None:
            return self.origin.started_at
        times = [turn.started_at for turn in self.turns] + [turn.started_at for turn in self.ordinary]
        times += [call.at for call in self.calls] + [compaction.at for compaction in self.compactions]
        return min([*times, *self.opened_at, *self.shutdowns_at], default=None)


def ledgers(connection: sqlite3.Connection, turns: list[Turn] | None = None) -> list[Ledger]:
    """The ledger of every session, oldest first. ``turns`` are all that there are, where the caller has them already."""
    found = _ledgers(connection, read.turns(connection) if turns is None else turns)
    return sorted(found, key=lambda each: (each.started_at is None, each.started_at, each.session_id))


def ledgers_beside_fusion(connection: sqlite3.Connection) -> list[Ledger]:
    """The ledger of every session without its Fusion turns, oldest first: of turns, only those whose route failed."""
    failed = connection.execute("SELECT fusion_id FROM turn WHERE route_failure IS NOT NULL")
    return ledgers(connection, read.turns_by_id(connection, (row[0] for row in failed)))


def fused_sessions(connection: sqlite3.Connection) -> set[str]:
    """The sessions that own a Fusion turn, or whose log has one of another's; a failed route without a leg is none."""
    fused = "route_failure IS NULL OR EXISTS (SELECT 1 FROM leg WHERE leg.fusion_id = turn.fusion_id)"
    query = f"""
        SELECT session_id FROM turn WHERE {fused}
        UNION
        SELECT log.session_id FROM log JOIN sighting ON sighting.log_id = log.id JOIN turn USING (fusion_id) WHERE {fused}"""
    return {row[0] for row in connection.execute(query)}


def select(ledgers: Iterable[Ledger], selection: Selection) -> list[Ledger]:
    """Of these ledgers those of the sessions that a selection fits.

    ``session`` and ``client`` count, ``since`` and ``until`` for the start of the session; what selects turns does not.
    """
    return [each for each in ledgers if _fits(each, selection)]


def ledger(connection: sqlite3.Connection, session_id: str) -> Ledger | None:
    """The ledger of one session, or ``None`` where nobody knows it."""
    among = relatives(connection, session_id)
    holds = """
        SELECT fusion_id FROM sighting JOIN log ON log.id = log_id WHERE session_id = :id
        UNION SELECT fusion_id FROM turn WHERE session_id = :id"""
    turns = read.turns_by_id(connection, (row[0] for row in connection.execute(holds, {"id": session_id})))
    found = (each for each in _ledgers(connection, turns, among) if each.session_id == session_id)
    return next(found, None)


def _fits(ledger: Ledger, selection: Selection) -> bool:
    started_at = ledger.started_at
    return (
        (selection.session is None or ledger.session_id.startswith(selection.session))
        and (selection.client is None or (ledger.origin.client or UNKNOWN) == selection.client)
        and (selection.since is None or (started_at is not None and started_at >= selection.since))
        and (selection.until is None or (started_at is not None and started_at < selection.until))
    )


def _ledgers(connection: sqlite3.Connection, turns: list[Turn], among: Collection[str] | None = None) -> Iterator[Ledger]:
    owned: dict[str, list[Turn]] = defaultdict(list)
    gone = _rewound_here(connection)
    for turn in turns:
        owned[turn.session_id].append(turn._replace(rewound=True) if turn.fusion_id in gone else turn)
    inherited = _inherited(connection, {turn.fusion_id: turn for turn in turns}, among)
    marks = _marks(connection, among)
    seen: set[str] = set()
    for activity in activities(connection, among):
        session_id = activity.origin.session_id
        # a fork has its parent's start under the same id, but with a body of its own
        own = [mark for event_id, mark in marks[session_id] if mark.mark == "start" or event_id not in seen]
        seen.update(event_id for event_id, _ in marks[session_id])
        yield _ledger(activity, owned[session_id], inherited[session_id], own)


def _ledger(activity: Activity, turns: list[Turn], inherited: list[Turn], marks: list[Mark]) -> Ledger:
    return Ledger(
        origin=activity.origin,
        turns=tuple(turns),
        ordinary=tuple(of_activity(activity)),
        calls=tuple(activity.calls),
        compactions=tuple(activity.compactions),
        inherited_turns=tuple(inherited),
        inherited_calls=tuple(activity.copied_calls),
        inherited_compactions=tuple(activity.copied_compactions),
        opened_at=tuple(mark.at for mark in marks if mark.mark in ("start", "resume")),
        rewound_at=tuple(mark.at for mark in marks if mark.mark == "rewind"),
        shutdowns_at=tuple(mark.at for mark in marks if mark.mark == "shutdown"),
        totals=totals(marks),
    )


def _rewound_here(connection: sqlite3.Connection) -> set[str]:
    """The turns that their session rewound and a fork still has: its totals have forgotten them all the same."""
    query = """
        SELECT fusion_id FROM turn
        WHERE NOT rewound AND session_id IN (SELECT session_id FROM session_mark WHERE mark = 'rewind') AND NOT EXISTS (
            SELECT 1 FROM sighting JOIN log ON log.id = log_id
            WHERE sighting.fusion_id = turn.fusion_id AND log.session_id = turn.session_id
                AND sighting.generation = log.generation)"""
    return {row[0] for row in connection.execute(query)}


def _inherited(connection: sqlite3.Connection, turns: dict[str, Turn], among: Collection[str] | None) -> dict[str, list[Turn]]:
    """Of these turns those that a session's log holds and another session owns."""
    where, given = among_sessions(among, "log.session_id")
    query = f"""
        SELECT DISTINCT log.session_id, fusion_id FROM turn JOIN sighting USING (fusion_id) JOIN log ON log.id = log_id
        WHERE log.session_id != turn.session_id AND {where} ORDER BY 1, turn.started_at, 2"""
    found: dict[str, list[Turn]] = defaultdict(list)
    for session_id, fusion_id in connection.execute(query, given):
        if fusion_id in turns:
            found[session_id].append(turns[fusion_id])
    return found


def _marks(connection: sqlite3.Connection, among: Collection[str] | None) -> dict[str, list[tuple[str, Mark]]]:
    found: dict[str, list[tuple[str, Mark]]] = defaultdict(list)
    where, given = among_sessions(among)
    query = f"SELECT session_id, event_id, at, mark, totals FROM session_mark WHERE {where} ORDER BY session_id, at, event_id"
    for session_id, event_id, *mark in connection.execute(query, given):
        found[session_id].append((event_id, Mark._make(mark)))
    return found
