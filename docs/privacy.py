"""The generated parts of ``docs/PRIVACY.md``: what is decoded and why, and what of the same events is not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from docs.fields import data_of, event_types, leaves, passed_over
from docs.reasons import REASONS
from docs.samples import SAMPLES, records
from fusionscope.decode.events import DECODERS
from fusionscope.report.markdown import code, table
from fusionscope.vocabulary import ORDINARY_TYPES, UNREAD_FIELDS

__all__ = ["privacy_parts"]


def privacy_parts() -> dict[str, list[str]]:
    """Return the parts by name.

    Raises:
        KeyError: a field has no reason.
    """
    return {"decoded": list(_decoded()), "passed-over": _passed_over(), "unread-types": _unread_types()}


def _decoded() -> Iterator[str]:
    for struct, kinds in event_types().items():
        rows = [(code(leaf.path), REASONS[leaf.owner][leaf.name]) for leaf in leaves(struct)]
        yield f"### {', '.join(map(code, kinds))}"
        yield ""
        yield from table(("field", "why"), rows)
        yield ""


def _passed_over() -> list[str]:
    """What the samples and the published schemas have in the events that are read, less what is read."""
    seen: dict[str, set[str]] = {kind: set(UNREAD_FIELDS.get(kind, ())) for kind in DECODERS}
    for record in chain.from_iterable(map(records, SAMPLES)):
        if (kind := record["type"]) in seen:
            seen[kind] |= set(passed_over(record["data"], data_of(kind)))
    rows = [(code(kind), ", ".join(map(code, sorted(names)))) for kind, names in seen.items() if names]
    return table(("event", "fields that are passed over"), rows)


def _unread_types() -> list[str]:
    return [", ".join(code(kind) for kind in sorted(ORDINARY_TYPES)) + "."]
