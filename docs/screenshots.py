"""Draws every view of the page from the demo, light and dark, on a desk and on a telephone: ``make screenshots``."""

from __future__ import annotations

import io
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from PIL import Image
from playwright.sync_api import FloatRect, Page

from fusionscope.commands.around import checks_while_running
from fusionscope.demo import write_demo
from fusionscope.follow.index import index
from fusionscope.ingest.find import Root
from fusionscope.page.address import Address
from fusionscope.page.serve import PageServer
from fusionscope.page.settings import PageSettings
from fusionscope.store.database import connect
from tests.page.browser import VIEWS, WIDTHS, Visitor, chromium

OUT = Path(__file__).parent / "screenshots"
#: what of a long page is drawn (CSS pixels), and what a picture may take (bytes)
_TALLEST = 2_000
_MOST = 150_000
#: a page has few colours, all of which matter: no pixel of the picture differs by more than two steps of 255
_COLOURS = 256


def main() -> int:
    """Write ``docs/screenshots/{view}-{light,dark}-{width}.png``; fail when the browser complains or a picture is too large."""
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        database = Path(directory) / "demo.db"
        with closing(connect(database)) as connection:
            root = Root(write_demo(Path(directory)), "the demo")
            index(connection, [root])
        # a home without a CLI: pictures must not show the machine that they were made on
        checks = checks_while_running([root], True, database, environment={}, home=Path(directory))
        settings = PageSettings(database, Address("127.0.0.1", 0), follower=True, checks=checks)
        with PageServer(settings, _say) as server, chromium() as browser:
            visitor = Visitor(browser)
            for view, address in VIEWS.items():
                for dark in (False, True):
                    for width in WIDTHS:
                        with visitor.visit(server.url.rstrip("/") + address, dark=dark, width=width, zone="UTC") as page:
                            _draw(page, OUT / f"{view}-{'dark' if dark else 'light'}-{width}.png", width)
    complaints = visitor.complaints + [f"{path.name} is too large" for path in OUT.iterdir() if path.stat().st_size > _MOST]
    sys.stderr.write("".join(f"{line}\n" for line in complaints))
    return 1 if complaints else 0


def _say(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")


def _draw(page: Page, path: Path, width: int) -> None:
    # where it lies and whether it is connected changes from run to run
    page.evaluate("document.getElementById('pulse')?.remove()")
    height = min(_TALLEST, int(page.evaluate("document.documentElement.scrollHeight")))
    picture = page.screenshot(full_page=True, clip=FloatRect(x=0, y=0, width=width, height=height))
    flat = Image.open(io.BytesIO(picture)).convert("RGB")
    flat.quantize(_COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
