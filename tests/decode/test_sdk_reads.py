"""The SDK reads what we show: the lines of the demo are events as its types have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fusionscope.demo import write_demo
from tests.decode.sdk import Sdk


def _without_nulls(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: _without_nulls(value) for name, value in data.items() if value is not None}
    return [_without_nulls(item) for item in data] if isinstance(data, list) else data


def test_the_sdk_reads_every_fusion_event_of_the_demo_and_says_the_same(fusion_sdk: Sdk, tmp_path: Path) -> None:
    read = set()
    for log in sorted(write_demo(tmp_path).glob("*/events.jsonl")):
        for record in map(json.loads, log.read_bytes().splitlines()):
            event = fusion_sdk.type("session_event_from_dict")(record)
            if ".fusion_" in record["type"] and event.type.value == record["type"]:
                read.add(record["type"])
                # an older version leaves out what it does not know
                written, said = _without_nulls(record["data"]), _without_nulls(event.data.to_dict())
                assert {name: written[name] for name in said} == said
                assert written.keys() == said.keys() or fusion_sdk.version in ("1.0.13", "1.0.20")
    assert read >= {"session.fusion_resolved", "assistant.fusion_phase_completed", "session.fusion_completed"}
