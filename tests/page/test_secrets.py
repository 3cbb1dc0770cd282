"""No text of a person or a model is on the page: the log full of secrets, asked for at every address."""

from __future__ import annotations

from fusionscope.page import views
from tests.conftest import Stage
from tests.logs import place
from tests.page.served import served
from tests.test_privacy import SECRET, a_log_full_of_secrets


def test_no_secret_of_a_log_is_served(stage: Stage) -> None:
    log = a_log_full_of_secrets()
    place(stage.root, log)
    stage.index()
    ids = {"fusion_id": "f1", "session_id": log.session_id}
    with served(stage) as page:
        for route in views.routes():
            answer = page.get(route.path.format(**ids) + "?range=all")
            assert (answer.status, SECRET.encode() in answer.body) == (200, False), route.path
        assert b"m-big" in page.get("/turns/f1").body
