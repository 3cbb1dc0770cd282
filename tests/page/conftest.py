"""The demo on the page, and a browser to look at it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from fusionscope.demo import write_demo
from tests.conftest import Stage
from tests.page.browser import Visitor, chromium
from tests.page.served import Served, served


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Visitor]:
    visitor = Visitor(browser)
    yield visitor
    assert visitor.complaints == []


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The 24 sample turns on the page."""
    stage = Stage(tmp_path_factory.mktemp("demo"))
    stage.index(write_demo(tmp_path_factory.mktemp("samples")))
    with served(stage) as page:
        yield page
    stage.connection.close()
