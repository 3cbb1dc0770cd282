"""The field report: the figures over some turns as a Markdown document with pictures, each with its reading and its caveats.

Every number comes from ``figures`` and ``worth``. Nothing of a session is in it but models, kinds and patterns: no id, no
repository, no branch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fusionscope.model import Turn
from fusionscope.report import figures, findings_parts
from fusionscope.report.drift import drift_sentence
from fusionscope.report.figures import Rate
from fusionscope.report.findings_parts import Part
from fusionscope.report.markdown import table, text
from fusionscope.report.summed_worth import Worth
from fusionscope.report.text import NOT_METERED, count, credits, money, percent, plural, rfc3339
from fusionscope.store.drift import NO_DRIFT, Drift

__all__ = ["PICTURES", "Findings", "findings"]

#: the directory of the pictures, beside the document
PICTURES = "findings"

#: fewer turns than this are called few
_FEW = 100


class Findings(NamedTuple):
    """The document, and its pictures (SVG) by the names of their files in the directory ``PICTURES``."""

    markdown: str
    pictures: dict[str, str]


def findings(
    turns: Sequence[Turn], worth: Sequence[Worth], skipped_records: int = 0, drift: Drift = NO_DRIFT, note: str | None = None
) -> Findings:
    """Return the field report over ``turns``, of which there is at least one.

    ``worth`` is that of their reviews, ``skipped_records`` and ``drift`` what the logs hold that could not be read or is not
    known, ``note`` a word of the person who reports on where the sessions are from. Days are UTC: the same turns give the same
    document on every machine.
    """
    parts = [
        findings_parts.patterns(turns),
        findings_parts.models(turns),
        findings_parts.kinds(turns),
        findings_parts.worth(worth),
        findings_parts.tokens(turns),
        findings_parts.times(turns),
    ]
    lines = ["# Findings", ""]
    if note:
        lines += [text(note), ""]
    lines += [_extent(turns), "", *_headline(turns), "", "## Before you read on", "", *_caveats(turns)]
    pictures: dict[str, str] = {}
    for part in parts:
        if part is not None:
            lines += ["", *_lines(part)]
            pictures |= {picture.name: picture.svg for picture in part.pictures}
    lines += ["", "## What is missing", "", *_missing(turns, skipped_records, drift), ""]
    return Findings("\n".join(lines), pictures)


def _lines(part: Part) -> list[str]:
    lines = [f"## {part.title}", ""]
    for picture in part.pictures:
        lines += [f"![{picture.alt}]({PICTURES}/{picture.name})", ""]
    lines += [*part.table, ""]
    lines += [f"**Reading.** {' '.join(part.reading)}", "", f"**Caveat.** {' '.join(part.caveat)}"]
    return lines


def _extent(turns: Sequence[Turn]) -> str:
    first, last = ((rfc3339(at) or "unknown day")[:10] for at in (turns[0].started_at, turns[-1].started_at))
    days = first if first == last else f"{first} to {last}"
    said = [
        plural(len(turns), "turn"),
        plural(figures.sessions(turns), "session"),
        f"{days} (UTC)",
        money(figures.known_nano_aiu(turns)),
        plural(figures.requests(turns), "model call"),
    ]
    return f"**{', '.join(said)}.**"


def _headline(turns: Sequence[Turn]) -> list[str]:
    compound = figures.compound_rate(turns)
    rejections = figures.judge_rejection_rate(turns)
    review = figures.review_share(turns)
    spent = (
        NOT_METERED if figures.known_nano_aiu(turns) is None else f"{credits(review.part)} of {credits(review.whole)} credits"
    )
    return table(
        ("figure", "what it is", "value", "from"),
        [
            ("compound rate", "turns that more than one model ran", percent(compound.value), f"{_of(compound)} turns"),
            ("judge rejection rate", "verdicts that said reject", percent(rejections.value), f"{_of(rejections)} verdicts"),
            ("review share", "credits not spent on the answer", percent(review.value), spent),
        ],
        numbers=2,
    )


def _caveats(turns: Sequence[Turn]) -> list[str]:
    number = len(turns)
    size = f"{plural(number, 'turn')} {'is' if number == 1 else 'are'} few: one dear turn moves every sum."
    if number >= _FEW:
        size = f"{plural(number, 'turn')}; a part of them may still be few."
    return [
        f"- {size} A rate stands with its counts.",
        "- One machine, and the work that was done on it. Other work gets other routes.",
        "- This is no benchmark. No prompt was run twice, and nobody graded the answers.",
        "- Pattern and difficulty are confounded: the router chooses the pattern by the prompt. "
        "That a pattern is dearer does not say that it is a dearer way to answer the same prompt.",
        "- Credits are the CLI's own figure and dollars their list price (1 credit = US$0.01). Neither is a bill.",
        "- The router's policy is served from elsewhere and changes without a release. The figures hold for their days.",
    ]


def _missing(turns: Sequence[Turn], skipped_records: int, drift: Drift) -> list[str]:
    said = []
    if skipped_records:
        said.append(f"{plural(skipped_records, 'record')} of the logs could not be read, or not wholly.")
    if running := figures.open_turns(turns):
        said.append(f"{plural(running, 'turn')} had not ended: counted as far as known, in no median and no mean.")
    if unmetered := figures.unmetered_legs(turns):
        said.append(f"{plural(unmetered, 'leg')} without credits in the log: in no sum.")
    if unexplained := figures.not_itemised(turns):
        said.append(f"{credits(unexplained)} credits are in the totals of turns and in no leg.")
    if unknown := drift_sentence(drift.words, drift.types):
        said.append(f"{text(unknown)}.")
    return [f"- {one}" for one in said] or ["Nothing that is known of: every record was read, and every leg has its credits."]


def _of(rate: Rate) -> str:
    return f"{count(rate.part)} of {count(rate.whole)}"
