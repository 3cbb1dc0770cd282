"""The tables, and how a database comes to have them.

Three kinds of table:

* what was read: ``log`` (how far, and what stood before that), ``skipped``, ``unknown_type``, ``unknown_word``;
* facts, one row an event (``facts.py``), and ``sighting``: in which logs a turn was seen;
* what follows from the facts: ``turn``, rewritten whenever one of its facts arrives, ``turn_sum`` and ``leg_sum`` beside it
  (``sums.py``), and ``outbox`` with what sending needs to know (``sent``, ``delivery``, ``stamp``, ``total``).

Beside them: ``given_up`` (turns that were quiet for too long), ``forgotten`` (sessions that are not to be read) and
``follower`` (the process that follows the logs).
"""

from __future__ import annotations

import sqlite3

__all__ = ["APPLICATION_ID", "SCHEMA_VERSION", "create", "migrate"]

#: "Fusn": tells our database from anybody else's
APPLICATION_ID = 0x4675736E
SCHEMA_VERSION = 2

#: what brings a database of each older version to the next
_STEPS = {
    1: (  # the names of patterns, as they are shown, stand in the sums
        "UPDATE turn_sum SET pattern = NULL WHERE pattern = ''",
        "UPDATE turn_sum SET pattern = 'not fused'"
        " WHERE fusion_id IN (SELECT fusion_id FROM turn WHERE route_failure IS NOT NULL)",
    ),
}

_SESSION_KEY = "session_id TEXT NOT NULL, event_id TEXT NOT NULL, at INTEGER NOT NULL, agent_id TEXT"
_FACT_KEY = """
    fusion_id TEXT NOT NULL, event_id TEXT NOT NULL, at INTEGER NOT NULL, agent_id TEXT"""

#: what the log does not say becomes the value that follows
_OR = "NOT NULL ON CONFLICT REPLACE DEFAULT"

_SCHEMA = f"""
CREATE TABLE log (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never again that of a log that was forgotten
    path BLOB NOT NULL UNIQUE,          -- as the file system has it, not necessarily text
    root TEXT NOT NULL,
    session_id TEXT NOT NULL,
    client TEXT,                        -- which one wrote it
    signature TEXT,                     -- size, times and inode when it was last read to the end; null = look again
    offset INTEGER NOT NULL DEFAULT 0,  -- bytes read
    guard BLOB NOT NULL DEFAULT x'',    -- hash of the last bytes before the offset, and of those around line_start
    line_start INTEGER,                 -- of the line that the offset stands in, when its rest is of no interest
    generation INTEGER NOT NULL DEFAULT 0,  -- how often the file turned out to be another one
    place INTEGER NOT NULL DEFAULT 0,   -- of the last event read
    gone INTEGER NOT NULL DEFAULT 0     -- the file is no longer there
) STRICT;
CREATE INDEX log_by_session ON log (session_id);

CREATE TABLE skipped (
    log_id INTEGER NOT NULL, generation INTEGER NOT NULL, position INTEGER NOT NULL,
    length INTEGER NOT NULL, digest BLOB NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (log_id, generation, position, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE unknown_type (
    log_id INTEGER NOT NULL, generation INTEGER NOT NULL, type TEXT NOT NULL, events INTEGER NOT NULL,
    PRIMARY KEY (log_id, type)
) STRICT, WITHOUT ROWID;

CREATE TABLE sighting (
    fusion_id TEXT NOT NULL, log_id INTEGER NOT NULL, generation INTEGER NOT NULL,
    PRIMARY KEY (fusion_id, log_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sighting_by_log ON sighting (log_id);

CREATE TABLE session_mark (
    session_id TEXT NOT NULL, event_id TEXT NOT NULL, at INTEGER NOT NULL,
    mark TEXT NOT NULL, cli_version TEXT, selected_model TEXT, repository TEXT, branch TEXT, totals TEXT,
    PRIMARY KEY (session_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE prompt ({_SESSION_KEY}, interaction_id TEXT, PRIMARY KEY (session_id, event_id)) STRICT, WITHOUT ROWID;
CREATE TABLE reply ({_SESSION_KEY},
    interaction_id TEXT, call_id TEXT, model TEXT, PRIMARY KEY (session_id, event_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE tool_use ({_SESSION_KEY},
    interaction_id TEXT, success INTEGER, PRIMARY KEY (session_id, event_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE model_call ({_SESSION_KEY},
    fusion_id TEXT, phase_id TEXT, model TEXT {_OR} 'unknown', duration_ms REAL, input_tokens INTEGER {_OR} 0,
    output_tokens INTEGER {_OR} 0, cached_tokens INTEGER {_OR} 0, cache_write_tokens INTEGER {_OR} 0, credits_status TEXT,
    byok INTEGER {_OR} 0, call_id TEXT, usage_id TEXT, source_session_id TEXT, nano_aiu INTEGER,
    PRIMARY KEY (session_id, event_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE compaction ({_SESSION_KEY},
    trigger TEXT, success INTEGER, model TEXT, duration_ms REAL, input_tokens INTEGER {_OR} 0,
    output_tokens INTEGER {_OR} 0, cached_tokens INTEGER {_OR} 0, cache_write_tokens INTEGER {_OR} 0, requests INTEGER,
    credits_status TEXT, nano_aiu INTEGER,
    PRIMARY KEY (session_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE route ({_FACT_KEY},
    turn_id TEXT, contract_version INTEGER, synthetic_model TEXT, policy TEXT, pattern TEXT, failure TEXT,
    route_source TEXT, plan_version TEXT, policy_version TEXT, model_universe_version TEXT,
    rule_id TEXT, rule_index INTEGER, rule_name TEXT, selected_rule_id TEXT, hint TEXT,
    primary_model TEXT, secondary_model TEXT, judge_model TEXT, repair_model TEXT,
    fallback_model TEXT, follow_up_model TEXT, follow_up TEXT, critics TEXT, scores TEXT, plan TEXT,
    routing_latency_ms REAL,
    PRIMARY KEY (fusion_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE leg (
    arrival INTEGER PRIMARY KEY,        -- grows with every new leg: tells what came after something was sent
    place INTEGER NOT NULL,             -- orders the legs of a turn: their time, where the clock did not go back
    {_FACT_KEY},
    phase_id TEXT NOT NULL, kind TEXT {_OR} 'unknown', role TEXT, scope TEXT, model TEXT NOT NULL, reasoning_effort TEXT,
    status TEXT {_OR} 'unknown', verdict TEXT, reason TEXT, degraded_to TEXT, background_work INTEGER {_OR} 0,
    duration_ms REAL {_OR} 0, requests INTEGER {_OR} 0, input_tokens INTEGER {_OR} 0, output_tokens INTEGER {_OR} 0,
    cached_tokens INTEGER {_OR} 0, cache_write_tokens INTEGER {_OR} 0, nano_aiu INTEGER,
    UNIQUE (fusion_id, event_id),
    UNIQUE (fusion_id, phase_id, at, status) -- a copy under a new event id is no new leg
) STRICT;

CREATE TABLE leg_start ({_FACT_KEY},
    phase_id TEXT NOT NULL, kind TEXT {_OR} 'unknown', role TEXT, scope TEXT, model TEXT NOT NULL, reasoning_effort TEXT,
    PRIMARY KEY (fusion_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE handoff ({_FACT_KEY},
    source_phase_id TEXT NOT NULL, target_phase_id TEXT NOT NULL, target_model TEXT NOT NULL,
    PRIMARY KEY (fusion_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE answer_commit ({_FACT_KEY},
    commit_id TEXT NOT NULL, source_phase_id TEXT NOT NULL, source_model TEXT NOT NULL, kind TEXT {_OR} 'unknown',
    PRIMARY KEY (fusion_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE completion ({_FACT_KEY},
    turn_id TEXT, commit_id TEXT, synthetic_model TEXT, pattern TEXT, outcome TEXT {_OR} 'unknown', answer_phase_id TEXT,
    answer_model TEXT, follow_up_model TEXT, degraded_reason TEXT, phases INTEGER, requests INTEGER, nano_aiu INTEGER,
    duration_ms REAL, awaiting_background_work INTEGER {_OR} 0,
    PRIMARY KEY (fusion_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE message ({_FACT_KEY},
    interaction_id TEXT, phase_id TEXT, steered INTEGER,
    PRIMARY KEY (fusion_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_start ({_FACT_KEY},
    tool_call_id TEXT NOT NULL, name TEXT {_OR} 'unknown', parent_tool_call_id TEXT, turn_id TEXT, phase_id TEXT,
    steered INTEGER,
    PRIMARY KEY (fusion_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_end (
    arrival INTEGER PRIMARY KEY,        -- as that of a leg
    {_FACT_KEY},
    tool_call_id TEXT NOT NULL, interaction_id TEXT, success INTEGER, exit_code INTEGER, error TEXT, phase_id TEXT,
    steered INTEGER,
    UNIQUE (fusion_id, event_id)
) STRICT;

CREATE TABLE unknown_word (
    fusion_id TEXT NOT NULL, event_id TEXT NOT NULL, at INTEGER NOT NULL, agent_id TEXT, word TEXT NOT NULL,
    PRIMARY KEY (fusion_id, event_id, word)
) STRICT; -- with a rowid: SQLite 3.40.0 to 3.41.0 finds damage in one without whose key does not stand first

CREATE TABLE turn (
    fusion_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, agent_id TEXT, cli_version TEXT, repository TEXT, branch TEXT,
    synthetic_model TEXT, pattern TEXT, state TEXT NOT NULL, outcome TEXT, degraded_reason TEXT, route_failure TEXT,
    policy TEXT, route_source TEXT, contract_version INTEGER, plan_version TEXT, policy_version TEXT,
    model_universe_version TEXT, rule_id TEXT, rule_index INTEGER, rule_name TEXT, selected_rule_id TEXT, hint TEXT,
    turn_id TEXT, interaction_id TEXT, commit_id TEXT, commit_kind TEXT, primary_model TEXT, secondary_model TEXT,
    judge_model TEXT, repair_model TEXT, fallback_model TEXT, follow_up_model TEXT, follow_up TEXT, critics TEXT,
    scores TEXT, planned TEXT, routing_latency_ms REAL,
    started_at INTEGER NOT NULL, ended_at INTEGER, last_event_at INTEGER NOT NULL, duration_ms REAL,
    reported_nano_aiu INTEGER, reported_requests INTEGER, reported_phases INTEGER, answer_phase_id TEXT,
    answer_model TEXT, awaiting_background_work INTEGER NOT NULL, steered INTEGER, rewound INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX turn_by_start ON turn (started_at, fusion_id);
CREATE INDEX turn_by_session ON turn (session_id, started_at);
CREATE INDEX turn_by_last_event ON turn (last_event_at);
CREATE INDEX turn_unended ON turn (session_id) WHERE state IN ('open', 'abandoned');

CREATE TABLE turn_sum (                 -- narrow and in the order of time: figures and lists over very many turns
    started_at INTEGER NOT NULL, fusion_id TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL, repository TEXT,
    pattern TEXT,                       -- of a failed route: not fused
    state TEXT NOT NULL, nano_aiu INTEGER, review_nano_aiu INTEGER NOT NULL, requests INTEGER NOT NULL,
    legs INTEGER NOT NULL, models INTEGER NOT NULL, verdicts INTEGER NOT NULL, rejections INTEGER NOT NULL, duration_ms REAL,
    PRIMARY KEY (started_at, fusion_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX turn_sum_by_session ON turn_sum (session_id, started_at, fusion_id, nano_aiu, state);
CREATE INDEX turn_sum_by_pattern ON turn_sum (pattern, started_at);
CREATE INDEX turn_sum_by_repository ON turn_sum (repository, started_at);
CREATE INDEX turn_sum_by_money ON turn_sum (coalesce(nano_aiu, -1), started_at, fusion_id);
CREATE INDEX turn_sum_by_duration ON turn_sum (coalesce(duration_ms, -1), started_at, fusion_id);
CREATE TABLE leg_sum (
    started_at INTEGER NOT NULL, fusion_id TEXT NOT NULL, -- of the turn
    number INTEGER NOT NULL,            -- in the order of the log
    kind TEXT NOT NULL, model TEXT NOT NULL, status TEXT NOT NULL, review INTEGER NOT NULL, is_answer INTEGER NOT NULL,
    nano_aiu INTEGER, duration_ms REAL NOT NULL, requests INTEGER NOT NULL, input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL, cache_write_tokens INTEGER NOT NULL,
    verdict TEXT, drafter TEXT,         -- of a judge: what it said, and whose work it judged
    PRIMARY KEY (started_at, fusion_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX leg_sum_by_model ON leg_sum (model, started_at);

CREATE TABLE day_change (               -- how often sums changed of turns that started on a day: what was added up may be kept
    day INTEGER PRIMARY KEY,            -- since 1970, UTC
    changes INTEGER NOT NULL
) STRICT;

CREATE TABLE given_up (
    fusion_id TEXT PRIMARY KEY, after INTEGER NOT NULL -- the last event it had then
) STRICT, WITHOUT ROWID;

CREATE TABLE forgotten (session_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

CREATE TABLE follower (
    only INTEGER PRIMARY KEY CHECK (only = 1), process INTEGER NOT NULL, started_at INTEGER NOT NULL
) STRICT;

CREATE TABLE outbox (                   -- turns that wait to be sent
    signal TEXT NOT NULL, fusion_id TEXT NOT NULL,
    ended_at INTEGER NOT NULL,          -- the turn's own end: the order of sending
    queued_at INTEGER NOT NULL,
    parked TEXT,                        -- why the endpoint does not take this turn; null = it waits
    PRIMARY KEY (signal, fusion_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX outbox_next ON outbox (signal, ended_at, fusion_id) WHERE parked IS NULL;
CREATE TABLE sent (                     -- turns that are done with
    signal TEXT NOT NULL, fusion_id TEXT NOT NULL,
    last_arrival INTEGER,               -- of the legs that went; null = nothing went, it was dropped
    settled INTEGER NOT NULL,           -- of the legs that need no sending, because they went or were dropped
    last_tool INTEGER NOT NULL DEFAULT 0, -- the newest arrival of a tool call's end that needs no sending
    PRIMARY KEY (signal, fusion_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE delivery (                 -- how sending goes, one row a signal
    signal TEXT PRIMARY KEY,
    endpoint TEXT,                      -- hash of its address and headers; null = none is configured
    failing_since INTEGER, failing_seen_at INTEGER, failures INTEGER NOT NULL DEFAULT 0, next_try_at INTEGER,
    asked INTEGER NOT NULL DEFAULT 0,   -- the endpoint itself named the next try
    stopped TEXT,                       -- why nothing is sent before the endpoint changes
    last_success_at INTEGER, last_trouble_at INTEGER, last_trouble TEXT,
    dropped_turns INTEGER NOT NULL DEFAULT 0, lost_parts INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE stamp (                    -- milliseconds that samples have, by series; series and owner are hashes
    series INTEGER NOT NULL, at INTEGER NOT NULL, owner INTEGER NOT NULL,
    PRIMARY KEY (series, at)
) STRICT, WITHOUT ROWID;
CREATE TABLE total (                    -- the cumulative counters, where they are used
    metric TEXT NOT NULL, labels TEXT NOT NULL, amount TEXT NOT NULL, -- JSON
    PRIMARY KEY (metric, labels)
) STRICT, WITHOUT ROWID;
CREATE TABLE origin (created_at INTEGER NOT NULL) STRICT; -- since when the counters count
INSERT INTO origin VALUES (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));
"""


def migrate(connection: sqlite3.Connection) -> None:
    """Bring an older database to this version: all of it or nothing, and once, whoever else tries.

    Raises ``sqlite3.Error``, and leaves the database as it was.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        for step in range(version, SCHEMA_VERSION):
            for statement in _STEPS[step]:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {max(version, SCHEMA_VERSION)}")
        connection.commit()
    except BaseException:
        connection.rollback()
        raise


def create(connection: sqlite3.Connection) -> None:
    """Lay out an empty database. Raises ``sqlite3.Error`` when it is not empty."""
    connection.executescript(
        f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
    )
