"""The queries that give turns, legs and sessions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import Any, NamedTuple

from fusionscope.model import UNKNOWN, Session, Turn
from fusionscope.store.load import load_turns

__all__ = [
    "AmbiguousIdError",
    "Selection",
    "SkippedRecord",
    "find_turn",
    "newest_turn",
    "session",
    "sessions",
    "skipped_count",
    "skipped_records",
    "turns",
    "turns_by_id",
    "unknown_types",
]


class AmbiguousIdError(LookupError):
    """The beginning of an id fits more than one turn; ``fits`` names some of them."""

    def __init__(self, prefix: str, fits: list[str]) -> None:
        super().__init__(prefix)
        self.fits = fits


class Selection(NamedTuple):
    """Which turns. All that is given must hold; a turn belongs to the moment it started.

    ``since`` is inclusive, ``until`` exclusive (moments). ``session`` is the beginning of a session id. ``model`` ran at least
    one leg. ``pattern`` is the name of theirs. ``client`` wrote the session; ``UNKNOWN``: nothing says which. ``part`` stands
    somewhere in the turn's or the session's id. ``limit`` keeps the newest.
    """

    since: int | None = None
    until: int | None = None
    session: str | None = None
    pattern: str | None = None
    model: str | None = None
    client: str | None = None
    limit: int | None = None
    state: str | None = None
    repository: str | None = None
    part: str | None = None

    def where(self) -> tuple[str, dict[str, Any]]:
        """The selection as an SQL condition on ``turn_sum AS turn`` (but for ``pattern``, on ``turn`` too), with parameters."""
        conditions = {
            "since": "turn.started_at >= :since",
            "until": "turn.started_at < :until",
            "session": "substr(turn.session_id, 1, length(:session)) = :session",
            "pattern": f"coalesce(turn.pattern, '{UNKNOWN}') = :pattern",
            "client": "turn.session_id IN (SELECT log.session_id FROM log GROUP BY 1"
            f" HAVING coalesce(max(log.client), '{UNKNOWN}') = :client)",
            "model": "EXISTS (SELECT 1 FROM leg_sum AS ran WHERE ran.model = :model"
            " AND ran.started_at = turn.started_at AND ran.fusion_id = turn.fusion_id)",
            "state": "turn.state = :state",
            "repository": "turn.repository = :repository",
            "part": "(instr(turn.fusion_id, :part) OR instr(turn.session_id, :part))",
        }
        given = {name: value for name, value in self._asdict().items() if value is not None}
        return " AND ".join(conditions[name] for name in given if name in conditions) or "true", given


class SkippedRecord(NamedTuple):
    """A record that could not be used: which log, at which byte, how long, why."""

    path: bytes
    position: int
    length: int
    reason: str


def turns(connection: sqlite3.Connection, selection: Selection = Selection()) -> list[Turn]:  # noqa: B008
    """The selected turns with their legs, oldest first."""
    if selection == Selection():
        return load_turns(connection, None, {})
    where, given = selection.where()
    newest = f"SELECT fusion_id FROM turn_sum AS turn WHERE {where} ORDER BY started_at DESC, fusion_id DESC"
    if selection.limit is not None:
        newest += " LIMIT :limit"
    return load_turns(connection, newest, given)


def turns_by_id(connection: sqlite3.Connection, fusion_ids: Iterable[str]) -> list[Turn]:
    """These turns, oldest first; ids that nobody knows are left out."""
    # SQLite reads text up to a NUL: an id with one would be that of another turn
    ids = [fusion_id for fusion_id in fusion_ids if "\0" not in fusion_id]
    return load_turns(connection, "SELECT value FROM json_each(:ids)", {"ids": json.dumps(ids)})


def newest_turn(connection: sqlite3.Connection) -> Turn | None:
    """The turn that started last."""
    found = turns(connection, Selection(limit=1))
    return found[0] if found else None


def find_turn(connection: sqlite3.Connection, prefix: str) -> Turn | None:
    """The turn whose id is ``prefix``, or begins with it, with or without the word before the first dash.

    Raises:
        AmbiguousIdError: more than one turn fits.
    """
    fits = "substr(fusion_id, 1, length(:id)) = :id OR substr(fusion_id, instr(fusion_id, '-') + 1, length(:id)) = :id"
    query = f"SELECT fusion_id FROM turn WHERE {fits} ORDER BY fusion_id != :id, started_at LIMIT 6"
    ids = [row[0] for row in connection.execute(query, {"id": prefix})] if prefix else []
    if len(ids) > 1 and ids[0] != prefix:
        raise AmbiguousIdError(prefix, ids)
    return load_turns(connection, "SELECT :id", {"id": ids[0]})[0] if ids else None


def sessions(connection: sqlite3.Connection) -> list[Session]:
    """Every session that has a log or had one, oldest first, with and without turns."""
    return _sessions(connection, "true")


def session(connection: sqlite3.Connection, session_id: str) -> Session | None:
    """The session with this id, if it has a log or had one."""
    found = _sessions(connection, "session_id = ?", session_id)
    return found[0] if found else None


def _sessions(connection: sqlite3.Connection, which: str, *given: str) -> list[Session]:
    query = f"""
        SELECT session_id, min(iif(mark = 'start', at, NULL)) AS started_at,
            max(max(coalesce(at, 0)),
                coalesce((SELECT max(last_event_at) FROM turn WHERE turn.session_id = log.session_id), 0)),
            max(iif(mark = 'start', cli_version, NULL)), max(iif(mark = 'start', selected_model, NULL)),
            max(repository), max(branch), coalesce(sum(mark = 'resume'), 0), coalesce(sum(mark = 'shutdown'), 0),
            (SELECT count(*) FROM turn WHERE turn.session_id = log.session_id), max(client)
        FROM (SELECT session_id, max(client) AS client FROM log WHERE {which} GROUP BY session_id) AS log
        LEFT JOIN session_mark USING (session_id)
        GROUP BY session_id ORDER BY started_at IS NULL, started_at, session_id"""
    return [Session._make((row[0], row[1], row[2] or None, *row[3:])) for row in connection.execute(query, given)]


def skipped_count(connection: sqlite3.Connection) -> int:
    """How many records could not be used, over all logs ever read."""
    (count,) = connection.execute("SELECT count(*) FROM skipped").fetchone()
    return int(count)


def skipped_records(connection: sqlite3.Connection, limit: int = -1) -> list[SkippedRecord]:
    """The records that could not be used, by log and place; at most ``limit`` where it is not negative."""
    query = "SELECT path, position, length, reason FROM skipped JOIN log ON log.id = log_id ORDER BY path, position LIMIT ?"
    return [SkippedRecord._make(row) for row in connection.execute(query, (limit,))]


def unknown_types(connection: sqlite3.Connection) -> dict[str, int]:
    """How often each event type came that nobody has told us about."""
    return dict(connection.execute("SELECT type, sum(events) FROM unknown_type GROUP BY type ORDER BY type"))
