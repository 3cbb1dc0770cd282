"""A field that cannot be used costs that field, not the event that has it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusionscope.decode.events import TYPES
from fusionscope.decode.line import Reading, read_line
from fusionscope.store.facts import LegEnd, Message
from tests.logs import Log

_USAGE = {"requestCount": 3, "inputTokens": 40, "outputTokens": 5, "cachedTokens": 30, "totalNanoAiu": 2_460}
_LEG: dict[str, Any] = {
    "fusionId": "f1", "phaseId": "f1:judge", "model": "m-big", "phaseKind": "judge", "role": "judge",
    "conversationScope": "review", "status": "succeeded", "verdict": "reject", "durationMs": 11_000, "usage": _USAGE,
}  # fmt: skip


def _read(**changed: Any) -> Reading:
    return read_line(Log().event("assistant.fusion_phase_completed", **(_LEG | changed)).rstrip(), "s")


@pytest.mark.parametrize(
    ("changed", "column", "said"),
    [
        ({"durationMs": -4}, "duration_ms", "durationMs: Expected `float` >= 0.0"),
        ({"durationMs": "11 s"}, "duration_ms", "durationMs: Expected `float | null`, got `str`"),
        ({"verdict": 7}, "verdict", "verdict: Expected `str | null`, got `int`"),
        ({"endedWithBackgroundWork": "no"}, "background_work", "endedWithBackgroundWork: Expected `bool | null`, got `str`"),
        ({"usage": _USAGE | {"inputTokens": -1}}, "input_tokens", "inputTokens: Expected"),
        ({"usage": _USAGE | {"totalNanoAiu": True}}, "nano_aiu", "totalNanoAiu: Expected"),
    ],
)
def test_a_field_that_cannot_be_used_is_unknown_and_said_and_all_others_are_read(
    changed: dict[str, Any], column: str, said: str
) -> None:
    reading, whole = _read(**changed), _read().fact
    assert isinstance(reading.fact, LegEnd)
    assert isinstance(whole, LegEnd)
    same = {"event_id": reading.fact.event_id, "at": reading.fact.at}
    assert reading.fact._asdict() == whole._asdict() | same | {column: None}
    assert reading.bad is not None
    assert reading.bad.startswith(f"unusable field: {said}")


def test_of_a_part_that_is_no_object_nothing_is_known() -> None:
    reading = _read(usage=[5])
    assert isinstance(reading.fact, LegEnd)
    assert (reading.fact.model, reading.fact.nano_aiu, reading.fact.input_tokens) == ("m-big", None, None)
    assert reading.bad == "unusable field: usage: Expected `object | null`, got `array`"


def test_two_fields_that_cannot_be_used_are_both_named() -> None:
    reading = _read(durationMs=-4, status=[])
    assert reading.bad is not None
    assert ("durationMs" in reading.bad, "status" in reading.bad) == (True, True)


def test_a_word_that_is_too_long_is_cut_which_is_nothing_bad() -> None:
    reading = _read(reason="x" * 513, model="y" * 600)
    assert isinstance(reading.fact, LegEnd)
    assert (reading.fact.reason, reading.fact.model, reading.bad) == ("x" * 511 + "…", "y" * 511 + "…", None)


@pytest.mark.parametrize("changed", [{"fusionId": 5}, {"fusionId": "i" * 513}, {"phaseId": ""}, {"model": None}, {"model": 7}])
def test_what_no_leg_can_be_without_costs_the_record(changed: dict[str, Any]) -> None:
    reading = _read(**changed)
    assert (reading.fact, bool(reading.bad)) == (None, True)


def test_a_message_whose_turn_cannot_be_told_is_not_taken_for_one_without_a_turn() -> None:
    attribution = {"fusionId": 5, "phaseId": "f1:judge"}
    reading = read_line(Log().event("assistant.message", model="m", fusion=attribution).rstrip(), "s")
    assert not isinstance(reading.fact, Message)
    assert (reading.fact, bool(reading.bad)) == (None, True)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)


@given(kind=st.sampled_from(sorted(TYPES)), data=st.data())
def test_whatever_the_fields_hold_it_is_a_fact_or_said_to_be_bad_and_never_an_error(kind: str, data: st.DataObject) -> None:
    names = TYPES[kind].__struct_encode_fields__
    fields = data.draw(st.fixed_dictionaries({}, optional=dict.fromkeys(names, _JSON)))
    line = json.dumps({"type": kind, "data": fields, "id": "e1", "timestamp": "2026-09-09T02:42:54Z"}, separators=(",", ":"))
    reading = read_line(line.encode(), "s")
    assert reading.fact is None or reading.fact.event_id == "e1"
    assert reading.bad is None or "\n" not in reading.bad
