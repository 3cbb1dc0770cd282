"""What the logs say that this release does not know: values, fields, event types, a newer contract."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from fusionscope.model import Leg
from fusionscope.vocabulary import CONTRACT_VERSION, ENUMERATIONS

__all__ = ["NO_DRIFT", "Drift", "drift", "unknown_values", "unknown_words"]

_MISSING = "unknown"  # what the store writes where the log says nothing


class Drift(NamedTuple):
    """The Fusion vocabulary that this release does not know.

    ``words``: values, fields and event types with the number of turns that have them. ``types``: Fusion event types with the
    number of events, also of those that name no turn. ``contract``: the newest version seen, where it is newer than ours.
    """

    words: dict[str, int]
    types: dict[str, int]
    contract: int | None


NO_DRIFT = Drift({}, {}, None)


def drift(connection: sqlite3.Connection) -> Drift:
    """What all logs ever read say that this release does not know."""
    query = "SELECT type, sum(events) FROM unknown_type WHERE instr(type, '.fusion_') GROUP BY type ORDER BY type"
    types = dict(connection.execute(query))
    (contract,) = connection.execute(
        "SELECT max(contract_version) FROM turn WHERE contract_version > ?", (CONTRACT_VERSION,)
    ).fetchone()
    return Drift(unknown_words(connection), types, contract)


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
        found.append(f"contract {contract_version}")
    return tuple(word for word in found if word)


@lru_cache(maxsize=1_000)
def _of_leg(kind: str, scope: str | None, status: str) -> tuple[str, ...]:
    found = (_unknown("kind", kind), _unknown("scope", scope), _unknown("status", status))
    return tuple(word for word in found if word)


def _unknown(enumeration: str, value: str | None) -> str | None:
    return None if value in (None, _MISSING) or value in ENUMERATIONS[enumeration] else f"{enumeration} {value}"


def unknown_words(connection: sqlite3.Connection) -> dict[str, int]:
    """Every word of a Fusion event that this release does not know, with the number of turns that have it, by word."""
    found: Counter[str] = Counter()
    for enumeration, query in _VALUES.items():
        known = json.dumps([_MISSING, *ENUMERATIONS[enumeration]])
        found.update({f"{enumeration} {value}": turns for value, turns in connection.execute(query, (known,))})
    for text, turns in connection.execute("SELECT follow_up, count(*) FROM turn WHERE follow_up IS NOT NULL GROUP BY 1"):
        for word in {_unknown("follow_up", action) for action in json.loads(text).values()} - {None}:
            found[str(word)] += turns
    query = "SELECT contract_version, count(*) FROM turn WHERE contract_version > ? GROUP BY 1"
    for version, turns in connection.execute(query, (CONTRACT_VERSION,)):
        found[f"contract {version}"] += turns
    found.update(dict(connection.execute("SELECT word, count(DISTINCT fusion_id) FROM unknown_word GROUP BY word")))
    return dict(sorted(found.items()))


#: where the values of an enumeration are, and how the turns that have one are counted
_PLACES = {
    "pattern": ("turn", "count(*)"),
    "commit_kind": ("turn", "count(*)"),
    "kind": ("leg", "count(DISTINCT fusion_id)"),
    "scope": ("leg", "count(DISTINCT fusion_id)"),
    "status": ("leg", "count(DISTINCT fusion_id)"),
}
_VALUES = {
    name: f"SELECT {name}, {counted} FROM {table} WHERE {name} NOT IN (SELECT value FROM json_each(?)) GROUP BY 1"
    for name, (table, counted) in _PLACES.items()
}
