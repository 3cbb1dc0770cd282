from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from fusionscope import ids

if TYPE_CHECKING:
    import pytest


def sha1(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()


def test_ids_are_cut_from_hashes_of_the_ids_of_the_log() -> None:
    assert f"{ids.trace_id('f1'):032x}" == sha1("trace:f1")[:32]
    assert f"{ids.root_span_id('f1'):016x}" == sha1("span:f1:root")[:16]
    assert f"{ids.leg_span_id('f1', ('f1:p0', 2)):016x}" == sha1("span:f1|f1:p0|2")[:16]
    assert f"{ids.tool_span_id('s1', 'c1'):016x}" == sha1("span:s1|c1")[:16]
    assert f"{ids.tool_span_id('s1', 'c1', 2):016x}" == sha1("span:s1|c1|2")[:16]


def test_the_ids_of_the_public_turn_never_change() -> None:
    cascade = "fusion-fa51fa07-905f-4e5a-8567-79bfa8c0da00"
    assert f"{ids.trace_id(cascade):032x}" == "0f479f4eedd568f7f1811a9f4b16745b"
    assert f"{ids.root_span_id(cascade):016x}" == "b39c6d0b4fb59d8b"
    assert f"{ids.leg_span_id(cascade, (cascade + ':judge', 0)):016x}" == "297fc9be3db316d4"


def test_an_id_is_never_all_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ids, "_sha1", lambda text: "0" * 16 + "7" * 24 if text.endswith(":root") else "a" * 40)
    assert ids.root_span_id("f1") == 0xAAAAAAAAAAAAAAAA


def test_an_id_that_is_no_valid_unicode_has_a_hash_too() -> None:
    assert ids.trace_id("f\ud800") != ids.trace_id("f\ud801")
