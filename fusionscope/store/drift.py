"""What the logs say that this release does not know: values, fields, event types, a newer contract."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from functools import lru_cache

from fusionscope.model import Leg
from fusionscope.vocabulary import CONTRACT_VERSION, ENUMERATIONS

__all__ = ["unknown_values", "unknown_words"]

_MISSING = "unknown"  # what the store writes where the log says nothing


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
        for value, turns in connection.execute(query):
            if word := _unknown(enumeration, value):
                found[word] += turns
    for text, turns in connection.execute("SELECT follow_up, count(*) FROM turn WHERE follow_up IS NOT NULL GROUP BY 1"):
        for word in {_unknown("follow_up", action) for action in json.loads(text).values()} - {None}:
            found[str(word)] += turns
    query = "SELECT contract_version, count(*) FROM turn WHERE contract_version > ? GROUP BY 1"
    for version, turns in connection.execute(query, (CONTRACT_VERSION,)):
        found[f"contract {version}"] += turns
    found.update(dict(connection.execute("SELECT word, count(DISTINCT fusion_id) FROM unknown_word GROUP BY word")))
    return dict(sorted(found.items()))


_VALUES = {
    "pattern": "SELECT pattern, count(*) FROM turn GROUP BY 1",
    "kind": "SELECT kind, count(DISTINCT fusion_id) FROM leg GROUP BY 1",
    "scope": "SELECT scope, count(DISTINCT fusion_id) FROM leg GROUP BY 1",
    "status": "SELECT status, count(DISTINCT fusion_id) FROM leg GROUP BY 1",
    "commit_kind": "SELECT commit_kind, count(*) FROM turn GROUP BY 1",
}
