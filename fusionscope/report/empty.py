"""Why there is nothing to show: an empty answer always has a named cause."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fusionscope.report.drift import drift_sentence
from fusionscope.report.text import count, plural, shown
from fusionscope.store.seen import Asked, Seen

__all__ = ["LookedIn", "asked_sentence", "why_empty"]

_LONGEST_PATH = 4_096


class LookedIn(NamedTuple):
    """A root that was looked in, why, and its condition: ``there``, ``missing``, ``unreadable`` or ``no directory``."""

    path: str
    why: str
    condition: str

    @property
    def words(self) -> str:
        """The root with its reason and with what is wrong with it."""
        path = shown(self.path, _LONGEST_PATH)
        return f"{path} ({shown(self.why, _LONGEST_PATH)}){_CONDITIONS.get(self.condition, '')}"


_CONDITIONS = {
    "missing": ", which is not there",
    "unreadable": ", which may not be read",
    "no directory": ", which is no directory",
}


def why_empty(looked_in: Sequence[LookedIn], seen: Seen, unreadable: int) -> str:
    """Return why there is no Fusion turn: no root, no log, none that can be read, or none with an event that is known.

    ``unreadable`` is the number of logs that may not be read.
    """
    looked = f"Looked in {'; '.join(root.words for root in looked_in)}."
    if not seen.sessions:
        forgotten = f" {plural(seen.forgotten, 'session')} forgotten, and not read again." if seen.forgotten else ""
        return f"No session log yet.{forgotten} {looked}"
    if unreadable and unreadable >= seen.logs:
        whole = "the only session log" if unreadable == 1 else f"all {count(unreadable)} session logs"
        return f"No Fusion turn can be shown: this user may not read {whole}. {looked}"
    said = [f"No Fusion turn yet: {plural(seen.sessions, 'session log')}, none with a Fusion event"]
    if drifted := drift_sentence({}, seen.drift.types):
        said[0] += " that is known"
        said.append(drifted)
    if unreadable:
        said.append(f"{plural(unreadable, 'log')} may not be read")
    said += [asked_sentence(asked) for asked in seen.asked]
    return f"{'; '.join(said)}. {looked}"


def asked_sentence(asked: Asked) -> str:
    """Return which sessions asked for Fusion, as far as can be told, and got none."""
    model = shown(asked.model, 60)
    who = f"{plural(asked.sessions, 'session')} asked for {model}"
    guess = "" if asked.synthetic else ", which ran nothing itself here,"
    return f"{who}{guess} and got no Fusion event: {_instead(asked)}"


def _instead(asked: Asked) -> str:
    if asked.unanswered == asked.sessions:
        return "nothing answered"
    if not asked.unanswered:
        return "another model answered"
    return f"nothing answered in {count(asked.unanswered)}, another model in the others"
