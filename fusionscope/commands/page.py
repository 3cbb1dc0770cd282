"""What commands that serve the page share: the values of its options, and serving until told to stop."""

from __future__ import annotations

import argparse
import gc
import signal
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fusionscope.commands.places import warn

if TYPE_CHECKING:
    from fusionscope.page.address import Address
    from fusionscope.page.serve import PageServer

__all__ = ["address", "serve_until_stopped", "web_address"]

_LOOK_S = 0.5


def address(text: str) -> Address | None:
    """The value of ``--page``: where it listens, or ``None`` for ``off``."""
    from fusionscope.page.address import Address, AddressError

    try:
        return None if text == "off" else Address.of(text)
    except AddressError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def web_address(text: str) -> str:
    """The value of ``--grafana``: the address of a site, without the slash at its end."""
    try:
        parts = urlsplit(text)
        known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        known = False
    if not known or parts.query or parts.fragment:
        raise argparse.ArgumentTypeError(f"{text!r} is no address (http://localhost:3000)")
    return text.rstrip("/")


def serve_until_stopped(database: Path, roots: Sequence[tuple[str, str]]) -> None:
    """Serve the page of a database that nobody follows, until SIGINT or SIGTERM."""
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    gc.enable()
    try:
        with _server(database, roots) as server:
            print(f"{server.sentence} (Ctrl-C ends it)", flush=True)
            while not stop.wait(_LOOK_S):  # Windows tells of Ctrl-C between two waits only
                pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _server(database: Path, roots: Sequence[tuple[str, str]]) -> PageServer:
    """A server at the usual port or, where that is taken, at any."""
    from fusionscope.page.address import DEFAULT, AddressError
    from fusionscope.page.serve import PageServer
    from fusionscope.page.settings import PageSettings

    settings = PageSettings(database, DEFAULT, roots)
    try:
        return PageServer(settings, lambda sentence: warn([sentence]))
    except AddressError:
        return PageServer(settings._replace(address=DEFAULT._replace(port=0)), lambda sentence: warn([sentence]))
