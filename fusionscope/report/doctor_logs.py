"""Verdicts on what the logs say: sessions and turns, versions and clients, and what of it is not known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fusionscope.model import UNKNOWN
from fusionscope.report.doctor_findings import Check, Findings, Verdict
from fusionscope.report.drift import listed, spelled
from fusionscope.report.empty import asked_sentence, why_empty
from fusionscope.report.text import count, plural, shown
from fusionscope.store.seen import Seen
from fusionscope.vocabulary import CONTRACT_VERSION

__all__ = ["checks"]

_MOST_NAMES = 8


def checks(found: Findings) -> Iterator[Check]:
    """Return the verdicts."""
    seen = found.seen
    yield _turns(found)
    yield from _asked(seen)
    yield Check("CLI versions", Verdict.OK, _versions(seen.cli_versions))
    yield Check("clients", Verdict.OK, _sessions_by(seen.clients))
    read = [f"{count(number)} {name}" for name, number in seen.fusion_events.items() if number]
    yield Check("Fusion events", Verdict.OK, ", ".join(read) or "none read")
    yield _event_types(seen)
    yield _words(seen)
    yield _contract(seen)
    yield _skipped(seen)


def _turns(found: Findings) -> Check:
    seen = found.seen
    if not seen.turns:
        return Check("turns", Verdict.LOOK, why_empty(found.roots, seen, len(found.unreadable_logs)).rstrip("."))
    where = f"in {count(seen.fused)} of {plural(seen.sessions, 'session')}"
    forgotten = f", {count(seen.forgotten)} forgotten" if seen.forgotten else ""
    return Check("turns", Verdict.OK, f"{plural(seen.turns, 'turn')} {where}{forgotten}")


def _asked(seen: Seen) -> Iterator[Check]:
    """A name that only others answered for may be any router's: worth a look where nothing answered, or Fusion was meant."""
    for asked in seen.asked:
        verdict = Verdict.LOOK if asked.synthetic or asked.unanswered else Verdict.OK
        yield Check("asked", verdict, asked_sentence(asked))


def _versions(numbers: Mapping[str, int]) -> str:
    said = _sessions_by({name: number for name, number in numbers.items() if name != UNKNOWN})
    if UNKNOWN not in numbers:
        return said
    return f"{said}; not said of a part of {plural(numbers[UNKNOWN], 'session')}: a resume does not name it"


def _sessions_by(numbers: Mapping[str, int]) -> str:
    named = [f"{shown(name, 40)} ({plural(number, 'session')})" for name, number in numbers.items()]
    return listed(named, _MOST_NAMES) if named else "none seen"


def _event_types(seen: Seen) -> Check:
    if not seen.unknown_types:
        return Check("event types", Verdict.OK, "all known")
    fusion_first = sorted(seen.unknown_types.items(), key=lambda item: (".fusion_" not in item[0], -item[1], item[0]))
    names = listed((f"{shown(name, 60)} ({count(number)})" for name, number in fusion_first), _MOST_NAMES)
    if seen.drift.types:
        return Check("event types", Verdict.LOOK, f"not known: {names}; a newer Fusionscope may know them")
    return Check("event types", Verdict.OK, f"not known, and none of Fusion: {names}")


def _words(seen: Seen) -> Check:
    words = {word: turns for word, turns in seen.drift.words.items() if not word.startswith("contract ")}
    if not words:
        return Check("words", Verdict.OK, "all values and fields of Fusion events are known")
    most_first = sorted(words.items(), key=lambda item: (-item[1], item[0]))
    names = listed((f"{spelled(word)} ({plural(turns, 'turn')})" for word, turns in most_first), _MOST_NAMES)
    sentence = f"not known: {names}; values are shown as they are, fields are not read; a newer Fusionscope may know them"
    return Check("words", Verdict.LOOK, sentence)


def _contract(seen: Seen) -> Check:
    if seen.contract is None:
        return Check("contract", Verdict.OK, f"none seen; this release knows version {CONTRACT_VERSION}")
    if seen.drift.contract is not None:
        sentence = (
            f"newer contract: version {seen.drift.contract}, this release knows {CONTRACT_VERSION}; what it shows of such turns"
            " may be incomplete: update Fusionscope"
        )
        return Check("contract", Verdict.LOOK, sentence)
    return Check("contract", Verdict.OK, f"version {seen.contract}, which this release knows")


def _skipped(seen: Seen) -> Check:
    if not seen.skipped:
        return Check("skipped", Verdict.OK, "every record could be used")
    reasons = listed((f"{shown(reason, 60)} ({count(number)})" for reason, number in seen.skipped.items()), _MOST_NAMES)
    total = plural(sum(seen.skipped.values()), "record")
    return Check(
        "skipped", Verdict.LOOK, f"{total} could not be used, or not wholly: {reasons}; `fusionscope skipped` lists them"
    )
