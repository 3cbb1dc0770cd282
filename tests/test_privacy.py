"""No text of a person or a model gets past the decoder: not into the store, not into any output, not into OTLP."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.export.receiver import Receiver
from tests.logs import CREDIT, Log, place

SECRET = "the-secret-of-mrs-dalloway"


def _a_log_full_of_secrets() -> Log:
    """Every text field of log-format.md that we know of, in every event that we read and in those beside them."""
    text = f"a {SECRET} b"
    log = Log()
    log.start(context={"cwd": f"/home/{SECRET}", "gitRoot": f"/home/{SECRET}", "repository": "acme/w", "branch": "main"})
    log.event("user.message", content=text, transformedContent=text, attachments=[{"path": text}])
    log.event("system.message", content=text)
    log.resolved("f1", "cascade", hint=text, ruleName=text)
    log.event("assistant.message", content=text, toolRequests=[{"name": "bash", "arguments": {"command": text}}])
    log.event("tool.execution_start", toolCallId="c1", toolName="bash", arguments={"command": text})
    log.event("tool.execution_complete", toolCallId="c1", result={"content": text}, error={"message": text}, success=False)
    staged = {"assistantMessage": text, "toolName": "bash", "arguments": {"x": text}}
    log.leg("f1", 0, "primary", "m-small", CREDIT, content=text, projectionMessage=text, stagedTerminal=staged)
    log.leg("f1", 1, "judge", "m-big", CREDIT, "reject", content=text)
    log.event("session.fusion_handoff", fusionId="f1", sourcePhaseId="f1:p1", targetPhaseId="f1:p2", targetModel="m-big",
              message={"text": text})  # fmt: skip
    log.leg_failed("f1", 2, "repair", "m-big", CREDIT, errorMessage=text)
    log.leg("f1", 3, "repair", "m-big", CREDIT, content=text, futureField={"text": [text]})
    log.commit("f1", 3, "m-big")
    log.completed("f1", 3, "m-big", futureText=text)
    log.route_failed("a1", errorMessage=text)
    log.event("session.error", message=text)
    log.event("session.info", infoType="rewind", message=text)
    log.event("session.compaction_complete", summaryContent=text, checkpointPath=text)
    log.shutdown(codeChanges={"filesModified": [text]}, errorReason=text)
    log.lines.append(b'{"type":"session.fusion_completed","data":{"fusionId":"f2","x":"' + text.encode() + b'" torn\n')
    # torn right after an argument that looks like the start of a record
    torn = (
        b'{"type":"assistant.fusion_phase_completed","data":{"stagedTerminal":{"arguments":{"type":"'
        + SECRET.encode()
        + b'"}\n'
    )
    log.lines.append(torn)
    log.lines.append(f"{text} is not JSON\n".encode())
    log.lines.append(f'{{"type":"{text}","data":{{}}}}\n'.encode())
    log.lines.append(f'{{"type":"session.fusion_resolved","data":{{"fusionId":["{text}"]}}}}\n'.encode())
    return log


@pytest.fixture
def ran(tmp_path: Path) -> dict[str, bytes]:
    """Everything that leaves the program when it reads such a log, by where it went."""
    root, database = tmp_path / "session-state", tmp_path / "state" / "f.db"
    log = _a_log_full_of_secrets()
    place(root, log)
    (root / log.session_id / "workspace.yaml").write_text(f"name: {SECRET}\n")
    gone: dict[str, bytes] = {}
    with Receiver() as receiver:
        commands = [["index", "-v"], ["last"], ["turns"], ["turns", "--json"], ["turns", "--csv"], ["show", "f1"], ["summary"],
                    ["summary", "--json"], ["reconcile"], ["reconcile", "--json"],
                    ["turns", "--ordinary"], ["turns", "--ordinary", "--json"], ["skipped"], ["status"], ["status", "--json"],
                    ["doctor"], ["doctor", "--json"],
                    ["export", "--otlp", receiver.url, "--signal", "traces", "--signal", "metrics"]]  # fmt: skip
        for command in commands:
            done = subprocess.run(
                [sys.executable, "-m", "fusionscope", *command, "--root", str(root), "--db", str(database)],
                capture_output=True, timeout=60, check=True, env=dict(os.environ),
            )  # fmt: skip
            gone[" ".join(command)] = done.stdout + done.stderr
        gone["otlp"] = b"".join(request.body for request in receiver.requests)
    for path in database.parent.iterdir():
        gone[path.name] = path.read_bytes()
    return gone


def test_no_text_of_a_log_is_in_the_database_in_any_output_or_in_otlp(ran: dict[str, bytes]) -> None:
    assert {place for place, content in ran.items() if SECRET.encode() in content} == set()


def test_the_log_was_read_all_the_same(ran: dict[str, bytes]) -> None:
    assert b"f1 cascade legs=4" in ran["index -v"]
    assert b"judge m-big" in ran["otlp"]
    assert b'"skipped_records": 4' in ran["summary --json"]


def test_repository_and_branch_are_not_exported(ran: dict[str, bytes]) -> None:
    assert b"acme/w" in ran["f.db"]
    assert b"acme/w" not in ran["otlp"]
