"""Figures by one key or two, for the terminal: a line a group, those of a second key below the first's, then the total."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from fusionscope.report.groups import LEG_KEYS, Group, Grouping
from fusionscope.report.terminal_canvas import Canvas, Cell, Column, fit, headings, lay_out
from fusionscope.report.text import NOT_METERED, count, credits, dollars, percent, plural

__all__ = ["groups_lines"]

NOT_ITEMISED = "not itemised"

#: what stands where the log does not say the value of a key
_UNSAID = {"pair": "no verdict", "effort": "not said", "repository": "none", "branch": "none"}

# A name is cut to less than the first only when no other column can go.
_WANTED_NAME = 32
_LEAST_NAME = 4

_HEADINGS = ("turns", "legs", "credits", "$", "share", "median", "review", "rejected")

# What little room does without, first to go first: each can be worked out from another column, or found with --json.
_SPARE = ("$", "legs", "share")

# How many columns go, and the room between those that stay.
_LAYOUTS = tuple((spare, gap) for spare in range(len(_SPARE) + 1) for gap in (2, 1))


def groups_lines(canvas: Canvas, grouping: Grouping, zone_name: str) -> list[Text]:
    """Return a table of the groups, and what must be known to read it; ``zone_name`` says whose days and weeks they are."""
    if not grouping.total.turns:
        return [Text("no Fusion turns")]
    rows: list[tuple[str, Group, str]] = []
    for group in grouping.first:
        rows.append((_name(canvas, grouping.keys[0], group), group, "bold" if grouping.both else ""))
        rows += [(f"  {_name(canvas, grouping.keys[1], each)}", each, "") for each in grouping.below(group)]
    rows.append(("all", grouping.total, "bold"))
    return [*_table(canvas, grouping.keys, rows), Text(), *_notes(canvas, grouping, zone_name)]


def _name(canvas: Canvas, key: str, group: Group) -> str:
    value = group.values[0] if len(group.values) == 1 else group.values[1]
    if not group.itemised and key in LEG_KEYS:
        return NOT_ITEMISED
    if value is None:
        return _UNSAID.get(key, "unknown")
    return canvas.log_text(value)


def _table(canvas: Canvas, keys: Sequence[str], rows: Sequence[tuple[str, Group, str]]) -> list[Text]:
    first = Column(", ".join(keys), least=_LEAST_NAME, middle="session" not in keys)
    cells: list[list[Cell]] = [[(name, style), *((text, style) for text in _figures(group))] for name, group, style in rows]
    wanted = min(_WANTED_NAME, max(cell_len(row[0][0]) for row in cells))
    for spare, gap in _LAYOUTS:
        kept = [place for place, heading in enumerate(_HEADINGS) if heading not in _SPARE[:spare]]
        columns = [first._replace(gap=gap), *(Column(_HEADINGS[place], right=True, gap=gap) for place in kept)]
        seen = [[row[0], *(row[place + 1] for place in kept)] for row in cells]
        widths = fit(columns, seen, canvas.width)
        if widths[0] >= wanted and sum(widths) + gap * len(kept) <= canvas.width:
            break
    return [lay_out(canvas, columns, widths, row) for row in (headings(columns, "bold"), *seen)]


def _figures(group: Group) -> list[str]:
    spent = group.nano_aiu
    return [
        count(group.turns),
        count(group.legs) if group.itemised else "",
        NOT_METERED if spent is None else credits(spent),
        "" if spent is None else dollars(spent),
        "" if group.share is None else percent(group.share, 1),
        "n/a" if group.median_nano_aiu is None else credits(group.median_nano_aiu),
        percent(group.review_share) if group.itemised else "",
        f"{count(group.rejections)} of {count(group.verdicts)}" if group.verdicts else "",
    ]


def _notes(canvas: Canvas, grouping: Grouping, zone_name: str) -> list[Text]:
    parted = any(key in LEG_KEYS for key in grouping.keys)
    said = []
    if parted:
        said.append("Credits are of the legs; a turn with legs in more than one line is counted in each of these, once in all.")
        if any(not group.itemised for group in grouping.rows):
            said.append("Not itemised: what the turns' totals say beside their legs, so that the lines add up to all.")
    elif len(grouping.rows) > 1:
        said.append("Credits are of whole turns: each is in one line.")
    said.append(
        "Median: credits of a turn that ended. Review: spent on legs that are not the answer. Rejected: of the verdicts."
    )
    if any(key in ("day", "week") for key in grouping.keys):
        whose = "this machine's zone" if zone_name == "local" else zone_name
        said.append(f"Days are those of {whose}; a turn belongs to the one it started on, with all its legs.")
    if unmetered := grouping.total.unmetered:
        said.append(f"Of {plural(unmetered, 'turn')} the credits are not known: in no sum.")
    return [line for text in said for line in canvas.wrapped(text, style="dim")]
