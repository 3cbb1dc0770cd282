"""Where things are: the answer of `fusionscope status`, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from fusionscope.report.text import count, local_time, plural, rfc3339, shown, size
from fusionscope.store.outbox import Delivery
from fusionscope.store.status import StoreStatus

__all__ = ["Status", "as_json", "as_text", "delivery_object", "delivery_words", "lines"]


class Status(NamedTuple):
    """Everything that is told. ``process`` follows the logs (0: it cannot be told which), or ``None`` does.

    ``looked_in`` are the roots that would be read now, with the reason for each.
    """

    database: Path
    process: int | None
    looked_in: Sequence[tuple[str, str]]
    store: StoreStatus
    deliveries: Sequence[Delivery]


def as_text(status: Status) -> str:
    """Return lines of at most two columns: a name, and what there is to say of it."""
    found = list(lines(status))
    width = max(len(name) for name, _ in found)
    return "\n".join(f"{name:<{width}}  {shown(value, limit=4_096)}".rstrip() for name, value in found)


def as_json(status: Status) -> str:
    """Return one JSON object. Moments are RFC 3339, sizes bytes."""
    store = status.store._asdict()
    store["roots"] = [root._asdict() for root in status.store.roots]
    store["last_turn_at"] = rfc3339(status.store.last_turn_at)
    return json.dumps(
        {
            "database": str(status.database),
            "followed_by": status.process,
            "looks_in": [{"path": path, "why": why} for path, why in status.looked_in],
            **store,
            "outbox": [delivery_object(delivery) for delivery in status.deliveries],
        },
        indent=2,
    )


def lines(status: Status) -> Iterator[tuple[str, str]]:
    """Give what there is to say as names and values; a value without a name of its own goes on with the one before."""
    store = status.store
    yield "database", f"{status.database}, {size(store.database_bytes)}"
    follower = {None: "nobody; every command reads what is new first", 0: "another process"}
    yield "followed by", follower.get(status.process, f"process {status.process}")
    for path, why in status.looked_in:
        yield "looks in", f"{path} ({why})"
    for root in store.roots:
        yield "root", f"{root.path}{'' if root.exists else ' (no longer there)'}"
        gone = f", {count(root.gone)} no longer on disk" if root.gone else ""
        yield "", f"{plural(root.logs, 'log')}{gone}; {size(root.unread_bytes)} not read yet"
    forgotten = f", {plural(store.forgotten_sessions, 'forgotten session')}" if store.forgotten_sessions else ""
    yield "sessions", f"{count(store.sessions)}{forgotten}"
    newest = f"; last event {local_time(store.last_turn_at)}" if store.last_turn_at else ""
    yield "turns", f"{count(store.turns)}, {count(store.open_turns)} open{newest}"
    listed = "; `fusionscope skipped` lists them" if store.skipped_records else ""
    yield "skipped records", f"{count(store.skipped_records)}{listed}"
    yield "unknown events", count(store.unknown_events)
    for delivery in status.deliveries:
        yield f"outbox {delivery.signal}", "; ".join(delivery_words(delivery))


def delivery_words(delivery: Delivery) -> Iterator[str]:
    """Return how sending one signal goes, in a few words each."""
    yield f"{plural(delivery.waiting, 'turn')} waiting, {count(delivery.sent)} sent"
    if delivery.parked:
        why = ", ".join(f"{reason} ({count(times)})" for reason, times in delivery.parked_why)
        yield f"{count(delivery.parked)} parked: {why}"
    if delivery.dropped:
        yield f"{count(delivery.dropped)} dropped"
    if delivery.lost:
        yield f"{count(delivery.lost)} parts thrown away by the endpoint"
    if not delivery.configured:
        yield "no endpoint"
    if delivery.stopped:
        yield f"stopped: {delivery.stopped}"
    elif delivery.failures:
        yield f"{plural(delivery.failures, 'failure')} in a row, next try {local_time(delivery.next_try_at)}"
        yield delivery.last_trouble or "no reason given"
    elif delivery.last_success_at:
        yield f"last success {local_time(delivery.last_success_at)}"


def delivery_object(delivery: Delivery) -> dict[str, object]:
    """Return a delivery for JSON, its moments in RFC 3339."""
    return {name: rfc3339(value) if name.endswith(("_at", "_since")) else value for name, value in delivery._asdict().items()}
