"""What every terminal view is drawn with: the room there is, the signs the encoding has, cut texts and columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from fusionscope.report.text import shown
from fusionscope.report.words import Fate

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["GAP", "Canvas", "Cell", "Column", "Signs", "canvas_for", "draw", "fit", "fits", "headings", "lay_out"]

#: columns between two columns
GAP = 2

#: a text with its style, ``""`` for the terminal's own
Cell = tuple[str, str]


class Signs(NamedTuple):
    """The signs outside the alphabet that the views use, one column each; bars by the fate of a leg."""

    dot: str
    ellipsis: str
    answer: str
    axis: str
    share: str
    call: str
    bars: dict[Fate, str]


_UNICODE = Signs(
    dot="·", ellipsis="…", answer="►", axis="─", share="━", call="━",
    bars={
        Fate.ANSWER: "█", Fate.SUPERSEDED: "░", Fate.UNUSED: "░", Fate.FAILED: "╳", Fate.CANCELLED: "╌", Fate.OTHER: "▒",
    },
)  # fmt: skip

_ASCII = Signs(
    dot="|", ellipsis="~", answer=">", axis="-", share="#", call="+",
    bars={
        Fate.ANSWER: "#", Fate.SUPERSEDED: ".", Fate.UNUSED: ".", Fate.FAILED: "x", Fate.CANCELLED: "-", Fate.OTHER: "=",
    },
)  # fmt: skip

#: colours only underline what a sign or a word says already; all are readable on light and on dark
BAR_STYLES = {
    Fate.ANSWER: "green",
    Fate.SUPERSEDED: "",
    Fate.UNUSED: "",
    Fate.FAILED: "red",
    Fate.CANCELLED: "red",
    Fate.OTHER: "magenta",
}


class Canvas(NamedTuple):
    """The terminal as far as the views care: columns, signs, encoding, and the zone for local times (``None``: its own)."""

    width: int
    signs: Signs
    encoding: str
    zone: tzinfo | None = None

    def log_text(self, value: str, limit: int = 120) -> str:
        """Return a text from a log safe to print, and encodable."""
        return self.encodable(shown(value, limit))

    def encodable(self, value: str) -> str:
        """Return ``value`` with ``?`` for what the terminal's encoding has not."""
        if value.isascii() or self.encoding.startswith("utf"):
            return value
        try:
            return value.encode(self.encoding, "replace").decode(self.encoding)
        except LookupError:
            return value.encode("ascii", "replace").decode("ascii")

    def cut(self, value: str, width: int) -> str:
        """Return ``value`` in at most ``width`` columns, with an ellipsis at the end where something is missing."""
        if cell_len(value) <= width:
            return value
        if width < 1:
            return ""
        return set_cell_size(value, width - 1).rstrip() + self.signs.ellipsis

    def cut_middle(self, value: str, width: int) -> str:
        """Return ``value`` in at most ``width`` columns, cut in its middle: names of models differ at both ends."""
        if cell_len(value) <= width:
            return value
        if width < 5:
            return self.cut(value, width)
        tail = width // 2
        end = value[-tail:]
        while cell_len(end) > tail:
            end = end[1:]
        head = set_cell_size(value, width - 1 - cell_len(end))
        return head + self.signs.ellipsis + end

    def joined(self, parts: Iterable[str]) -> str:
        """Return the parts that are not empty with a dot between them."""
        return f" {self.signs.dot} ".join(part for part in parts if part)

    def facts(self, parts: Iterable[str], style: str = "") -> list[Text]:
        """Return the parts that are not empty with a dot between them, in lines that break between two parts."""
        lines: list[str] = []
        for part in filter(None, parts):
            candidate = self.joined([lines[-1], part]) if lines else part
            if lines and cell_len(candidate) <= self.width:
                lines[-1] = candidate
            else:
                lines.append(part)
        return [each for line in lines for each in self.wrapped(line, style=style)]

    def wrapped(self, value: str, first: str = "", style: str = "") -> list[Text]:
        """Return ``value`` in lines that fit, the first after ``first``, the others below it."""
        room = max(1, self.width - cell_len(first))
        lines: list[str] = []
        line = ""
        for word in self.encodable(value).split(" "):
            candidate = f"{line} {word}" if line else word
            if cell_len(candidate) <= room:
                line = candidate
                continue
            if line:
                lines.append(line)
            line = word
            while cell_len(line) > room:
                head = set_cell_size(line, room).rstrip() or line[0]  # a wide sign has no room in one column
                lines.append(head)
                line = line[len(head) :]
        if line or not lines:
            lines.append(line)
        indent = " " * cell_len(first)
        return [Text(f"{first if not place else indent}{line}", style) for place, line in enumerate(lines)]


class Column(NamedTuple):
    """One column of a table.

    ``least`` is what it may be cut to (``None``: never cut), ``middle`` that it is cut in the middle, ``gap`` the room
    after it.
    """

    heading: str = ""
    right: bool = False
    least: int | None = None
    middle: bool = False
    gap: int = GAP


def canvas_for(console: Console, zone: tzinfo | None = None) -> Canvas:
    """Return the canvas of ``console``; signs outside ASCII only where its encoding surely has them."""
    encoding = console.encoding
    return Canvas(console.width, _UNICODE if encoding.startswith("utf") else _ASCII, encoding, zone)


def draw(console: Console, lines: Iterable[Text]) -> None:
    """Print lines that are laid out already; a terminal too narrow for them folds them, so that nothing is lost."""
    console.print(Text("\n").join(lines), overflow="fold", highlight=False)


def fits(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], room: int) -> bool:
    """Whether every cell is seen whole when all columns and the gaps between them have ``room`` columns."""
    return _total(columns, _natural(columns, rows)) <= room


def fit(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], room: int) -> list[int]:
    """Return how wide each column is, so that all and the gaps between them take ``room`` columns if that can be.

    Each is as wide as its widest cell. Where that is too much, the widest of those that may be cut lose first.
    """
    widths = _natural(columns, rows)
    for _ in range(_total(columns, widths) - room):
        spare = [
            (widths[place], -place)
            for place, column in enumerate(columns)
            if column.least is not None and widths[place] > max(column.least, cell_len(column.heading))
        ]
        if not spare:
            break
        widths[-max(spare)[1]] -= 1
    return widths


def _natural(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> list[int]:
    return [max([cell_len(column.heading), *(cell_len(row[place][0]) for row in rows)]) for place, column in enumerate(columns)]


def _total(columns: Sequence[Column], widths: Sequence[int]) -> int:
    return sum(widths) + sum(column.gap for column in columns[:-1])


def headings(columns: Sequence[Column], style: str = "") -> list[Cell]:
    """Return the row of headings."""
    return [(column.heading, style) for column in columns]


def lay_out(canvas: Canvas, columns: Sequence[Column], widths: Sequence[int], cells: Sequence[Cell]) -> Text:
    """Return one row of ``cells`` in columns of ``widths``."""
    row = Text()
    for column, width, (value, style) in zip(columns, widths, cells, strict=True):
        seen = canvas.cut_middle(value, width) if column.middle else canvas.cut(value, width)
        padding = " " * (width - cell_len(seen))
        if column.right:
            row.append(padding)
        row.append(seen, style)
        if not column.right:
            row.append(padding)
        row.append(" " * column.gap)
    row.rstrip()
    return row
