from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import fusionscope
from fusionscope.export import identity

if TYPE_CHECKING:
    import pytest


def test_the_installation_is_known_by_host_and_root_and_says_neither() -> None:
    found = identity.instance_id("/home/ann/.copilot/session-state", "Laptop")
    assert found == identity.instance_id("/home/ann/.copilot/session-state", "laptop")
    assert found != identity.instance_id("/home/bob/.copilot/session-state", "laptop")
    assert found != identity.instance_id("/home/ann/.copilot/session-state", "desktop")
    assert UUID(found).version == 5
    assert identity.instance_id("/x\udcff", "h") != identity.instance_id("/x\udcfe", "h")


def test_the_installation_of_a_known_place_never_changes() -> None:
    assert identity.instance_id("/root", "host") == "0433cf18-26dc-534c-b916-f6b6142a7e0f"


def test_spans_carry_the_version_and_metrics_only_what_is_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=other,secret=1")
    instance = identity.instance_id("/root", "host")
    metrics = {"service.name": "fusionscope", "service.instance.id": instance}
    assert dict(identity.metric_resource("/root", "host").attributes) == metrics
    assert dict(identity.resource("/root", "host").attributes) == {**metrics, "service.version": fusionscope.__version__}
