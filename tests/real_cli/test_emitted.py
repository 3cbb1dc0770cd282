"""What the documents say that the CLI emits is what it emits."""

from __future__ import annotations

from docs.emits import MEASURED, measured
from tests.real_cli.conftest import VERSIONS, Cli, Root
from tests.real_cli.emitted import emitted


def test_the_cli_emits_the_names_that_were_measured(cli: Cli, root: Root) -> None:
    assert emitted(cli, root.copilot_home) == measured(cli.version)


def test_every_version_that_is_fetched_was_measured() -> None:
    assert MEASURED == VERSIONS
