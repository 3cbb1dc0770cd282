"""Everything from a log is text, never markup: names that are HTML and script, on every view of a real browser."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from tests.conftest import Stage
from tests.logs import CREDIT, Log, place
from tests.page.browser import Visitor
from tests.page.served import Served, served

IMAGE = "<img src=x onerror=document.title='x'>"
SCRIPT = "</script><script>document.title='x'</script>"
QUOTES = "\"><svg onload=document.title='x'>'`${1}{{7*7}}"
ROLE = '";alert(1)//'
FUSION_ID = "f'\"><b onclick=alert(1)>&amp;"


def _hostile() -> Log:
    log = Log()
    log.start(copilotVersion=IMAGE, context={"cwd": "/", "repository": f"acme/{IMAGE}", "branch": SCRIPT})
    log.user()
    log.resolved(FUSION_ID, QUOTES, IMAGE, SCRIPT, policy=QUOTES, ruleId=SCRIPT, routeSource=IMAGE, scores={IMAGE: 0.5},
                 phasePlan=[{"id": "0", "role": ROLE, "scope": QUOTES, "conditional": True}])  # fmt: skip
    log.leg_failed(FUSION_ID, 0, "primary", IMAGE, CREDIT, role=ROLE, reason=SCRIPT)
    log.tool_start(FUSION_ID, 0, QUOTES, IMAGE)
    log.tool_end(FUSION_ID, 0, QUOTES, success=False, error={"code": SCRIPT, "message": "x"})
    log.tool(FUSION_ID, None, "c2", QUOTES)
    log.leg(FUSION_ID, 1, "judge", SCRIPT, CREDIT, IMAGE, role=ROLE)
    log.leg(FUSION_ID, 2, QUOTES, IMAGE, CREDIT, role=ROLE, reasoningEffort=SCRIPT)
    log.commit(FUSION_ID, 2, IMAGE)
    log.completed(FUSION_ID, 2, IMAGE, QUOTES, degradedReason=IMAGE, outcome=SCRIPT)
    log.route_failed("a1", SCRIPT, IMAGE)
    log.event("user.message", content="x", interactionId=SCRIPT)
    log.event("assistant.message", content="x", model=IMAGE, interactionId=SCRIPT)
    log.event(IMAGE)
    log.lines.append(b'{"type":"session.fusion_completed","data":{"fusionId":' + IMAGE.encode() + b"}}\n")
    return log


@pytest.fixture
def page(stage: Stage) -> Iterator[Served]:
    place(stage.root, _hostile())
    stage.index()
    with served(stage) as page:
        yield page


def _is_harmless(shown: Page) -> None:
    """Nothing of the names has become an element, and nothing of them ran."""
    assert shown.title() != "x"
    assert shown.locator("img, b, main script, [onerror], [onload], svg[onload]").count() == 0
    assert "49" not in shown.title()


def test_names_that_are_markup_are_shown_as_they_are(page: Served, visitor: Visitor) -> None:
    at = f"http://127.0.0.1:{page.port}"
    with visitor.visit(f"{at}/turns?range=all") as shown:
        _is_harmless(shown)
        link = shown.locator("tr[data-row] a").first
        text = shown.locator("main").inner_text()
        assert IMAGE[:20] in text
        assert QUOTES[:12].lower() in text.lower()
        link.click()
        shown.wait_for_url("**/turns/**")
    for address in ("/?range=all", "/sessions", "/health", "/turns?range=all&q=" + "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
                    "/turns?range=all&pattern=%22%3E%3Csvg%20onload%3Dalert(1)%3E&model=%3C/script%3E"):  # fmt: skip
        with visitor.visit(at + address) as shown:
            _is_harmless(shown)


def test_the_turn_and_its_session_show_them_too(page: Served, stage: Stage, visitor: Visitor) -> None:
    at = f"http://127.0.0.1:{page.port}"
    with visitor.visit(f"{at}/turns?range=all") as shown:
        turns = shown.locator("tr[data-row] > th a").evaluate_all("links => links.map(link => link.href)")
        assert len(turns) == 2
    for address in turns:
        with visitor.visit(address) as shown:
            _is_harmless(shown)
            assert IMAGE in shown.locator("main").inner_text()
    with visitor.visit(f"{at}/turns/{quote(FUSION_ID, safe='')}") as shown:
        for summary in shown.locator("summary").all():
            summary.click()
        _is_harmless(shown)
        words = shown.locator(".calls").all_inner_texts()
        assert IMAGE in words[0]
        assert SCRIPT[:17] in words[0]
        assert QUOTES in words[1]
    with visitor.visit(f"{at}/sessions/{Log().session_id}") as shown:
        shown.locator("summary").click()
        _is_harmless(shown)
        assert IMAGE[:20] in shown.locator("section", has_text="Turns without Fusion").last.inner_text()
        assert IMAGE[:20] in shown.locator("main").inner_text()


def test_a_change_that_brings_markup_is_shown_as_text(stage: Stage, visitor: Visitor) -> None:
    log = Log()
    log.start()
    place(stage.root, log)
    stage.index()
    with served(stage) as page, visitor.visit(f"http://127.0.0.1:{page.port}/turns?range=all") as shown:
        place(stage.root, _hostile())
        stage.index()
        page.server.changed([FUSION_ID])
        shown.locator("tr[data-row]").first.wait_for()
        _is_harmless(shown)


def test_the_policy_stops_what_would_slip_through(page: Served, visitor: Visitor) -> None:
    with socket.create_server(("127.0.0.1", 0)) as elsewhere, visitor.visit(f"http://127.0.0.1:{page.port}/health") as shown:
        stranger = f"http://127.0.0.1:{elsewhere.getsockname()[1]}/"
        shown.evaluate(f"""document.querySelector("main").innerHTML = '<img src={stranger} onerror="document.title=1">'""")
        shown.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'document.title=1'}))")
        assert shown.evaluate(f"fetch({stranger!r}).then(() => 'came', () => 'stopped')") == "stopped"
        assert shown.title() != "1"
        elsewhere.setblocking(False)
        with pytest.raises(BlockingIOError):
            elsewhere.accept()
    told, visitor.complaints[:] = "\n".join(visitor.complaints), []
    assert {rule for rule in ("img-src", "script-src", "connect-src") if rule not in told} == set()
