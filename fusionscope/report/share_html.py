"""One turn as a page that opens anywhere: one file, no script, nothing to fetch, light and dark, readable on paper."""

from __future__ import annotations

from datetime import UTC
from html import escape

from fusionscope.model import Turn
from fusionscope.report import words
from fusionscope.report.text import count, credits, duration, local_time, milliseconds, money, shown
from fusionscope.report.timeline import Timeline, timeline
from fusionscope.report.words import Fate

__all__ = ["turn_page"]

_ROW, _WORDS_AT, _BAR_AT, _BAR = 40, 12, 18, 14  # SVG units: of a leg's row, and in it of its words and its bar
_LEAST = 0.3  # per cent of the axis that the shortest bar takes

_CSS = """
:root { color-scheme: light dark; --ink: #1b1f24; --quiet: #59636e; --paper: #ffffff; --rule: #d1d9e0;
  --answer: #1a7f37; --review: #8250df; --lost: #6e7781; --failed: #cf222e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --quiet: #9198a1; --paper: #0d1117; --rule: #3d444d;
  --answer: #3fb950; --review: #ab7df8; --lost: #8b949e; --failed: #f85149; } }
body { margin: 2rem auto; max-width: 62rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0; } p { margin: .3rem 0; } .quiet, footer { color: var(--quiet); }
.warning { font-weight: 600; } .wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 1.5rem 0; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--rule); text-align: left; white-space: nowrap; }
th { font-weight: 600; } .number { text-align: right; }
svg { display: block; margin: 1.5rem 0 0; width: 100%; } svg text { fill: var(--quiet); font-size: 12px; }
.axis { stroke: var(--rule); }
.fate-answer { fill: var(--answer); } .fate-other { fill: var(--review); }
.fate-failed, .fate-cancelled { fill: var(--failed); }
.fate-superseded, .fate-unused { fill: var(--lost); }
footer { margin-top: 2rem; font-size: .85rem; }
"""


def turn_page(turn: Turn) -> str:
    """Return the page of a turn, made for sharing before: it shows the ids, repository and branch that ``turn`` has."""
    line, fates = timeline(turn), words.fates(turn)
    title = " ".join(filter(None, (words.pattern(turn), words.state(turn))))
    lasted = "" if turn.route_failure is not None else words.time_taken(turn)
    facts = [lasted, money(turn.nano_aiu), f"asked for {shown(turn.synthetic_model)}" if turn.synthetic_model else ""]
    notes = [f'<p class="{"warning" if note.warning else "quiet"}">{escape(note.text)}</p>' for note in words.notes(turn, line)]
    return "\n".join([
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Fusion turn: {escape(title)}, {escape(money(turn.nano_aiu))}</title>",
        f"<style>{_CSS}</style>",
        "</head>",
        "<body>",
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(', '.join(filter(None, facts)))}</p>",
        f'<p class="quiet">{escape(local_time(turn.started_at, UTC))}</p>',
        *_waterfall(turn, line, fates),
        *notes,
        *_table(turn, fates),
        f"<footer><p>{escape(', '.join(_origin(turn)))}</p>",
        "<p>Ids are hashes of the real ones. Times are those of the log. Credits at list price: 1 credit is US$0.01.</p>",
        "</footer>",
        "</body>",
        "</html>",
        "",
    ])  # fmt: skip


def _waterfall(turn: Turn, line: Timeline, fates: tuple[Fate, ...]) -> list[str]:
    if not turn.legs:
        return []
    base = _ROW * len(turn.legs)
    said = "; ".join(f"{shown(leg.model)} {words.verb(turn, leg)}, {duration(leg.duration_ms)}" for leg in turn.legs)
    drawn = [f'<svg role="img" height="{base + 20}" aria-label="{escape(said)}">']
    for place, (leg, fate, span) in enumerate(zip(turn.legs, fates, line.spans, strict=True)):
        x = min(_percent(line, span.start_ms), 100 - _LEAST)
        width = max(_LEAST, _percent(line, span.end_ms) - x)
        words_of = f"{shown(leg.model)} {words.verb(turn, leg)}, {duration(leg.duration_ms)}, {credits(leg.nano_aiu)}"
        drawn += [
            f'<text x="0" y="{place * _ROW + _WORDS_AT}">{escape(words_of)}</text>',
            f'<rect class="fate-{fate.name.lower()}" x="{x:.2f}%" y="{place * _ROW + _BAR_AT}" width="{width:.2f}%"'
            f' height="{_BAR}" rx="2"/>',
        ]
    return [
        *drawn,
        f'<line class="axis" x1="0" x2="100%" y1="{base + 1}" y2="{base + 1}"/>',
        f'<text x="0" y="{base + 16}">0</text>',
        f'<text x="100%" y="{base + 16}" text-anchor="end">{escape(duration(line.length_ms))}</text>',
        "</svg>",
    ]


def _percent(line: Timeline, moment_ms: float) -> float:
    return (moment_ms - line.begin_ms) / line.length_ms * 100 if line.length_ms > 0 else 0.0


_HEADINGS = ("model", "leg", "result", "time", "credits", "fresh", "cached", "cache-written", "output", "calls")
_TEXTS = 3  # the first columns; the others are numbers


def _table(turn: Turn, fates: tuple[Fate, ...]) -> list[str]:
    if not turn.legs:
        return []
    rows = [
        (
            shown(leg.model), words.verb(turn, leg), words.remark(leg, fate), duration(leg.duration_ms), credits(leg.nano_aiu),
            count(leg.fresh_tokens), count(leg.cached_tokens), count(leg.cache_write_tokens), count(leg.output_tokens),
            count(leg.requests),
        )
        for leg, fate in zip(turn.legs, fates, strict=True)
    ]  # fmt: skip
    made = ['<div class="wide"><table>', f"<thead>{_row(_HEADINGS, 'th')}</thead>", "<tbody>"]
    return [*made, *(_row(row, "td") for row in rows), "</tbody></table></div>"]


def _row(cells: tuple[str, ...], tag: str) -> str:
    made = []
    for place, cell in enumerate(cells):
        kind = "" if place < _TEXTS else ' class="number"'
        made.append(f"<{tag}{kind}>{escape(cell)}</{tag}>")
    return f"<tr>{''.join(made)}</tr>"


def _origin(turn: Turn) -> list[str]:
    latency = turn.routing_latency_ms
    return [
        f"turn {shown(turn.fusion_id)}",
        f"session {shown(turn.session_id)}",
        *([f"repository {shown(turn.repository)}"] if turn.repository else []),
        *([f"branch {shown(turn.branch)}"] if turn.branch else []),
        *([f"policy {shown(turn.policy)}"] if turn.policy else []),
        *([f"route {shown(turn.route_source)}"] if turn.route_source else []),
        *([f"routing {milliseconds(latency)}"] if latency is not None else []),
        *([f"CLI {shown(turn.cli_version)}"] if turn.cli_version else []),
        "made by Fusionscope",
    ]
