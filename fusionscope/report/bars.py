"""Bars as an SVG picture that stands alone: it fetches nothing, runs nothing, and is readable on light and on dark.

The colours follow ``prefers-color-scheme``, and the picture brings its own ground: a page in the other scheme does not hide it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

from fusionscope.report.text import shown

__all__ = ["Bar", "bars"]

_WIDTH = 720
_ROW = 30
_TOP = 44
_EDGE = 16
_LETTER = 7.3  # the width of a letter of the monospaced font (px)
_LONGEST = 30  # letters of a label

_STYLE = """\
text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328 }
.title { font-weight: bold; font-size: 13px }
.ground { fill: #ffffff }
.bar { fill: #0969da }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.ground { fill: #0d1117 }
.bar { fill: #4493f8 }
}"""


class Bar(NamedTuple):
    """A bar: what it stands for, its length in any unit (the same for all bars, not negative), and the words behind it."""

    label: str
    amount: float
    words: str


def bars(title: str, rows: Sequence[Bar]) -> str:
    """Return a picture of one bar a row, from 0 on, the longest as long as there is room; text of a log is made safe."""
    labels = [shown(row.label, _LONGEST) for row in rows]
    start = round(2 * _EDGE + _LETTER * max(map(len, labels), default=0))
    words = _LETTER * max((len(row.words) for row in rows), default=0)
    room = max(1.0, _WIDTH - start - words - 2 * _EDGE)
    longest = max((row.amount for row in rows), default=0)
    height = _TOP + _ROW * len(rows) + _EDGE
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
        ' role="img">',
        f"<title>{_safe(title)}</title>",
        f"<style>\n{_STYLE}\n</style>",
        f'<rect class="ground" width="{_WIDTH}" height="{height}" rx="6"/>',
        f'<text class="title" x="{_EDGE}" y="26">{_safe(title)}</text>',
    ]
    for place, (row, label) in enumerate(zip(rows, labels, strict=True)):
        y = _TOP + _ROW * place
        length = room * row.amount / longest if longest else 0.0
        drawn += [
            f'<text x="{_EDGE}" y="{y + 19}">{_safe(label)}</text>',
            f'<rect class="bar" x="{start}" y="{y + 5}" width="{length:.1f}" height="{_ROW - 10}" rx="2"/>',
            f'<text x="{start + length + 8:.1f}" y="{y + 19}">{_safe(row.words)}</text>',
        ]
    return "\n".join([*drawn, "</svg>", ""])


def _safe(text: str) -> str:
    return escape(shown(text))
