"""A turn while it runs: real log lines, a real `fusionscope up`, and the page in a real browser that nobody reloads."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.conftest import Stage
from tests.daemon import Daemon, run
from tests.follow.live import until
from tests.logs import CREDIT, Log, a_turn, place
from tests.page.browser import Visitor
from tests.page.served import served

PATIENCE_MS = 15_000


def _address(daemon: Daemon) -> str:
    until(lambda: any(line.startswith("The page: ") for line in daemon.lines()))
    found = re.search(r"The page: (http://\S+)/", "\n".join(daemon.lines()))
    assert found
    return found[1]


def _append(path: Path, *lines: bytes) -> None:
    with path.open("ab") as file:
        file.write(b"".join(lines))


def _listens(shown: Page) -> None:
    expect(shown.locator("#pulse")).to_have_text("Live", timeout=PATIENCE_MS)


def test_an_open_turn_appears_grows_and_ends_without_a_reload(stage: Stage, visitor: Visitor) -> None:
    log = a_turn("f1")
    path = place(stage.root, log)
    with Daemon(stage, "--page", "127.0.0.1:0") as daemon:
        address = _address(daemon)
        until(lambda: len(stage.turns()) == 1)
        with visitor.visit(f"{address}/turns?range=all") as shown:
            _listens(shown)
            shown.evaluate("window.neverReloaded = true")
            rows = shown.locator("tr[data-row]")
            expect(rows).to_have_count(1, timeout=PATIENCE_MS)
            log.lines.clear()
            _append(path, log.user(), log.resolved("f2"))
            expect(rows).to_have_count(2, timeout=PATIENCE_MS)
            expect(rows.first).to_contain_text("open", timeout=PATIENCE_MS)
            _append(path, log.leg("f2", 0, "primary", "m-small", 3 * CREDIT))
            expect(rows.first).to_contain_text("3.00", timeout=PATIENCE_MS)
            _append(path, log.leg("f2", 1, "judge", "m-big", 2 * CREDIT, "accept"))
            expect(rows.first).to_contain_text("5.00", timeout=PATIENCE_MS)
            _append(path, log.commit("f2", 0, "m-small"), log.completed("f2", 0, "m-small"))
            expect(rows.first).not_to_contain_text("open", timeout=PATIENCE_MS)
            assert shown.evaluate("window.neverReloaded") is True


def test_the_waterfall_of_an_open_turn_grows_by_a_bar_a_leg(stage: Stage, visitor: Visitor) -> None:
    log = Log()
    log.start()
    log.user()
    log.resolved("f1")
    path = place(stage.root, log)
    with Daemon(stage, "--page", "127.0.0.1:0") as daemon:
        address = _address(daemon)
        until(lambda: len(stage.turns()) == 1)
        with visitor.visit(f"{address}/turns/f1") as shown:
            _listens(shown)
            bars = shown.locator("table.waterfall tbody tr")
            _append(path, log.leg("f1", 0, "primary", "m-small", CREDIT))
            expect(bars).to_have_count(1, timeout=PATIENCE_MS)
            _append(path, log.leg("f1", 1, "judge", "m-big", CREDIT, "reject"))
            expect(bars).to_have_count(2, timeout=PATIENCE_MS)
            expect(bars.nth(1)).to_contain_text("reject", timeout=PATIENCE_MS)


def test_a_page_that_lost_the_daemon_says_so_and_catches_up_when_it_is_back(stage: Stage, visitor: Visitor) -> None:
    path = place(stage.root, a_turn("f1"))
    with Daemon(stage, "--page", "127.0.0.1:0") as daemon:
        address = _address(daemon)
        until(lambda: len(stage.turns()) == 1)
        port = address.rpartition(":")[2]
    with Daemon(stage, "--page", f"127.0.0.1:{port}") as daemon:
        _address(daemon)
        with visitor.visit(f"{address}/turns?range=all") as shown:
            _listens(shown)
            daemon.process.terminate()
            daemon.process.wait(30)
            expect(shown.locator("#pulse")).to_have_text("Not connected", timeout=PATIENCE_MS)
            _append(path, *Log("x").turn("f2").lines)
            with Daemon(stage, "--page", f"127.0.0.1:{port}"):
                expect(shown.locator("tr[data-row]")).to_have_count(2, timeout=30_000)
                expect(shown.locator("#pulse")).to_have_text("Live", timeout=PATIENCE_MS)
    # what the browser says of a server that is gone
    visitor.complaints[:] = [line for line in visitor.complaints if "/live" not in line]


def test_a_page_that_nobody_sees_gives_its_connection_back_and_catches_up_when_it_is_seen(
    stage: Stage, visitor: Visitor
) -> None:
    path = place(stage.root, a_turn("f1"))
    stage.index()
    with served(stage) as page, visitor.visit(f"http://127.0.0.1:{page.port}/turns?range=all") as shown:
        _listens(shown)
        _show(shown, False)
        until(lambda: page.server.live.readers == 0)
        _append(path, *Log("x").turn("f2").lines)
        stage.index()
        page.server.changed(["f2"])
        expect(shown.locator("tr[data-row]")).to_have_count(1)
        _show(shown, True)
        expect(shown.locator("tr[data-row]")).to_have_count(2, timeout=PATIENCE_MS)
        assert page.server.live.readers == 1


def _show(shown: Page, seen: bool) -> None:
    """What a browser tells a page when its tab goes to the back, or comes to the front."""
    hidden = "false" if seen else "true"
    shown.evaluate(
        f"Object.defineProperty(document, 'hidden', {{value: {hidden}, configurable: true}});"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )


def test_the_overview_follows_and_shows_the_figures_of_the_summary(stage: Stage, visitor: Visitor) -> None:
    log = a_turn("f1")
    path = place(stage.root, log)
    with Daemon(stage, "--page", "127.0.0.1:0") as daemon:
        address = _address(daemon)
        until(lambda: len(stage.turns()) == 1)
        with visitor.visit(f"{address}/?range=all") as shown:
            _listens(shown)
            expect(shown.locator("main")).to_contain_text("12.50", timeout=PATIENCE_MS)
            _append(path, *Log("x").turn("f2").lines)
            summary = {"turns": 0}
            until(lambda: len(stage.turns()) == 2)
            summary = json.loads(run(stage, "summary", "--json").stdout)
            assert (summary["turns"], summary["credits"]) == (2, 25.0)
            expect(shown.locator("main")).to_contain_text(f"{summary['credits']:.2f}", timeout=PATIENCE_MS)
