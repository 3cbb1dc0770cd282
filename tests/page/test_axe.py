"""axe-core, the usual judge of accessibility, finds nothing on any view: light on a desk, dark on a telephone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fusionscope.commands.around import checks_while_running
from fusionscope.ingest.find import Root
from tests.conftest import Stage
from tests.filled import fill
from tests.logs import CREDIT, place
from tests.money import MoneyLog
from tests.page.browser import VIEWS, WIDTHS, Visitor
from tests.page.odd import ODD
from tests.page.served import Served, served

#: `make axe` puts it there
AXE = Path(__file__).parents[2] / ".axe" / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture(scope="module")
def axe() -> str:
    """axe-core as a script."""
    if not AXE.exists():
        if os.environ.get("CI"):
            pytest.fail("axe-core is not installed; `make axe` does it.")
        pytest.skip("axe-core is not installed; `make axe` does it")
    return AXE.read_text(encoding="utf-8")


def _violations(visitor: Visitor, axe: str, url: str, dark: bool) -> list[str]:
    with visitor.visit(url, dark=dark, width=WIDTHS[dark]) as page:
        page.locator("details").evaluate_all("all => all.forEach(each => { each.open = true; })")
        page.evaluate(axe)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        assert len(found["passes"]) > 10
    return [f"{each['id']}: {node['html'][:200]}" for each in found["violations"] for node in each["nodes"]]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing_on_the_demo(demo: Served, visitor: Visitor, axe: str, view: str, dark: bool) -> None:
    assert _violations(visitor, axe, f"http://127.0.0.1:{demo.port}{VIEWS[view]}", dark) == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_on_turns_that_went_wrong(stage: Stage, visitor: Visitor, axe: str, dark: bool) -> None:
    fill(stage.connection, ODD)
    with served(stage) as page:
        for address in ("/?range=all", "/turns?range=all", *(f"/turns/{turn.fusion_id}" for turn in ODD)):
            url = f"http://127.0.0.1:{page.port}{address}"
            assert _violations(visitor, axe, url, dark) == [], address


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_on_what_a_log_may_have_beside_legs(stage: Stage, visitor: Visitor, axe: str, dark: bool) -> None:
    log = MoneyLog()
    log.start()
    log.resolved("f1", "debate")
    log.tool_start("f1", 0, "c1", "task")
    log.tool_start("f1", 0, "c2", "bash", parentToolCallId="c1")
    log.tool_end("f1", 0, "c2", success=False)
    log.tool("f1", None, "c3", "memory")
    log.leg("f1", 0, "primary", "m-small", CREDIT)
    log.ordinary("i1", 3)
    log.compact(None)
    log.total(20)
    log.lines.append(b'{"type":"session.fusion_completed","data":5}\n')
    place(stage.root, log)
    stage.index()
    checks = checks_while_running([Root(stage.root / "gone", "a test")], True, stage.database, environment={})
    with served(stage, checks=checks) as page:
        for address in ("/turns/f1", f"/sessions/{log.session_id}", "/health"):
            url = f"http://127.0.0.1:{page.port}{address}"
            assert _violations(visitor, axe, url, dark) == [], address


def test_axe_finds_nothing_where_there_is_nothing(stage: Stage, visitor: Visitor, axe: str) -> None:
    with served(stage) as page:
        for address in ("/", "/turns", "/sessions", "/health"):
            url = f"http://127.0.0.1:{page.port}{address}"
            assert _violations(visitor, axe, url, False) == [], address
