"""What becomes of the bytes of a log: torn, glued, dirty, hostile, long, replaced."""

from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path

import pytest

from fusionscope.decode.events import DECODERS
from fusionscope.ingest import log as ingest_log
from fusionscope.store import read
from tests.conftest import Stage
from tests.logs import CREDIT, Log, a_turn, place

WHOLE = 25 * CREDIT // 2


def test_a_half_line_at_the_end_waits_for_its_other_half(stage: Stage) -> None:
    whole = bytes(a_turn())
    path = place(stage.root, whole[:-40])
    stage.index()
    assert (stage.turn().state, stage.skipped()) == ("open", 0)
    with path.open("ab") as file:
        file.write(whole[-40:])
    stage.index()
    assert (stage.turn().state, stage.turn().nano_aiu, stage.skipped()) == ("completed", WHOLE, 0)


def test_nul_bytes_after_the_last_line_count_once_and_hide_nothing(stage: Stage) -> None:
    log = a_turn()
    path = place(stage.root, bytes(log) + b"\0" * 1000)
    stage.index()
    stage.index()
    assert (len(stage.turns()), stage.reasons()) == (1, ["NUL bytes"])
    # the CLI replaces the file by its good lines and goes on (1.0.84 and 1.0.102)
    path.unlink()
    path.write_bytes(bytes(log.turn("f2")))
    stage.index()
    assert (len(stage.turns()), stage.reasons()) == (2, ["NUL bytes"])


def test_a_record_after_nul_bytes_is_read(stage: Stage) -> None:
    lines = a_turn().lines
    place(stage.root, b"".join(lines[:8]) + b"\0" * 70_000 + lines[8])
    stage.index()
    assert (stage.turn().state, stage.skipped()) == ("completed", 1)


def test_a_record_glued_to_half_of_another_is_recovered_and_the_line_counts_as_bad(stage: Stage) -> None:
    lines = a_turn().lines
    place(stage.root, b"".join([*lines[:3], lines[3][:100] + lines[4], *lines[5:]]))
    stage.index()
    turn = stage.turn()
    assert stage.skipped() == 1
    assert [leg.kind for leg in turn.legs] == ["judge", "repair"]
    assert (turn.missing_legs, turn.nano_aiu, turn.difference_nano_aiu) == (1, WHOLE, CREDIT // 2)


@pytest.mark.parametrize("length", [300, 400_000], ids=["short", "longer than a block"])
def test_a_fusion_record_glued_to_half_an_ordinary_one_is_recovered(stage: Stage, length: int) -> None:
    lines = a_turn().lines
    half = b'{"type":"tool.execution_complete","data":{"result":{"content":"' + b"x" * length
    place(stage.root, b"".join([*lines[:4], half + lines[4], *lines[5:]]))
    stage.index()
    assert [leg.kind for leg in stage.turn().legs] == ["primary", "judge", "repair"]
    assert stage.reasons() == ["not JSON"]


def test_a_fusion_record_quoted_in_a_tool_result_or_nested_in_arguments_is_no_record(stage: Stage) -> None:
    log = a_turn()
    other = json.loads(a_turn("f9").lines[8])
    log.event("tool.execution_complete", result={"content": log.lines[8].decode()})
    log.event("tool.execution_start", arguments=other)
    log.event("tool.execution_start", arguments=[other, other])
    place(stage.root, log)
    stage.index()
    assert (stage.turn().fusion_id, stage.skipped()) == ("f1", 0)


@pytest.mark.parametrize("kind", ["tool.execution_start", "tool.execution_complete", "assistant.message", "assistant.turn_end"])
def test_a_record_glued_to_half_an_ordinary_one_is_recovered(stage: Stage, kind: str) -> None:
    lines = a_turn().lines
    half = Log("x").event(kind, toolCallId="c", arguments={"a": "b" * 200})[:150]
    place(stage.root, b"".join([*lines[:3], half + lines[3], *lines[4:]]))
    stage.index()
    assert ([leg.kind for leg in stage.turn().legs], stage.reasons()) == (["primary", "judge", "repair"], ["not JSON"])


def test_only_byte_0a_ends_a_line(stage: Stage) -> None:
    log = Log()
    log.resolved("f1", "single")
    log.leg("f1", 0, "primary", "m", 1, content="a\u2028b\u2029c\x85d\x0be\r")
    place(stage.root, log)
    stage.index()
    assert (len(stage.turn().legs), stage.skipped()) == (1, 0)


def test_carriage_returns_a_byte_order_mark_blank_lines_and_spaces_change_nothing(stage: Stage) -> None:
    lines = a_turn().lines
    place(stage.root, b"\xef\xbb\xbf" + b"\n\r\n  \n".join(line.rstrip(b"\n") + b" \r" for line in lines) + b"\n")
    stage.index()
    assert (len(stage.turn().legs), stage.turn().state, stage.skipped()) == (3, "completed", 0)


def test_every_line_three_times_is_the_same_as_once(stage: Stage) -> None:
    place(stage.root, b"".join(line * 3 for line in a_turn().lines))
    stage.index()
    assert (len(stage.turn().legs), stage.nano_aiu()) == (3, WHOLE)


def test_another_order_of_keys_and_spaces_between_them_are_read_the_slow_way(stage: Stage) -> None:
    records = [json.loads(line) for line in a_turn().lines]
    place(stage.root, b"".join(json.dumps(dict(reversed(record.items()))).encode() + b"\n" for record in records))
    stage.index()
    assert (len(stage.turn().legs), stage.nano_aiu(), stage.skipped()) == (3, WHOLE, 0)


@pytest.mark.parametrize(
    "line",
    [b"null", b"[]", b'"x"', b"{}", b'{"type":5}', b'{"type":"session.fusion_completed","data":null}',
     b'{"type":"session.fusion_completed"}', b"not JSON", b"[" * 200_000,
     b'{"type":"session.fusion_resolved","data":' + b"[" * 200_000,
     b"\xff\xfe\x00", b'{"type":"session.fusion_'],
)  # fmt: skip
def test_a_line_that_is_no_event_costs_that_line_and_is_counted(stage: Stage, line: bytes) -> None:
    lines = a_turn().lines
    place(stage.root, b"".join([*lines[:4], line + b"\n", *lines[4:]]))
    stage.index()
    assert (stage.turn().state, stage.nano_aiu(), stage.skipped()) == ("completed", WHOLE, 1)
    (record,) = read.skipped_records(stage.connection)
    assert (record.position, record.length) == (len(b"".join(lines[:4])), len(line))


@pytest.mark.parametrize("amount", ["1e400", "-1", "1180591620717411303424", "9007199254740992", '"5"', "true", "1e300"])
def test_an_amount_that_cannot_be_true_is_unknown_and_counted_and_its_leg_is_kept(stage: Stage, amount: str) -> None:
    lines = a_turn().lines
    bad = lines[4].replace(b'"totalNanoAiu":2000000000', b'"totalNanoAiu":' + amount.encode())
    assert bad != lines[4]
    place(stage.root, b"".join([*lines[:4], bad, *lines[5:]]))
    stage.index()
    legs = [(leg.kind, leg.nano_aiu) for leg in stage.turn().legs]
    assert legs == [("primary", CREDIT // 2), ("judge", None), ("repair", 10 * CREDIT)]
    assert (stage.nano_aiu(), stage.turn().reported_nano_aiu, stage.skipped()) == (WHOLE, WHOLE, 1)


@pytest.mark.parametrize(
    ("amount", "nano_aiu"),
    [("2.5", 3), ("2.4999", 2), ("0.5", 1), ("11686960000.0", 11_686_960_000), ("9007199254740991", 2**53 - 1), ("null", None)],
)
def test_a_fractional_amount_is_rounded_half_up_once(stage: Stage, amount: str, nano_aiu: int | None) -> None:
    log = Log()
    log.leg("f1", 0, "primary", "m", 77)
    place(stage.root, bytes(log).replace(b'"totalNanoAiu":77', b'"totalNanoAiu":' + amount.encode()))
    stage.index()
    assert stage.turn().legs[0].nano_aiu == nano_aiu


@pytest.mark.parametrize("stamp", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59", "yesterday", "2026-13-01T00:00:00Z"])
def test_a_time_that_cannot_be_true_costs_that_record_and_is_counted(stage: Stage, stamp: str) -> None:
    log = a_turn()
    log.leg("f1", 3, "revision", "m", 1)
    log.lines[-1] = log.lines[-1].replace(b'"timestamp":"2026-11-30T10:00:10.000Z"', f'"timestamp":"{stamp}"'.encode())
    place(stage.root, log)
    stage.index()
    assert (len(stage.turn().legs), stage.skipped()) == (3, 1)


def test_half_an_emoji_in_the_text_of_a_leg_does_not_cost_the_leg(stage: Stage) -> None:
    lines = a_turn().lines
    lines[4] = lines[4].replace(b'"content":"x"', rb'"content":"\ud83d and \\ud83d \ud83d\ude00"')
    place(stage.root, b"".join(lines))
    stage.index()
    assert (len(stage.turn().legs), stage.skipped()) == (3, 0)


def test_an_event_without_an_id_is_known_by_its_bytes(stage: Stage) -> None:
    record = json.loads(a_turn().lines[3])
    del record["id"]
    line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
    place(stage.root, line + line)
    stage.index()
    assert len(stage.turn().legs) == 1


def test_unknown_event_types_are_counted_by_name_and_once(stage: Stage) -> None:
    log = a_turn()
    log.event("session.fusion_debated", fusionId="f1")
    log.event("session.fusion_debated", fusionId="f1")
    log.event("words and \u202e no name")
    path = place(stage.root, log)
    stage.index()
    with path.open("ab") as file:
        file.write(log.event("session.fusion_debated"))
    stage.index()
    assert read.unknown_types(stage.connection) == {"(not a name)": 1, "session.fusion_debated": 3}
    assert stage.skipped() == 0


def test_an_ordinary_line_of_any_length_takes_no_memory(stage: Stage) -> None:
    lines = a_turn().lines
    path = place(stage.root, b"".join(lines[:4]))
    with path.open("ab") as file:
        file.write(b'{"type":"assistant.reasoning","data":{"content":"')
        for _ in range(30):
            file.write(b"x" * 1_000_000)
        file.write(b'"}}\n' + b"".join(lines[4:]))
    tracemalloc.start()
    stage.index()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (stage.turn().state, stage.skipped()) == ("completed", 0)
    assert peak < 8_000_000


def test_a_long_answer_outside_a_turn_is_read_and_one_over_the_limit_counts_as_skipped(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Log()
    log.event("assistant.message", model="m", interactionId="i1", content="x" * 3_000_000)
    log.event("assistant.message", model="m", interactionId="i2", content="x" * 5_000_000)
    monkeypatch.setattr(ingest_log, "LONGEST_TEXT", 4_000_000)
    place(stage.root, log.turn("f1"))
    stage.index()
    assert stage.connection.execute("SELECT interaction_id FROM reply").fetchall() == [("i1",)]
    assert (stage.turn().state, stage.reasons()) == ("completed", ["longer than 3 MiB"])


@pytest.mark.parametrize("start", [b'{"type":"session.fusion_completed","data":{"x":"', b"garbage "], ids=["wanted", "garbage"])
def test_a_line_over_the_limit_is_skipped_and_counted_and_the_rest_is_read(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, start: bytes
) -> None:
    monkeypatch.setattr(ingest_log, "LONGEST_LINE", 1_000_000)
    lines = a_turn().lines
    place(stage.root, b"".join([*lines[:4], start + b"x" * 3_000_000 + b'"}}\n', *lines[4:]]))
    stage.index()
    assert (stage.turn().state, stage.reasons()) == ("completed", ["longer than 0 MiB"])


def test_a_leg_with_a_long_answer_is_read(stage: Stage) -> None:
    log = Log()
    log.leg("f1", 0, "primary", "m", 5, content="word " * 500_000)
    place(stage.root, log)
    stage.index()
    assert stage.nano_aiu() == 5


def test_an_endless_line_is_not_read_again_from_its_start(stage: Stage) -> None:
    path = place(stage.root, bytes(a_turn()) + b'{"type":"assistant.reasoning","data":{"content":"' + b"x" * 3_000_000)
    first = stage.index()
    with path.open("ab") as file:
        file.write(b"y" * 1_000)
    second = stage.index()
    with path.open("ab") as file:
        file.write(b'"}}\n' + bytes(a_turn("f2")))
    stage.index()
    assert first.new_bytes > 3_000_000
    assert second.new_bytes <= 1_000 + (1 << 18)
    assert [turn.state for turn in stage.turns()] == ["completed", "completed"]


def test_a_name_of_the_log_that_is_no_regular_file_is_passed_over(stage: Stage) -> None:
    (stage.root / "a" / "events.jsonl").mkdir(parents=True)
    (stage.root / "b").mkdir()
    os.mkfifo(stage.root / "b" / "events.jsonl")
    place(stage.root, b"", "c")
    place(stage.root, a_turn())
    done = stage.index()
    assert (done.logs, done.problems, len(stage.turns())) == (2, [], 1)


def test_temporary_and_backup_copies_are_never_read(stage: Stage) -> None:
    path = place(stage.root, a_turn())
    for name in ("events.jsonl.tmp.1b4e28ba", "events.jsonl.backup-before-recovery-ab12", "events.jsonl.bak", "copy.jsonl"):
        path.with_name(name).write_bytes(bytes(a_turn("f2")))
    (stage.root / ".session-operation-locks").mkdir()
    (stage.root / ".DS_Store").touch()
    (stage.root / "empty").mkdir()
    done = stage.index()
    assert (done.logs, len(stage.turns())) == (1, 1)


def test_two_names_of_one_directory_are_one_session(stage: Stage) -> None:
    path = place(stage.root, a_turn())
    (stage.root / "0-link").symlink_to(path.parent, target_is_directory=True)
    (path.parent / "loop").symlink_to(stage.root, target_is_directory=True)
    done = stage.index()
    assert (done.logs, stage.turn().session_id) == (1, path.parent.name)


def test_a_directory_name_need_not_be_text(stage: Stage) -> None:
    directory = bytes(stage.root) + b"/\xff # %20"
    Path(os.fsdecode(directory)).mkdir()
    Path(os.fsdecode(directory), "events.jsonl").write_bytes(bytes(a_turn()))
    stage.index()
    assert stage.turn().session_id == "\\xff # %20"


def test_every_type_that_is_read_has_a_decoder_that_names_its_fields() -> None:
    assert len(DECODERS) == 18
    assert "content" not in str([decoder.type for decoder in DECODERS.values()])


@pytest.mark.parametrize("name", ["one-prompt-1.0.84", "one-prompt-1.0.102", "fork-1.0.102", "two-writers-1.0.102",
                                  "torn-tail-1.0.102-after", "rewind-1.0.102-after",
                                  "hydrafusion-refused-1.0.102"])  # fmt: skip
def test_real_logs_hold_no_unknown_type_and_no_bad_record(stage: Stage, samples: Path, name: str) -> None:
    place(stage.root, (samples / f"{name}.jsonl").read_bytes())
    stage.index()
    assert (stage.skipped(), read.unknown_types(stage.connection), stage.turns()) == (0, {}, [])
    (session,) = read.sessions(stage.connection)
    assert session.cli_version in ("1.0.84-4", "1.0.102")


def test_ingest_stays_small_enough_to_be_read_before_it_is_trusted() -> None:
    directory = Path(ingest_log.__file__).parent
    assert sum(len(path.read_text().splitlines()) for path in directory.glob("*.py")) < 600
