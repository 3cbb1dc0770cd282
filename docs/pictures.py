"""Draws the pictures of the README from the demo: ``make pictures``."""

from __future__ import annotations

import io
import re
import tempfile
from datetime import UTC
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI, TerminalTheme

from fusionscope.demo import write_demo
from fusionscope.follow.index import index
from fusionscope.ingest.find import Root
from fusionscope.report.summary import of_turns
from fusionscope.report.terminal import print_summary, print_turn
from fusionscope.store import read
from fusionscope.store.database import connect

HERE = Path(__file__).parent
LIGHT = TerminalTheme(
    (255, 255, 255), (36, 41, 47),
    [(36, 41, 47), (207, 34, 46), (17, 99, 41), (77, 45, 0), (9, 105, 218), (130, 80, 223), (27, 124, 131), (110, 119, 129)],
)  # fmt: skip


def main() -> None:
    """Write ``docs/turn-dark.svg``, ``turn-light.svg``, ``summary-dark.svg`` and ``summary-light.svg``."""
    with tempfile.TemporaryDirectory() as directory:
        connection = connect(Path(directory) / "demo.db")
        index(connection, [Root(write_demo(Path(directory)), "the demo")])
        turns, skipped = read.turns(connection), read.skipped_count(connection)
        connection.close()
    for name, command in (("turn", "fusionscope"), ("summary", "fusionscope summary")):
        console = Console(
            record=True, width=80, file=io.StringIO(), force_terminal=True, highlight=False, color_system="standard",
        )  # fmt: skip
        if name == "turn":
            print_turn(console, turns[-1], zone=UTC)
        else:
            print_summary(console, of_turns(turns), skipped, zone=UTC)
        for shade, theme in (("dark", DIMMED_MONOKAI), ("light", LIGHT)):
            picture = console.export_svg(title=command, theme=theme, clear=False, unique_id=f"{name}-{shade}")
            # the reader's own monospaced font: a picture fetches nothing
            picture = re.sub(r"@font-face\s*{[^}]*}", "", picture)
            picture = picture.replace("Fira Code", "ui-monospace, Menlo, Consolas, monospace")
            (HERE / f"{name}-{shade}.svg").write_text(re.sub(r"[ \t]+$", "", picture, flags=re.MULTILINE), encoding="utf-8")


if __name__ == "__main__":
    main()
