"""`up --no-backfill`: what ended before the database was made is not sent, everything after that is."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

from tests.conftest import Stage
from tests.daemon import Daemon, run
from tests.export.receiver import Receiver, values
from tests.follow.live import until
from tests.logs import Log, place


def a_turn_before() -> Log:
    return Log("old", "2026-09-01T10:00:00").turn("before")


def a_turn_after() -> Log:
    return Log("new", (datetime.now(UTC) + timedelta(hours=1)).replace(tzinfo=None).isoformat()).turn("after")


def turns_sent(receiver: Receiver) -> set[object]:
    return {values(span.attributes).get("github.copilot.fusion.id") for span in receiver.spans}


def test_turns_that_ended_before_the_database_was_made_are_not_sent(stage: Stage) -> None:
    place(stage.root, a_turn_before())
    with Receiver() as receiver, Daemon(stage, "--otlp", receiver.url, "--no-backfill"):
        until(lambda: len(stage.turns()) == 1)
        place(stage.root, a_turn_after())
        until(lambda: len(receiver.spans) == 4 and bool(receiver.metrics))
        assert turns_sent(receiver) == {"after"}
    assert {len(metric.gauge.data_points) for metric in receiver.metrics} <= {1, 3}


def test_they_are_not_sent_later_either(stage: Stage) -> None:
    place(stage.root, a_turn_before())
    with Receiver() as receiver:
        with Daemon(stage, "--otlp", receiver.url, "--no-backfill"):
            until(lambda: "0 turns waiting" in run(stage, "status").stdout)
        sent = run(stage, "export", "--otlp", receiver.url)
    assert sent.stdout.startswith("Sent 0 turns")
    assert not receiver.spans


def test_without_it_all_are_sent(stage: Stage) -> None:
    place(stage.root, a_turn_before())
    with Receiver() as receiver, Daemon(stage, "--otlp", receiver.url):
        until(lambda: len(receiver.spans) == 4)
        assert turns_sent(receiver) == {"before"}


@pytest.mark.parametrize(("value", "sent"), [("false", {"after"}), ("true", {"before", "after"}), ("", {"before", "after"})])
def test_the_environment_says_it_too(stage: Stage, monkeypatch: pytest.MonkeyPatch, value: str, sent: set[str]) -> None:
    monkeypatch.setitem(os.environ, "FUSIONSCOPE_BACKFILL", value)
    for log in (a_turn_before(), a_turn_after()):
        place(stage.root, log)
    with Receiver() as receiver, Daemon(stage, "--otlp", receiver.url):
        until(lambda: len(receiver.spans) == 4 * len(sent))
        assert turns_sent(receiver) == sent


def test_a_word_that_is_neither_yes_nor_no_is_told(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "FUSIONSCOPE_BACKFILL", "sometimes")
    assert run(stage, "up", "--otlp", "http://localhost:4318", code=1).stderr == (
        "fusionscope: FUSIONSCOPE_BACKFILL must be true or false.\n"
    )
