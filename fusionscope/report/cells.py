"""Values as cells of a CSV file."""

from __future__ import annotations

from fusionscope.report.text import clean

__all__ = ["cell"]

# A spreadsheet takes a cell that begins with one of these for a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def cell(value: object) -> object:
    """Return a value as a cell: booleans as JSON has them, text cleaned and guarded against formulas."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + clean(value) if value.startswith(_FORMULA_STARTS) else clean(value)
    return value
