"""What the follower's container is made of: its health check on a real database, and the versions it installs."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from stack.follower.healthy import trouble
from tests.conftest import Stage
from tests.daemon import Daemon, run
from tests.export.receiver import Receiver
from tests.follow.live import until
from tests.stack.programs import ROOT


def status(stage: Stage) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(stage, "status", "--json").stdout)
    return found


def now() -> datetime:
    return datetime.now(UTC)


def test_a_follower_that_follows_and_sends_is_healthy(stage: Stage) -> None:
    with Receiver() as receiver, Daemon(stage, "--otlp", receiver.url):
        until(lambda: status(stage)["followed_by"] is not None)
        assert trouble(status(stage), now()) is None


def test_a_follower_that_is_gone_is_not(stage: Stage) -> None:
    assert trouble(status(stage), now()) == "Nobody follows the logs."


def _delivery(**facts: object) -> dict[str, Any]:
    quiet = {"signal": "metrics", "stopped": None, "failing_since": None, "last_trouble": None}
    return {"followed_by": 1, "outbox": [{**quiet, **facts}]}


def test_a_back_end_that_starts_again_is_waited_for_and_one_that_stays_away_is_told() -> None:
    failing = _delivery(failing_since="2026-09-09T00:00:00.000Z", last_trouble="nothing listens there")
    start = datetime(2026, 9, 9, tzinfo=UTC)
    assert trouble(failing, start + timedelta(minutes=10)) is None
    assert trouble(failing, start + timedelta(minutes=11)) == (
        "metrics could not be sent since 2026-09-09T00:00:00.000Z: nothing listens there."
    )


def test_sending_that_has_stopped_is_told() -> None:
    assert trouble(_delivery(stopped="it wants to know who asks"), now()) == (
        "metrics are no longer sent: it wants to know who asks."
    )


def pins(path: Path) -> dict[str, str]:
    return dict(re.findall(r"^(\S+)==([^ ;\\]+)", path.read_text(encoding="utf-8"), re.MULTILINE))


def test_the_image_has_the_versions_that_the_tests_have() -> None:
    image, tests = pins(ROOT / "stack/follower/requirements.lock"), pins(ROOT / "requirements.lock")
    assert image.items() <= tests.items()


@pytest.mark.parametrize("package", ["msgspec", "watchfiles", "opentelemetry-sdk", "requests", "hatchling"])
def test_the_image_has_what_the_program_needs(package: str) -> None:
    assert package in pins(ROOT / "stack/follower/requirements.lock")


def test_the_image_has_nothing_that_only_tests_need() -> None:
    assert not {"pytest", "mypy", "hypothesis", "ruff"} & set(pins(ROOT / "stack/follower/requirements.lock"))
