"""The verdicts of ``fusionscope doctor`` for the terminal: one a line, its sentence beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from fusionscope.report.doctor import result
from fusionscope.report.doctor_findings import Check, Verdict
from fusionscope.report.terminal_canvas import GAP, Canvas, canvas_for, draw

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["doctor_lines", "print_doctor"]

#: the word says it, the colour only underlines it
_STYLES = {Verdict.OK: "green", Verdict.LOOK: "bold magenta", Verdict.BROKEN: "bold red"}


def print_doctor(console: Console, checks: Sequence[Check]) -> None:
    """Print verdicts, one a line, and the verdict on the whole."""
    draw(console, doctor_lines(canvas_for(console), checks))


def doctor_lines(canvas: Canvas, checks: Sequence[Check]) -> list[Text]:
    """Return the lines: verdict, part, sentence, and the verdict on the whole at the end."""
    verdicts = max(len(verdict.value) for verdict in Verdict)
    names = max((len(check.name) for check in checks), default=0)
    lines: list[Text] = []
    for check in checks:
        first = f"{check.verdict.value:<{verdicts + GAP}}{check.name:<{names + GAP}}"
        made = canvas.wrapped(check.sentence, first)
        made[0].stylize(_STYLES[check.verdict], 0, len(check.verdict.value))
        lines += made
    return [*lines, Text(), Text(result(checks), "bold")]
