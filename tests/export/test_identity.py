from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING
from uuid import UUID

import fusionscope
from fusionscope.export import identity

if TYPE_CHECKING:
    import pytest


def sha1(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()


def test_ids_are_cut_from_hashes_of_the_ids_of_the_log() -> None:
    assert f"{identity.trace_id('f1'):032x}" == sha1("trace:f1")[:32]
    assert f"{identity.root_span_id('f1'):016x}" == sha1("span:f1:root")[:16]
    assert f"{identity.leg_span_id('f1', ('f1:p0', 2)):016x}" == sha1("span:f1|f1:p0|2")[:16]


def test_the_ids_of_the_public_turn_never_change() -> None:
    cascade = "fusion-fa51fa07-905f-4e5a-8567-79bfa8c0da00"
    assert f"{identity.trace_id(cascade):032x}" == "0f479f4eedd568f7f1811a9f4b16745b"
    assert f"{identity.root_span_id(cascade):016x}" == "b39c6d0b4fb59d8b"
    assert f"{identity.leg_span_id(cascade, (cascade + ':judge', 0)):016x}" == "297fc9be3db316d4"


def test_an_id_is_never_all_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "_sha1", lambda text: "0" * 16 + "7" * 24 if text.endswith(":root") else "a" * 40)
    assert identity.root_span_id("f1") == 0xAAAAAAAAAAAAAAAA


def test_an_id_that_is_no_valid_unicode_has_a_hash_too() -> None:
    assert identity.trace_id("f\ud800") != identity.trace_id("f\ud801")


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
