"""What turns and legs come to, one narrow row each: ``turn_sum`` and ``leg_sum``, kept beside ``turn``.

They hold nothing that ``turn`` and ``leg`` do not say. They exist so that figures and lists over a hundred thousand turns read
a few megabytes in order and not all that is known of each turn. What a column means is said once, by the property of that name
in ``fusionscope.model``; here it is said in SQL, and tests hold both together.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from fusionscope.model import NOT_FUSED, REVIEW_SCOPE

__all__ = ["DAY_MS", "day_changes", "remove", "renew"]

DAY_MS = 86_400_000

# The work a judge judged is that of the last leg before it that wrote for the person.
_DRAFTER = f"""
    SELECT draft.model FROM leg AS draft
    WHERE draft.fusion_id = leg.fusion_id AND (draft.place, draft.at, draft.event_id) < (leg.place, leg.at, leg.event_id)
        AND draft.status = 'succeeded' AND draft.kind NOT IN ('judge', 'critic', 'follow_up')
        AND draft.scope IS NOT '{REVIEW_SCOPE}'
    ORDER BY draft.place DESC, draft.at DESC, draft.event_id DESC LIMIT 1"""

_LEG_SUMS = f"""
    INSERT INTO leg_sum (started_at, fusion_id, number, kind, model, status, review, is_answer, nano_aiu, duration_ms, requests,
        input_tokens, output_tokens, cached_tokens, cache_write_tokens, verdict, drafter)
    SELECT turn.started_at, leg.fusion_id,
        row_number() OVER (PARTITION BY leg.fusion_id ORDER BY leg.place, leg.at, leg.event_id),
        leg.kind, model, status, scope IS '{REVIEW_SCOPE}',
        phase_id IS turn.answer_phase_id AND 1 = row_number() OVER (
            PARTITION BY leg.fusion_id, phase_id ORDER BY leg.place DESC, leg.at DESC, leg.event_id DESC),
        leg.nano_aiu, leg.duration_ms, requests, input_tokens, output_tokens, cached_tokens, cache_write_tokens,
        iif(leg.kind = 'judge', nullif(verdict, ''), NULL),
        CASE WHEN leg.kind = 'judge' AND nullif(verdict, '') IS NOT NULL THEN ({_DRAFTER}) END
    FROM {{among}} CROSS JOIN turn USING (fusion_id) CROSS JOIN leg USING (fusion_id)"""

_TURN_SUMS = f"""
    INSERT INTO turn_sum (started_at, fusion_id, session_id, repository, pattern, state, nano_aiu, review_nano_aiu, requests,
        legs, models, verdicts, rejections, duration_ms)
    SELECT turn.started_at, turn.fusion_id, session_id, repository,
        iif(route_failure IS NULL, nullif(pattern, ''), '{NOT_FUSED}'), state,
        iif(awaiting_background_work AND sum(leg.nano_aiu) > reported_nano_aiu,
            sum(leg.nano_aiu), coalesce(reported_nano_aiu, sum(leg.nano_aiu))),
        coalesce(sum(leg.nano_aiu) FILTER (WHERE iif(state = 'open', review, NOT is_answer)), 0),
        iif(awaiting_background_work AND sum(leg.requests) > reported_requests,
            sum(leg.requests), coalesce(reported_requests, sum(leg.requests), 0)),
        count(number), count(DISTINCT leg.model), count(verdict), count(*) FILTER (WHERE verdict = 'reject'), turn.duration_ms
    FROM {{among}} CROSS JOIN turn USING (fusion_id)
    LEFT JOIN leg_sum AS leg ON leg.started_at = turn.started_at AND leg.fusion_id = turn.fusion_id
    GROUP BY turn.fusion_id"""


def renew(connection: sqlite3.Connection, among: str) -> None:
    """Write the sums of the turns whose ids the table ``among`` has; must run in the transaction that wrote those turns."""
    _remove(connection, f"SELECT fusion_id FROM {among}")
    connection.execute(_LEG_SUMS.format(among=among))
    connection.execute(_TURN_SUMS.format(among=among))
    _note_change(connection, f"SELECT fusion_id FROM {among}")


def remove(connection: sqlite3.Connection, fusion_ids: Iterable[str]) -> None:
    """Remove the sums of these turns."""
    for fusion_id in fusion_ids:
        _remove(connection, "SELECT ?", fusion_id)


def day_changes(connection: sqlite3.Connection) -> dict[int, int]:
    """How often the sums changed of the turns that started on each day (counted from 1970, UTC); never falls."""
    return dict(connection.execute("SELECT day, changes FROM day_change ORDER BY day"))


def _remove(connection: sqlite3.Connection, ids: str, *given: str) -> None:
    _note_change(connection, ids, *given)
    old = f"SELECT started_at, fusion_id FROM turn_sum WHERE fusion_id IN ({ids})"
    connection.execute(f"DELETE FROM leg_sum WHERE (started_at, fusion_id) IN ({old})", given)
    connection.execute(f"DELETE FROM turn_sum WHERE fusion_id IN ({ids})", given)


def _note_change(connection: sqlite3.Connection, ids: str, *given: str) -> None:
    connection.execute(
        f"""
        INSERT INTO day_change (day, changes)
        SELECT DISTINCT started_at / {DAY_MS} - (started_at % {DAY_MS} < 0), 1 FROM turn_sum WHERE fusion_id IN ({ids})
        ON CONFLICT DO UPDATE SET changes = changes + 1""",
        given,
    )
