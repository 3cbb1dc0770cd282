"""What was seen in the logs, in numbers: CLI versions, clients, Fusion events, and requests for Fusion that came to nothing."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import NamedTuple

from fusionscope.model import UNKNOWN
from fusionscope.store.drift import Drift, drift
from fusionscope.store.read import unknown_types

__all__ = ["Asked", "Seen", "asked_without_fusion", "seen"]


class Asked(NamedTuple):
    """Sessions that asked for a model that runs nothing itself, and have no Fusion event.

    ``synthetic``: the same name was seen as the synthetic model of a turn. Else it is a guess: the name never ran a leg, a
    reply or a model call. ``unanswered``: of ``sessions``, those in which nothing answered.
    """

    model: str
    sessions: int
    unanswered: int
    synthetic: bool


class Seen(NamedTuple):
    """Everything; ``logs`` are those on disk, ``gone`` those no longer there, ``fused`` the sessions with a turn.

    ``cli_versions`` has the number of sessions with a segment (a start or a resume) of that version, ``clients`` that of the
    sessions each client wrote, ``fusion_events`` that of the events read by type, ``skipped`` that of the records by reason.
    ``contract`` is the newest version of the event contract.
    """

    logs: int
    gone: int
    sessions: int
    forgotten: int
    fused: int
    turns: int
    cli_versions: dict[str, int]
    clients: dict[str, int]
    fusion_events: dict[str, int]
    asked: list[Asked]
    unknown_types: dict[str, int]
    drift: Drift
    contract: int | None
    skipped: dict[str, int]


def seen(connection: sqlite3.Connection, known_drift: Drift | None = None) -> Seen:
    """Count what is in the store. ``known_drift`` is what ``drift`` says of it, where the caller has it already."""

    def one(query: str) -> int:
        (value,) = connection.execute(query).fetchone()
        return int(value or 0)

    (contract,) = connection.execute("SELECT max(contract_version) FROM turn").fetchone()
    return Seen(
        logs=one("SELECT count(*) FROM log WHERE NOT gone"),
        gone=one("SELECT count(*) FROM log WHERE gone"),
        sessions=one("SELECT count(DISTINCT session_id) FROM log"),
        forgotten=one("SELECT count(*) FROM forgotten"),
        fused=one("SELECT count(DISTINCT session_id) FROM turn"),
        turns=one("SELECT count(*) FROM turn"),
        cli_versions=_counted(connection, _VERSIONS),
        clients=_counted(connection, _CLIENTS),
        fusion_events={name: one(query) for name, query in _EVENTS.items()},
        asked=asked_without_fusion(connection),
        unknown_types=unknown_types(connection),
        drift=drift(connection) if known_drift is None else known_drift,
        contract=contract,
        skipped=_skipped(connection),
    )


def asked_without_fusion(connection: sqlite3.Connection) -> list[Asked]:
    """The models that sessions without a Fusion event asked for and that never ran, the surest first.

    A route that failed is a Fusion event.
    """
    rows = connection.execute(_ASKED)
    return [Asked(model, sessions, unanswered, bool(synthetic)) for model, sessions, unanswered, synthetic in rows]


def _counted(connection: sqlite3.Connection, query: str) -> dict[str, int]:
    rows = [(name or UNKNOWN, number) for name, number in connection.execute(query)]
    return dict(sorted(rows, key=lambda row: (-row[1], row[0])))


def _skipped(connection: sqlite3.Connection) -> dict[str, int]:
    """By the first words of the reason: what follows a colon says where in the record."""
    found: Counter[str] = Counter()
    for reason, number in connection.execute("SELECT reason, count(*) FROM skipped GROUP BY reason ORDER BY reason"):
        found[reason.partition(":")[0]] += number
    return dict(found.most_common())


_VERSIONS = """
    SELECT cli_version, count(DISTINCT log.session_id)
    FROM log LEFT JOIN session_mark ON session_mark.session_id = log.session_id AND mark IN ('start', 'resume') GROUP BY 1"""
_CLIENTS = "SELECT client, count(*) FROM (SELECT max(client) AS client FROM log GROUP BY session_id) GROUP BY 1"
_EVENTS = {
    "fusion_resolved": "SELECT count(*) FROM route WHERE failure IS NULL",
    "fusion_route_failed": "SELECT count(*) FROM route WHERE failure IS NOT NULL",
    "fusion_phase_started": "SELECT count(*) FROM leg_start",
    "fusion_phase_completed or _failed": "SELECT count(*) FROM leg",
    "fusion_handoff": "SELECT count(*) FROM handoff",
    "fusion_commit_started": "SELECT count(*) FROM answer_commit",
    "fusion_completed": "SELECT count(*) FROM completion",
}
_ASKED = """
    WITH synthetic AS (SELECT DISTINCT synthetic_model FROM turn WHERE synthetic_model IS NOT NULL),
    ran AS (
        SELECT model FROM leg UNION SELECT model FROM reply UNION SELECT model FROM model_call
        UNION SELECT model FROM compaction UNION SELECT primary_model FROM turn UNION SELECT fallback_model FROM turn),
    quiet AS (
        SELECT session_id, selected_model,
            NOT EXISTS (SELECT 1 FROM reply WHERE reply.session_id = session_mark.session_id)
            AND NOT EXISTS (SELECT 1 FROM model_call WHERE model_call.session_id = session_mark.session_id) AS unanswered
        FROM session_mark
        WHERE mark IN ('start', 'resume') AND selected_model IS NOT NULL
            AND NOT EXISTS (
                SELECT 1 FROM log JOIN sighting ON log_id = log.id WHERE log.session_id = session_mark.session_id))
    SELECT selected_model, count(DISTINCT session_id), count(DISTINCT iif(unanswered, session_id, NULL)),
        selected_model IN synthetic AS surely
    FROM quiet
    WHERE surely OR NOT EXISTS (SELECT 1 FROM ran WHERE ran.model = selected_model)
    GROUP BY selected_model ORDER BY surely DESC, 2 DESC, 1"""
