"""`fusionscope share`: one turn as one file that says nothing of whose it is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from fusionscope.demo import write_demo
from tests.logs import CREDIT, Log, place

_CASCADE = "fusion-fa51fa07-905f-4e5a-8567-79bfa8c0da00"
_GOLDEN = Path(__file__).parents[1] / "report" / "golden" / "share.html"
_FORMS = ("--html", "--json", "--otlp")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class Program:
    """The command with a root and a database."""

    def __init__(self, directory: Path) -> None:
        self.root = directory / "copilot" / "session-state"
        self.places = ["--root", str(self.root), "--db", str(directory / "state" / "f.db")]

    def __call__(self, *words: str, code: int = 0) -> str:
        """Run it; returns what it printed, or its complaint."""
        done = subprocess.run(
            [sys.executable, "-m", "fusionscope", "share", *words, *self.places],
            capture_output=True, timeout=60, check=False, text=True, encoding="utf-8", env={**os.environ, "TZ": "Asia/Tokyo"},
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        return done.stdout if code == 0 else done.stderr


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


@pytest.fixture
def demo(program: Program) -> Program:
    write_demo(program.root.parent)
    return program


def _turn_with_everything() -> Log:
    """A turn in which every id that a log can have is its own word."""
    log = Log("private-session")
    log.start(context={"cwd": "/home/ada/work", "repository": "acme/private", "branch": "secret-branch"})
    shared_ids: dict[str, Any] = {
        "turnId": "id-turn",
        "ruleId": "id-rule",
        "selectedRuleId": "id-selected",
        "ruleName": "id-name",
        "hint": "id-hint",
    }
    critics = [{"model": "m-critic", "phaseId": "id-critic-phase", "reasoningEffort": None}]
    log.resolved("id-fusion", "critique", critics=critics, **shared_ids)
    fusion = {"fusionId": "id-fusion", "phaseId": "id-fusion:p0"}
    log.event("assistant.message", interactionId="id-interaction", fusion=fusion, envelope={"agentId": "id-agent"})
    call: dict[str, Any] = {"toolCallId": "id-call", "parentToolCallId": "id-parent", "fusion": fusion}
    log.event("tool.execution_start", toolName="bash", turnId="id-tool-turn", **call)
    log.event("tool.execution_complete", success=True, interactionId="id-interaction", **call)
    log.leg_failed("id-fusion", 0, "draft", "m-small", CREDIT, degradedToPhaseId="id-fusion:p1")
    log.handoff("id-fusion", 0, 1, "m-big")
    log.leg("id-fusion", 1, "revision", "m-big", CREDIT)
    log.commit("id-fusion", 1, "m-big")
    log.completed("id-fusion", 1, "m-big", "critique", commitId="id-commit")
    return log


@pytest.mark.parametrize("form", _FORMS)
def test_no_id_no_path_no_repository_and_no_text_is_in_a_shared_file(program: Program, form: str) -> None:
    place(program.root, _turn_with_everything())
    told = program("id-fusion", form, "--service-text")
    assert "m-big" in told
    assert not re.search(r"id-|/home|session-state|acme|private|secret|ada|\.db", told)
    assert [found for found in _ID.findall(told) if found not in told.partition("service.instance.id")[2][:120]] == []
    kept = program("id-fusion", form, "--with-repository")
    assert ("acme/private" in kept, "secret-branch" in kept) == ((False, False) if form == "--otlp" else (True, True))


def test_two_files_of_one_turn_agree_and_the_hash_is_that_of_the_id(demo: Program, tmp_path: Path) -> None:
    first, second = (json.loads(demo(_CASCADE, "--json")) for _ in range(2))
    assert first == second
    assert first["fusion_id"] == sha256(f"fusionscope share {_CASCADE}".encode()).hexdigest()[:12]
    assert first["fusion_id"] in demo(_CASCADE)
    assert first["answer_phase_id"] == first["legs"][2]["phase_id"]
    assert (first["nano_aiu"], first["started_at"]) == (14_719_596_000, "2026-09-09T02:42:54.729Z")


class _Tags(HTMLParser):
    """Every tag with its attributes, in a document in which each has its end."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag != "meta":
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


def test_the_page_is_as_it_was_looked_at_wherever_it_is_made(demo: Program) -> None:
    assert demo(_CASCADE) == _GOLDEN.read_text(encoding="utf-8")


def test_the_page_runs_nothing_and_fetches_nothing(demo: Program) -> None:
    page = demo(_CASCADE)
    tags = _Tags(page).found
    assert not {tag for tag, _ in tags} & {"script", "link", "img", "iframe", "object", "form", "a"}
    assert not [name for _, given in tags for name in given if name.startswith("on") or name in ("src", "href", "style")]
    assert "url(" not in page
    assert "//" not in page.replace("<!doctype html>", "")
    assert [given["width"] for tag, given in tags if tag == "rect"] == ["29.31%", "14.19%", "55.93%"]


@pytest.mark.parametrize("form", ["--html", "--json"])
def test_what_a_log_says_cannot_break_out_of_the_file(program: Program, form: str) -> None:
    log = Log()
    log.start()
    log.resolved("f1", "<script>alert(1)</script>")
    log.leg("f1", 0, "primary", '"><img src=x onerror=y>\x1b[2J', CREDIT)
    place(program.root, log)
    told = program("f1", form)
    assert "\x1b" not in told
    if form == "--html":
        assert not {tag for tag, _ in _Tags(told).found} & {"script", "img"}
    else:
        assert json.loads(told)["pattern"].startswith("<script>")


def test_otlp_json_is_a_request_that_the_protocol_knows_with_hexadecimal_ids(demo: Program) -> None:
    told: Any = json.loads(demo(_CASCADE, "--otlp"))
    (resource,) = told["resourceSpans"]
    (scope,) = resource["scopeSpans"]
    names = [span["name"] for span in scope["spans"]]
    assert names[:4] == ["fusion cascade", "primary mai-code-1.1-flash", "judge gpt-5.6-sol", "repair gpt-5.6-sol"]
    assert [name.split()[0] for name in names[4:]] == ["execute_tool"] * 2
    assert all(re.fullmatch("[0-9a-f]{32}", span["traceId"]) for span in scope["spans"])
    assert {span.get("parentSpanId") for span in scope["spans"][1:4]} == {scope["spans"][0]["spanId"]}
    assert {span.get("parentSpanId") for span in scope["spans"][4:]} <= {span["spanId"] for span in scope["spans"][1:4]}
    assert re.fullmatch("[0-9a-f]{16}", scope["spans"][0]["spanId"])
    text = json.dumps(told).replace(scope["spans"][0]["traceId"], "")
    ParseDict(json.loads(text), ExportTraceServiceRequest())  # raises where a name or a type is not that of the protocol


def test_an_open_turn_is_shared_as_far_as_it_is_but_has_no_spans(program: Program) -> None:
    log = Log()
    log.start()
    log.resolved("f1")
    log.leg("f1", 0, "primary", "m-small", CREDIT)
    place(program.root, log)
    assert json.loads(program("f1", "--json"))["state"] == "open"
    assert "so far" in program("f1")
    assert "still open" in program("f1", "--otlp", code=1)


def test_a_file_is_written_where_it_is_named_but_not_among_the_files_of_the_cli(demo: Program, tmp_path: Path) -> None:
    assert demo(_CASCADE, "-o", str(tmp_path / "turn.html")) == ""
    assert (tmp_path / "turn.html").read_text(encoding="utf-8") == _GOLDEN.read_text(encoding="utf-8")
    assert "where only the CLI writes" in demo(_CASCADE, "-o", str(demo.root / "turn.html"), code=1)
    assert not (demo.root / "turn.html").exists()
    assert "Cannot write" in demo(_CASCADE, "-o", str(tmp_path), code=1)


def test_an_unknown_id_is_refused_with_a_sentence(demo: Program) -> None:
    assert "No turn's id begins with" in demo("nothing", code=1)
