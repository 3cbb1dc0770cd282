"""No text of a person or a model gets past the decoder: not into the store, not into any output, not into OTLP."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.export.receiver import Receiver
from tests.logs import CREDIT, Log, place

SECRET = "the-secret-of-mrs-dalloway"
#: text of the service, which is kept only where somebody asks for it
HINT, RULE = "hint-of-septimus", "rule-of-clarissa"


def a_log_full_of_secrets() -> Log:
    """Every text field of log-format.md that we know of, in every event that we read and in those beside them."""
    text = f"a {SECRET} b"
    log = Log()
    log.start(context={"cwd": f"/home/{SECRET}", "gitRoot": f"/home/{SECRET}", "repository": "acme/w", "branch": "main"})
    log.event("user.message", content=text, transformedContent=text, attachments=[{"path": text}])
    log.event("system.message", content=text)
    log.resolved("f1", "cascade", hint=HINT, ruleName=RULE)
    log.event("assistant.message", content=text, toolRequests=[{"name": "bash", "arguments": {"command": text}}])
    log.event("tool.execution_start", toolCallId="c1", toolName="bash", arguments={"command": text})
    log.event("tool.execution_complete", toolCallId="c1", result={"content": text}, error={"message": text}, success=False)
    server: dict[str, Any] = {"mcpServerName": text, "mcpToolName": "look_up"}
    for number, more in enumerate(({}, server)):
        tied: dict[str, Any] = {"fusion": {"fusionId": "f1", "phaseId": "f1:p0", "note": text}, "toolCallId": f"t{number}"}
        name = f"{SECRET}-look_up" if more else "bash"
        private: dict[str, Any] = {
            "arguments": {"command": text},
            "shellToolInfo": {"possiblePaths": [text]},
            "toolTitle": text,
        }
        log.event("tool.execution_start", toolName=name, **tied, **private, **more)
        result = {"content": text, "detailedContent": text}
        log.event(
            "tool.execution_complete", success=False, result=result, toolTelemetry={"properties": {"command": text}},
            error={"message": text, "code": "boom"}, shellExecution={"exitCode": 1, "output": text}, **tied,
        )  # fmt: skip
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


def _run(directory: Path, *options: str) -> dict[str, bytes]:
    """Everything that leaves the program when it reads such a log, by where it went."""
    root, database = directory / "session-state", directory / "state" / "f.db"
    log = a_log_full_of_secrets()
    place(root, log)
    workspace = f"id: {log.session_id}\ncwd: /home/{SECRET}\nclient_name: github/cli\nname: {SECRET}\nuser_named: false\n"
    (root / log.session_id / "workspace.yaml").write_text(workspace)
    gone: dict[str, bytes] = {}
    home = str(directory)
    with Receiver() as receiver:
        commands = [["index", "-v"], ["last", "--tools"], ["turns"], ["turns", "--json"], ["turns", "--csv"], ["show", "f1"],
                    ["show", "f1", "--tools=all"], ["show", "f1", "--json"], ["summary"], ["summary", "--json"], ["skipped"],
                    ["reconcile"], ["reconcile", "--json"], ["turns", "--ordinary"], ["turns", "--ordinary", "--json"],
                    ["status"], ["status", "--json"], ["doctor"], ["doctor", "--json"],
                    ["report", "--out", str(directory / "report")],
                    ["export", "--otlp", receiver.url, "--signal", "traces", "--signal", "metrics"]]  # fmt: skip
        for command in commands:
            done = subprocess.run(
                [sys.executable, "-m", "fusionscope", *command, *options, "--root", str(root), "--db", str(database)],
                capture_output=True, timeout=60, check=True, env={**os.environ, "HOME": home, "USERPROFILE": home},
            )  # fmt: skip
            gone[" ".join(command)] = done.stdout + done.stderr
        gone["otlp"] = b"".join(request.body for request in receiver.requests)
    for path in [*database.parent.iterdir(), *(directory / "report").rglob("*.*")]:
        gone[path.name] = path.read_bytes()
    return gone


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return _run(tmp_path_factory.mktemp("ran"))


@pytest.fixture(scope="module")
def ran_with_service_text(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return _run(tmp_path_factory.mktemp("service"), "--service-text")


def _where(ran: dict[str, bytes], text: str) -> set[str]:
    return {place for place, content in ran.items() if text.encode() in content}


def test_no_text_of_a_log_is_in_the_database_in_any_output_or_in_otlp(ran: dict[str, bytes]) -> None:
    assert _where(ran, SECRET) == set()


def test_text_of_the_service_is_nowhere_unless_somebody_asks(ran: dict[str, bytes]) -> None:
    assert _where(ran, HINT) == _where(ran, RULE) == set()
    assert b'"hint": null' in ran["show f1 --json"]


def test_with_the_option_the_hint_and_the_rule_s_name_are_kept_and_shown_as_json_and_never_sent(
    ran_with_service_text: dict[str, bytes],
) -> None:
    assert _where(ran_with_service_text, HINT) == _where(ran_with_service_text, RULE) == {"f.db", "show f1 --json"}
    assert _where(ran_with_service_text, SECRET) == set()


def test_a_tool_of_an_mcp_server_has_its_own_name_and_not_the_server_s(ran: dict[str, bytes]) -> None:
    assert b"execute_tool look_up" in ran["otlp"]
    assert b'"name": "look_up"' in ran["show f1 --json"]
    assert b"failed: boom, exit 1" in ran["show f1 --tools=all"]


def test_the_log_was_read_all_the_same(ran: dict[str, bytes]) -> None:
    assert b"f1 cascade legs=4" in ran["index -v"]
    assert b"judge m-big" in ran["otlp"]
    assert b'"skipped_records": 4' in ran["summary --json"]


def test_repository_and_branch_are_not_exported(ran: dict[str, bytes]) -> None:
    assert b"acme/w" in ran["f.db"]
    assert b"acme/w" not in ran["otlp"]
    assert b"acme/w" not in ran["FINDINGS.md"]
