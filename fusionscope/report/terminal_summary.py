"""The figures for the terminal: headline rates with their counts, then patterns, models, kinds and tokens, in one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich.text import Text

from fusionscope.report import figures
from fusionscope.report.drift import drift_sentence
from fusionscope.report.summary import Summary
from fusionscope.report.terminal_canvas import GAP, Canvas, Cell, Column, fit, headings, lay_out
from fusionscope.report.text import (
    NOT_METERED,
    count,
    credits,
    local_day,
    mean_seconds,
    milliseconds,
    money,
    percent,
    plural,
)
from fusionscope.store.drift import NO_DRIFT, Drift

__all__ = ["summary_lines"]

# Columns of a share bar: names are cut so that it has the least, and a longer one than the most says no more.
_LEAST_BAR = 20
_MOST_BAR = 80

_COLUMNS = (Column(least=12, middle=True), Column(right=True), Column(right=True), Column(right=True))


class _Row(NamedTuple):
    """A row of the table: a name, two numbers, a share of 1, and what stands in place of a bar."""

    name: str
    number: str
    amount: str
    share: float | None
    beside: tuple[str, ...] = ()


class _Section(NamedTuple):
    """Rows below their headings."""

    heading: tuple[str, str, str, str]
    rows: list[_Row]
    beside: tuple[str, ...] = ()


def summary_lines(canvas: Canvas, found: Summary, skipped_records: int, drift: Drift = NO_DRIFT) -> list[Text]:
    """Return the figures, how many records of the logs were skipped, and above all what is not known."""
    banner = drift_sentence(drift.words, drift.types)
    top = [*canvas.wrapped(banner, "! ", "bold"), Text()] if banner else []
    warnings = _warnings(canvas, found, skipped_records)
    if not found.turns:
        return [*top, Text("no Fusion turns"), *warnings]
    lines = [*top, *_header(canvas, found), Text(), *_rates(canvas, found), Text()]
    lines += _sections(
        canvas,
        [
            _patterns(canvas, found),
            _legs(canvas, "model", found.by_model),
            _legs(canvas, "kind", found.by_kind),
            _tokens(found.tokens),
        ],
    )
    lines += _calls(canvas, found)
    if warnings:
        lines += [Text(), *warnings]
    return [*lines, Text(), *canvas.wrapped("Credits are the CLI's own figure, dollars their list price.", style="dim")]


def _header(canvas: Canvas, found: Summary) -> list[Text]:
    facts = [plural(found.turns, "turn"), plural(found.sessions, "session"), money(found.known_nano_aiu)]
    if found.extent:
        first, last = (local_day(moment, canvas.zone) for moment in found.extent)
        facts.append((first[0] if first[0] == last[0] else f"{first[0]} to {last[0]}") + f" {last[2]}".rstrip())
    return canvas.facts(facts, style="bold")


def _rates(canvas: Canvas, found: Summary) -> list[Text]:
    compound, rejections, review = found.compound, found.rejections, found.review
    spent = f"{credits(review.part)} of {credits(review.whole)}"
    rows: list[list[Cell]] = [
        [(name, ""), (percent(value), "bold"), (nothing if value is None else meaning, "")]
        for name, value, meaning, nothing in (
            (
                "compound rate",
                compound.value,
                f"({_of(compound)}) turns that more than one model ran",
                "no turn with a leg",
            ),
            (
                "judge rejection rate",
                rejections.value,
                f"({_of(rejections)}) verdicts that said reject",
                "no judge gave a verdict",
            ),
            ("review share", review.value, f"({spent}) credits not spent on the answer", "no credits"),
        )
    ]
    columns = (Column(), Column(right=True), Column(least=0))
    widths = fit(columns, rows, canvas.width)
    return [lay_out(canvas, columns, widths, row) for row in rows]


def _of(rate: figures.Rate) -> str:
    return f"{count(rate.part)} of {count(rate.whole)}"


def _patterns(canvas: Canvas, found: Summary) -> _Section:
    rows = []
    for name, each in found.by_pattern.items():
        median = "n/a" if each.median_nano_aiu is None else credits(each.median_nano_aiu)
        row = _spent(canvas.log_text(name), each.turns, each.nano_aiu, each.unmetered, found.nano_aiu)
        rows.append(row._replace(beside=(median, mean_seconds(each.mean_seconds))))
    return _Section(("pattern", "turns", "credits", "share"), rows, ("median", "mean time"))


def _legs(canvas: Canvas, heading: str, found: Mapping[str, figures.ModelFigures | figures.KindFigures]) -> _Section:
    whole = sum(each.nano_aiu for each in found.values())
    rows = [_spent(canvas.log_text(name), each.legs, each.nano_aiu, each.unmetered, whole) for name, each in found.items()]
    return _Section((heading, "legs", "credits", "share"), rows)


def _spent(name: str, parts: int, nano_aiu: int, unmetered: int, whole: int) -> _Row:
    """Return what ``parts`` turns or legs cost together, or that the cost of none of them is known."""
    if parts == unmetered:
        return _Row(name, count(parts), NOT_METERED, None)
    return _Row(name, count(parts), credits(nano_aiu), _share(nano_aiu, whole))


def _tokens(used: figures.Tokens) -> _Section:
    rows = [
        _Row("input", "", count(used.input), None),
        _Row("  cached", "", count(used.cached), _share(used.cached, used.input)),
        _Row("  cache-written", "", count(used.cache_write), _share(used.cache_write, used.input)),
        _Row("  fresh", "", count(used.fresh), _share(used.fresh, used.input)),
        _Row("output", "", count(used.output), None),
    ]
    return _Section(("tokens", "", "", "share"), rows)


def _sections(canvas: Canvas, sections: Sequence[_Section]) -> list[Text]:
    """Return the sections one below the other, in common columns, each with a blank line after it."""
    cells: list[list[Cell]] = []
    for section in sections:
        cells.append([(heading, "bold") for heading in section.heading])
        cells += [[(row.name, ""), (row.number, ""), (row.amount, ""), (_written(row.share), "")] for row in section.rows]
    widths = fit(_COLUMNS, cells, canvas.width - _LEAST_BAR - GAP)
    bar = min(canvas.width - sum(widths) - GAP * len(widths), _MOST_BAR)
    lines: list[Text] = []
    for section in sections:
        beside = [Column(heading, right=True) for heading in section.beside]
        texts: list[list[Cell]] = [[(text, "") for text in row.beside] for row in section.rows]
        room = fit(beside, texts, bar)
        head, rows = cells[0], cells[1 : len(section.rows) + 1]
        cells = cells[len(rows) + 1 :]
        lines.append(lay_out(canvas, [*_COLUMNS, *beside], [*widths, *room], [*head, *headings(beside, "bold")]))
        for line, row, text in zip(rows, section.rows, texts, strict=True):
            if beside:
                lines.append(lay_out(canvas, [*_COLUMNS, *beside], [*widths, *room], [*line, *text]))
            else:
                part = canvas.signs.share * round(max(bar, 0) * min(row.share or 0.0, 1.0))
                lines.append(lay_out(canvas, [*_COLUMNS, Column()], [*widths, max(bar, 0)], [*line, (part, "")]))
        lines.append(Text())
    return lines


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _written(share: float | None) -> str:
    return "" if share is None else percent(share, 1)


def _calls(canvas: Canvas, found: Summary) -> list[Text]:
    latency = found.routing_latency
    routing = ""
    if latency.min is not None and latency.mean is not None and latency.max is not None:
        least, mean, most = milliseconds(latency.min), milliseconds(latency.mean), milliseconds(latency.max)
        routing = f"routing {least} to {most}, mean {mean}"
    return canvas.facts([plural(found.requests, "call"), routing])


def _warnings(canvas: Canvas, found: Summary, skipped_records: int) -> list[Text]:
    """Return what the figures do not hold, or not for good."""
    said = []
    if skipped_records:
        said.append(f"{plural(skipped_records, 'record')} of the logs skipped, or a field of it: `fusionscope skipped`")
    if found.open_turns:
        said.append(f"{plural(found.open_turns, 'open turn')}: counted as far as known, in no median and no mean")
    if found.unmetered_legs:
        said.append(f"{plural(found.unmetered_legs, 'leg')} not metered: in no sum of credits")
    if found.not_itemised:
        said.append(f"{credits(found.not_itemised)} credits not itemised: in the turns' totals, in no leg")
    return [line for text in said for line in canvas.wrapped(text, "! ", "bold")]
