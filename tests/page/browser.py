"""Debian's Chromium, driven by Playwright: what a person sees and does.

Without Chromium these tests are skipped; where ``CI`` is set that is a failure. Every page must come without a complaint:
nothing on the browser's console (where it tells of what the content policy stopped), no script error, no request to anybody
else.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, ViewportSize, sync_playwright

from fusionscope.demo.turns import PUBLIC_CASCADE, SESSIONS

__all__ = ["HEIGHT", "VIEWS", "WIDTHS", "Visitor", "chromium"]

#: every view of the demo, by the name of its picture
VIEWS = {
    "overview": "/?range=all",
    "turns": "/turns?range=all",
    "turn": f"/turns/{PUBLIC_CASCADE}",
    "sessions": "/sessions?range=all",
    "session": f"/sessions/{SESSIONS[0].session_id}",
    "health": "/health",
}

#: of a window on a desk and of a telephone, in CSS pixels
WIDTHS = (1280, 390)
HEIGHT = 900

#: a browser for tests keeps to itself
_ARGUMENTS = (
    "--no-first-run",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser, as long as the block lasts."""
    path = shutil.which("chromium")
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("Chromium (the Debian package chromium) is not installed.")
        pytest.skip("Chromium (the Debian package chromium) is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


class Visitor:
    """Opens pages, each in a window without a past, and hears what the browser complains of."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.complaints: list[str] = []

    @contextmanager
    def visit(
        self, url: str, *, dark: bool = False, width: int = WIDTHS[0], scripts: bool = True, zone: str = "Europe/Berlin"
    ) -> Iterator[Page]:
        """A page in a window of its own, loaded, as long as the block lasts."""
        context = self._browser.new_context(
            viewport=ViewportSize(width=width, height=HEIGHT),
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
            reduced_motion="reduce",
            timezone_id=zone,
            locale="en-GB",
        )
        origin = urlsplit(url).netloc

        def asked(request: Request) -> None:
            if urlsplit(request.url).netloc != origin:
                self.complaints.append(f"asked {request.url}")

        def said(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                self.complaints.append(f"{message.type} at {urlsplit(message.location.get('url', '')).path}: {message.text}")

        context.on("request", asked)
        context.on("console", said)
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        try:
            page = context.new_page()
            page.goto(url, wait_until="load")
            yield page
        finally:
            context.close()
