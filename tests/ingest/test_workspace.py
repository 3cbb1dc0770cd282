"""The client that wrote a session: one key of the file beside its log."""

from __future__ import annotations

import pytest

from fusionscope.store import read
from fusionscope.store.read import Selection
from tests.conftest import Stage
from tests.logs import Log, a_turn, place


@pytest.mark.parametrize(
    ("text", "client"),
    [
        (b"id: a\ncwd: /home/x\nclient_name: github/cli\nname: my secret\n", "github/cli"),
        (b"client_name: 'vscode'\r\n", "vscode"),
        (b'client_name: "desktop app"\n', "desktop app"),
        (b"client_name: vscode # as of today\n", "vscode"),
        (b'client_name: "null"\n', "null"),
        (b"client_name: null\n", None),
        (b"client_name: NULL  # none\n", None),
        (b"client_name:vscode\n", None),
        (b"client_name: 'vscode\n", None),
        (b"name: client_name: x\n", None),
        (b"client_name:\n", None),
        (b"client_name: " + b"x" * 100 + b"\n", None),
        (b"client_name: \xff\n", None),
        (b"\0" * 1000, None),
        (b"", None),
    ],
)
def test_the_client_is_what_the_key_says(stage: Stage, text: bytes, client: str | None) -> None:
    place(stage.root, a_turn()).with_name("workspace.yaml").write_bytes(text)
    stage.index()
    assert (stage.turn().client, read.sessions(stage.connection)[0].client) == (client, client)


def test_a_client_that_comes_later_is_heard_of_with_the_next_event(stage: Stage) -> None:
    log = a_turn()
    path = place(stage.root, log)
    stage.index()
    path.with_name("workspace.yaml").write_text("client_name: github/cli\n")
    path.write_bytes(bytes(log.turn("f2")))
    stage.index()
    assert [turn.client for turn in stage.turns()] == ["github/cli"] * 2


def test_turns_are_selected_by_their_client(stage: Stage) -> None:
    place(stage.root, a_turn("f1")).with_name("workspace.yaml").write_text("client_name: github/cli\n")
    place(stage.root, Log("s2").turn("f2")).with_name("workspace.yaml").write_text("client_name: vscode\n")
    place(stage.root, Log("s3").turn("f3"))
    stage.index()
    chosen = {
        client: [turn.fusion_id for turn in read.turns(stage.connection, Selection(client=client))]
        for client in ("vscode", "x", "unknown")
    }
    assert chosen == {"vscode": ["f2"], "x": [], "unknown": ["f3"]}


def test_a_directory_in_its_place_is_no_error(stage: Stage) -> None:
    (place(stage.root, a_turn()).parent / "workspace.yaml").mkdir()
    assert stage.index().problems == []
    assert stage.turn().client is None
