"""Looking at the page without a browser: the application in this process, and what its answers say."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient

from fusionscope.page.app import create_app
from fusionscope.page.settings import PageSettings
from tests.conftest import Stage
from tests.page.reading import Reading

__all__ = ["Look"]


class Look:
    """Asks for pages of a stage's database."""

    def __init__(self, stage: Stage, **settings: Any) -> None:
        self.client = TestClient(create_app(PageSettings(stage.database, **settings)), base_url="http://127.0.0.1:7433")

    def html(self, path: str, **headers: str) -> str:
        """The HTML at ``path``, which must be there."""
        answer = self.client.get(path, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.text

    def at(self, path: str) -> Reading:
        """What the page at ``path`` says; it must be there, and have no style or script of its own."""
        reading = Reading(self.html(path))
        for tag, attributes in reading.tags:
            assert tag != "style"
            assert not {name for name in attributes if name == "style" or name.startswith("on")}
            assert tag != "script" or attributes.get("src") == "/static/app.js"
        return reading

    def json(self, path: str) -> Any:
        """The JSON at ``path``."""
        answer = self.client.get(path)
        assert answer.status_code == 200
        return answer.json()
