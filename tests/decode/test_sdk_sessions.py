"""What the SDK's own classes say of sessions, model calls and compactions is read back field by field."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fusionscope.store import read
from tests.conftest import Stage
from tests.decode.sdk import Sdk
from tests.decode.strategies import instances, some, words
from tests.decode.told import Writer, indexed, rounded

_TOKENS = {"input_tokens": "input_tokens", "output_tokens": "output_tokens", "cache_read_tokens": "cached_tokens",
           "cache_write_tokens": "cache_write_tokens"}  # fmt: skip
_whole_ms = st.integers(0, 10**9).map(lambda ms: timedelta(milliseconds=ms))


def _rows(stage: Stage, table: str) -> list[dict[str, Any]]:
    found = stage.connection.execute(f"SELECT * FROM {table} ORDER BY at")
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found]


def _assert_has(row: dict[str, Any], said: dict[str, Any]) -> None:
    assert {name: row[name] for name in said} == said


def _amount(made: Any) -> int | None:
    amount = getattr(made, "total_nano_aiu", None)
    return None if amount is None else rounded(amount)


def _status(made: Any) -> str | None:
    status = getattr(made, "ai_credits_status", None)
    return status and str(status.value)


def _tokens(made: Any) -> dict[str, int]:
    """A number that is not there is none."""
    return {ours: getattr(made, theirs) or 0 for theirs, ours in _TOKENS.items()}


@given(data=st.data())
@some
def test_a_session_is_read_back_as_the_sdk_has_it(fusion_sdk: Sdk, data: st.DataObject) -> None:
    writer = Writer(fusion_sdk, data)
    start = data.draw(instances(fusion_sdk, fusion_sdk.data("session.start"), {"context", "selected_model"}))
    among = {"total_nano_aiu", "_accounting_snapshot", "usage_accounting_watermarks"}
    end = data.draw(instances(fusion_sdk, fusion_sdk.data("session.shutdown"), among, total_api_duration=_whole_ms))
    started_at = writer.write("session.start", start)
    writer.write("session.shutdown", end)
    with indexed(writer.log) as stage:
        (session,) = read.sessions(stage.connection)
        totals = json.loads(_rows(stage, "session_mark")[1]["totals"])
    context = start.context
    assert session.started_at == started_at
    assert (session.cli_version, session.selected_model) == (start.copilot_version, start.selected_model)
    assert (session.repository, session.branch) == (context and context.repository, context and context.branch)
    assert totals == {
        "nano_aiu": _amount(end),
        "credits_status": _status(getattr(end, "_accounting_snapshot", None)),
        "session_started_at": end.session_start_time,
        "covers": sorted(getattr(end, "usage_accounting_watermarks", None) or {}),
        "models": {
            model: _tokens(metric.usage) | {"requests": metric.requests.count, "nano_aiu": _amount(metric)}
            for model, metric in end.model_metrics.items()
        },
    }


@given(data=st.data())
@some
def test_a_compaction_is_read_back_as_the_sdk_has_it(fusion_sdk: Sdk, data: st.DataObject) -> None:
    writer = Writer(fusion_sdk, data)
    used = instances(fusion_sdk, fusion_sdk.type("CompactionCompleteCompactionTokensUsed"), duration=st.none() | _whole_ms)
    among = {"trigger"}
    cls = fusion_sdk.data("session.compaction_complete")
    made = data.draw(instances(fusion_sdk, cls, among, compaction_tokens_used=st.none() | used))
    writer.write("session.compaction_complete", made)
    with indexed(writer.log) as stage:
        (row,) = _rows(stage, "compaction")
    usage = made.compaction_tokens_used
    _assert_has(row, {"success": int(made.success), "trigger": getattr(made, "trigger", None) and made.trigger.value})
    if usage:
        _assert_has(row, _tokens(usage) | {"nano_aiu": _amount(usage._copilot_usage), "credits_status": _status(usage)})


@given(data=st.data())
@some
def test_a_usage_record_is_read_back_as_the_sdk_has_the_live_event(fusion_sdk: Sdk, data: st.DataObject) -> None:
    """`session.usage_record` is in no SDK; its usage is that of `assistant.usage`, as the schema of CLI 1.0.102 says."""
    writer = Writer(fusion_sdk, data)
    among = {"accounting", "ai_credits_status", "api_call_id", "copilot_usage", "fusion", "is_byok", "duration", *_TOKENS}
    attribution = st.none() | instances(fusion_sdk, fusion_sdk.type("FusionAttribution"), fusion_id=words)
    cls = fusion_sdk.data("assistant.usage")
    usage = data.draw(instances(fusion_sdk, cls, among, duration=st.none() | _whole_ms, fusion=attribution))
    writer.write("session.usage_record", {"usage": usage.to_dict()})
    with indexed(writer.log) as stage:
        (row,) = _rows(stage, "model_call")
        assert stage.turns() == []
    accounting = getattr(usage, "accounting", None)
    _assert_has(
        row,
        _tokens(usage)
        | {
            "model": usage.model,
            "duration_ms": None if usage.duration is None else usage.duration / timedelta(milliseconds=1),
            "fusion_id": usage.fusion and usage.fusion.fusion_id,
            "phase_id": usage.fusion and usage.fusion.phase_id,
            "nano_aiu": usage.copilot_usage and _amount(usage.copilot_usage),
            "credits_status": _status(usage),
            "byok": int(getattr(usage, "is_byok", None) or False),
            "call_id": usage.api_call_id,
            "usage_id": accounting and accounting.usage_id,
            "source_session_id": accounting and accounting.source_session_id,
        },
    )
