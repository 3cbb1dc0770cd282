"""The usual place of the database is that of the platform."""

from __future__ import annotations

import os

import platformdirs
import pytest

from fusionscope.commands.database import state_directory


@pytest.mark.parametrize("home", [None, "", "  ", "/var/state", "/var/state/", "relative/state", "~/state"])
def test_the_state_directory_is_that_of_platformdirs(home: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if home is not None:
        monkeypatch.setenv("XDG_STATE_HOME", home)
    assert state_directory(os.environ) == platformdirs.user_state_path("fusionscope", appauthor=False)
