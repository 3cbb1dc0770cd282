"""What the logs say that this release does not know: values, fields, event types, a newer contract."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from fusionscope.model import Leg
from fusionscope.vocabulary import CONTRACT_VERSION, ENUMERATIONS

__all__ = ["NO_DRIFT", "Drift", "drift", "unknown_in_turns", "unknown_values", "unknown_words"]

_MISSING = "unknown"  # what the store writes where the log says nothing
_CONTRACT = "contract "


class Drift(NamedTuple):
    """The Fusion vocabulary that this release does not know.

    ``words``: values, fields and event types with the number of turns that have them. ``types``: Fusion event types with the
    number of events, also of those that name no turn. ``contract``: the newest version seen, where it is newer than ours.
    """

    words: dict[str, int]
    types: dict[str, int]
    contract: int | None


NO_DRIFT = Drift({}, {}, None)


def drift(connection: sqlite3.Connection, in_turns: Mapping[str, int] | None = None) -> Drift:
    """What all logs ever read say that this release does not know.

    ``in_turns`` is what ``unknown_in_turns`` says of all turns, where the caller has it already.
    """
    query = "SELECT type, sum(events) FROM unknown_type WHERE instr(type, '.fusion_') GROUP BY type ORDER BY type"
    types = dict(connection.execute(query))
    words = unknown_words(connection, in_turns)
    versions = [int(word.removeprefix(_CONTRACT)) for word in words if word.startswith(_CONTRACT)]
    return Drift(words, types, max(versions, default=None))


def unknown_values(
    pattern: str | None,
    contract_version: int | None,
    commit_kind: str | None,
    follow_up: tuple[tuple[str, str], ...],
    legs: tuple[Leg, ...],
) -> tuple[str, ...]:
    """The values of a turn and of its legs that no published enumeration has, for example ``pattern debate``."""
    found = _of_turn(pattern, contract_version, commit_kind, follow_up)
    for leg in legs:
        found += _of_leg(leg.kind, leg.scope, leg.status)
    return tuple(dict.fromkeys(found)) if found else ()


@lru_cache(maxsize=1_000)
def _of_turn(
    pattern: str | None, contract_version: int | None, commit_kind: str | None, follow_up: tuple[tuple[str, str], ...]
) -> tuple[str, ...]:
    found = [_unknown("pattern", pattern), _unknown("commit_kind", commit_kind)]
    found += [_unknown("follow_up", action) for _, action in follow_up]
    if contract_version is not None and contract_version > CONTRACT_VERSION:
        found.append(f"{_CONTRACT}{contract_version}")
    return tuple(word for word in found if word)


@lru_cache(maxsize=1_000)
def _of_leg(kind: str, scope: str | None, status: str) -> tuple[str, ...]:
    found = (_unknown("kind", kind), _unknown("scope", scope), _unknown("status", status))
    return tuple(word for word in found if word)


def _unknown(enumeration: str, value: str | None) -> str | None:
    return None if value in (None, _MISSING) or value in ENUMERATIONS[enumeration] else f"{enumeration} {value}"


def unknown_words(connection: sqlite3.Connection, in_turns: Mapping[str, int] | None = None) -> dict[str, int]:
    """Every word of a Fusion event that this release does not know, with the number of turns that have it, by word."""
    found = Counter(unknown_in_turns(connection) if in_turns is None else in_turns)
    found.update(dict(connection.execute("SELECT word, count(DISTINCT fusion_id) FROM unknown_word GROUP BY word")))
    return dict(sorted(found.items()))


def unknown_in_turns(connection: sqlite3.Connection, since: int | None = None, until: int | None = None) -> Counter[str]:
    """The values and contracts that nobody published, of turns and legs, with the number of turns that have each.

    Of the turns that started from ``since`` to before ``until`` (ms UTC): those of parts may be added up.
    """
    given = {"since": since, "until": until}
    # without a beginning it is nearly all of them: with the + SQLite reads the tables in their order, and not by the index
    conditions = {"since": "started_at >= :since", "until": f"{'+' if since is None else ''}started_at < :until"}
    within = " AND ".join(["true", *(conditions[name] for name, at in given.items() if at is not None)])
    legs = "leg CROSS JOIN turn USING (fusion_id)" if since is None else "turn CROSS JOIN leg USING (fusion_id)"
    found: Counter[str] = Counter()
    query = f"SELECT pattern, contract_version, commit_kind, follow_up, count(*) FROM turn WHERE {within} GROUP BY 1, 2, 3, 4"
    for pattern, version, commit_kind, follow_up, turns in connection.execute(query, given):
        actions = tuple(json.loads(follow_up or "{}").items())
        found.update(dict.fromkeys(_of_turn(pattern, version, commit_kind, actions), turns))
    known = {name: json.dumps([_MISSING, *ENUMERATIONS[name]]) for name in ("kind", "scope", "status")}
    odd = " OR ".join(f"{name} NOT IN (SELECT value FROM json_each(:{name}))" for name in known)
    rows = connection.execute(f"SELECT fusion_id, kind, scope, status FROM {legs} WHERE {within} AND ({odd})", given | known)
    found.update(word for _, word in {(fusion_id, word) for fusion_id, *leg in rows for word in _of_leg(*leg)})
    return found
