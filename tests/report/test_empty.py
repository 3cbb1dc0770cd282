"""An empty answer always has a named cause."""

from __future__ import annotations

from typing import Any

from fusionscope.report.empty import LookedIn, asked_sentence, why_empty
from fusionscope.store.drift import NO_DRIFT, Drift
from fusionscope.store.seen import Asked, Seen

ROOT = LookedIn("/r/session-state", "given with --root", "there")
LOOKED = "Looked in /r/session-state (given with --root)."


def seen(**fields: Any) -> Seen:
    """What was seen in a store without anything, but for ``fields``."""
    nothing: dict[str, Any] = dict.fromkeys(Seen._fields, 0)
    nothing.update(
        cli_versions={}, clients={}, fusion_events={}, asked=[], unknown_types={}, drift=NO_DRIFT, contract=None, skipped={}
    )
    return Seen(**{**nothing, **fields})


def test_no_root_is_a_cause() -> None:
    missing = ROOT._replace(condition="missing")
    assert why_empty([missing], seen(), 0) == (
        "No session log yet. Looked in /r/session-state (given with --root), which is not there."
    )
    assert ", which may not be read." in why_empty([ROOT._replace(condition="unreadable")], seen(), 0)


def test_no_session_is_a_cause_and_forgotten_ones_are_said() -> None:
    assert why_empty([ROOT], seen(), 0) == f"No session log yet. {LOOKED}"
    assert why_empty([ROOT], seen(forgotten=2), 0) == (
        f"No session log yet. 2 sessions forgotten, and not read again. {LOOKED}"
    )


def test_sessions_without_fusion_events_are_a_cause() -> None:
    assert why_empty([ROOT], seen(sessions=1, logs=1), 0) == (
        f"No Fusion turn yet: 1 session log, none with a Fusion event. {LOOKED}"
    )


def test_logs_that_may_not_be_read_are_a_cause() -> None:
    assert why_empty([ROOT], seen(sessions=2, logs=2), 2) == (
        f"No Fusion turn can be shown: this user may not read all 2 session logs. {LOOKED}"
    )
    assert why_empty([ROOT], seen(sessions=1, logs=1), 1) == (
        f"No Fusion turn can be shown: this user may not read the only session log. {LOOKED}"
    )
    assert "; 1 log may not be read. " in why_empty([ROOT], seen(sessions=2, logs=2), 1)


def test_fusion_events_that_are_all_unknown_are_a_cause() -> None:
    new = seen(sessions=1, logs=1, drift=Drift({}, {"session.fusion_v2": 7}, None))
    assert why_empty([ROOT], new, 0).startswith(
        "No Fusion turn yet: 1 session log, none with a Fusion event that is known;"
        " not known to this release: event type fusion_v2 (7 events)"
    )


def test_a_request_for_fusion_that_came_to_nothing_is_a_cause() -> None:
    asked = Asked("hydrafusion", 2, 2, False)
    assert asked_sentence(asked) == (
        "2 sessions asked for hydrafusion, which ran nothing itself here, and got no Fusion event: nothing answered"
    )
    assert asked_sentence(asked) in why_empty([ROOT], seen(sessions=2, logs=2, asked=[asked]), 0)
    assert asked_sentence(Asked("hydrafusion", 3, 1, True)) == (
        "3 sessions asked for hydrafusion and got no Fusion event: nothing answered in 1, another model in the others"
    )
    assert asked_sentence(Asked("auto", 1, 0, False)).endswith("got no Fusion event: another model answered")


def test_every_root_that_was_looked_in_is_named_safely() -> None:
    text = why_empty([ROOT, LookedIn("/r\x1b[2J\udcff", "given with --root", "there")], seen(), 0)
    assert text.endswith("Looked in /r/session-state (given with --root); /r\ufffd[2J\ufffd (given with --root).")
