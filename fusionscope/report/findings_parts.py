"""The parts of the field report: a table, pictures, what the figures say, and what they do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fusionscope.model import Turn
from fusionscope.model import credits as as_credits
from fusionscope.report import figures
from fusionscope.report.bars import Bar, bars
from fusionscope.report.figures import KindFigures, ModelFigures, PatternFigures
from fusionscope.report.markdown import code, table
from fusionscope.report.summed_worth import Worth
from fusionscope.report.text import NOT_METERED, count, credits, mean_seconds, milliseconds, percent, plural

__all__ = ["Part", "Picture", "kinds", "models", "patterns", "times", "tokens", "worth"]

#: bars of a picture; the table has all rows
_MOST_BARS = 12

#: fewer turns than this make no median
_FEW = 10


class Picture(NamedTuple):
    """A picture: the name of its file, what it shows in words, and its SVG."""

    name: str
    alt: str
    svg: str


class Part(NamedTuple):
    """A part of the report: ``table`` in lines of Markdown, ``reading`` and ``caveat`` in sentences."""

    title: str
    table: list[str]
    pictures: tuple[Picture, ...]
    reading: list[str]
    caveat: list[str]


def patterns(turns: Sequence[Turn]) -> Part:
    """Credits, median turn and mean time by pattern."""
    found = figures.by_pattern(turns)
    whole = figures.nano_aiu(turns)
    rows = [
        (
            code(name),
            count(each.turns),
            _credits(each, each.turns),
            percent(each.nano_aiu / whole if whole else None, 1),
            "n/a" if each.median_nano_aiu is None else credits(each.median_nano_aiu),
            mean_seconds(each.mean_seconds),
        )
        for name, each in found.items()
    ]
    medians = {name: each.median_nano_aiu for name, each in found.items() if each.median_nano_aiu is not None}
    pictures = (
        _spent("credits-by-pattern.svg", "Credits by pattern", {name: each.nano_aiu for name, each in found.items()}),
        _spent("median-by-pattern.svg", "Credits of the median turn, by pattern", medians),
    )
    few = [f"{code(name)} ({count(each.turns)})" for name, each in found.items() if each.turns < _FEW]
    caveat = ["The prompts of one pattern are not those of another, so no row is the price of answering the same prompt."]
    if few:
        caveat.append(f"A median of fewer than {_FEW} turns is an anecdote: {', '.join(few)}.")
    heading = ("pattern", "turns", "credits", "share", "median turn", "mean time")
    return Part("Patterns", table(heading, rows, numbers=1), pictures, _patterns_reading(found, whole, medians), caveat)


def _patterns_reading(found: Mapping[str, PatternFigures], whole: int, medians: Mapping[str, int]) -> list[str]:
    usual, first = next(iter(found.items()))
    said = [f"{count(first.turns)} of {plural(sum(each.turns for each in found.values()), 'turn')} ran as {code(usual)}."]
    if whole:
        dear = max(found, key=lambda name: found[name].nano_aiu)
        part = found[dear]
        said.append(f"Most credits went to {code(dear)}: {percent(part.nano_aiu / whole)} in {plural(part.turns, 'turn')}.")
    if len(medians) > 1 and min(medians.values()):
        least, most = min(medians, key=medians.__getitem__), max(medians, key=medians.__getitem__)
        times = medians[most] / medians[least]
        said.append(f"The median turn of {code(most)} cost {times:,.1f} times that of {code(least)}.")
    return said


def models(turns: Sequence[Turn]) -> Part | None:
    """Credits by the model that ran the leg."""
    found = figures.by_model(turns)
    if not found:
        return None
    rows = [
        (code(name), count(each.legs), _credits(each, each.legs), percent(each.share, 1), _each(each))
        for name, each in found.items()
    ]
    said = [
        f"{code(name)} took {percent(each.share)} of the legs' credits in {plural(each.legs, 'leg')}, {_each(each)} a leg."
        for name, each in list(found.items())[:2]
        if each.share
    ]
    return Part(
        "Models",
        table(("model", "legs", "credits", "share", "mean leg"), rows, numbers=1),
        (_spent("credits-by-model.svg", "Credits by model", {name: each.nano_aiu for name, each in found.items()}),),
        said or ["The log says no credits of any leg."],
        [
            "The mean leg of a model depends on the legs that it was given. A leg that solves reads the project; "
            "a judge or a critic reads little more than a draft. It is no price of the model."
        ],
    )


def kinds(turns: Sequence[Turn]) -> Part | None:
    """Credits by the kind of the leg, and the review share."""
    found = figures.by_kind(turns)
    if not found:
        return None
    rows = [(code(name), count(each.legs), _credits(each, each.legs), _each(each)) for name, each in found.items()]
    review = figures.review_share(turns)
    said = ["The log says no credits of any leg."]
    if review.whole:
        said = [
            f"Legs whose output nobody received cost {credits(review.part)} of {credits(review.whole)} credits, "
            f"a review share of {percent(review.value)}."
        ]
    return Part(
        "Kinds of legs",
        table(("kind", "legs", "credits", "mean leg"), rows, numbers=1),
        (_spent("credits-by-kind.svg", "Credits by kind of leg", {name: each.nano_aiu for name, each in found.items()}),),
        said,
        [
            "The review share holds rejected drafts too: their output reached nobody. It says what checking cost, "
            "not what the answers would have been without it."
        ],
    )


def worth(pairs: Sequence[Worth]) -> Part | None:
    """What judges said of drafts, and what that cost and saved."""
    if not pairs:
        return None
    rows = [
        (
            "no draft in the log" if pair.drafter is None else code(pair.drafter),
            code(pair.judge),
            count(pair.accepted),
            count(pair.rejected),
            count(pair.other),
            credits(pair.checks_nano_aiu),
            "n/a" if pair.saved_nano_aiu is None else credits(pair.saved_nano_aiu),
        )
        for pair in pairs
    ]
    accepted, rejected = sum(pair.accepted for pair in pairs), sum(pair.rejected for pair in pairs)
    checks = sum(pair.checks_nano_aiu for pair in pairs)
    saved = [pair.saved_nano_aiu for pair in pairs if pair.saved_nano_aiu is not None]
    said = [
        f"Judges accepted {plural(accepted, 'draft')} and rejected {count(rejected)}.",
        f"The checks cost {credits(checks)} credits.",
    ]
    if saved:
        word = "less" if sum(saved) >= 0 else "more"
        amount = credits(abs(sum(saved)))
        said.append(f"Turns with an accepted draft cost {amount} credits {word} than as many median turns of `single`.")
    return Part(
        "What checking was worth",
        table(("drafter", "judge", "accepted", "rejected", "other", "checks", "saved"), rows, numbers=2),
        (),
        said,
        [
            "`saved` compares with the median turn of another pattern, which answered other prompts. "
            "What the accepted answers were worth, no log says."
        ],
    )


def tokens(turns: Sequence[Turn]) -> Part | None:
    """Tokens of all legs by what they were."""
    used = figures.tokens(turns)
    if not used.input:
        return None
    parts = {"cached input": used.cached, "cache-written input": used.cache_write, "fresh input": used.fresh}
    rows = [(name, count(number), percent(number / used.input, 1)) for name, number in parts.items()]
    rows += [("**all input**", count(used.input), ""), ("output", count(used.output), "")]
    title = "Tokens"
    drawn = bars(title, [Bar(name, number, count(number)) for name, number in (parts | {"output": used.output}).items()])
    said = [f"{percent(used.cached / used.input)} of the input came from a cache."]
    if used.output:
        said.insert(0, f"Models read {used.input / used.output:,.0f} tokens for each that they wrote.")
    return Part(
        title,
        table(("tokens", "number", "of the input"), rows, numbers=1),
        (Picture("tokens.svg", f"{title}, as in the table below.", drawn),),
        said,
        ["Tokens of different models have different prices, so these sums are work and not money."],
    )


def times(turns: Sequence[Turn]) -> Part | None:
    """The time that routing and turns took."""
    latency = figures.routing_latency(turns)
    means = {name: each.mean_seconds for name, each in figures.by_pattern(turns).items() if each.mean_seconds is not None}
    if not means:
        return None
    rows = [(f"mean turn, {code(name)}", mean_seconds(value)) for name, value in means.items()]
    said = []
    if latency.min is not None and latency.mean is not None and latency.max is not None:
        rows.append(("routing, least", milliseconds(latency.min)))
        rows.append(("routing, mean", milliseconds(latency.mean)))
        rows.append(("routing, most", milliseconds(latency.max)))
        said.append(f"Routing took {milliseconds(latency.mean)} on average.")
    slow = max(means, key=means.__getitem__)
    said.append(f"Turns of {code(slow)} took the longest, {mean_seconds(means[slow])} on average.")
    title = "Mean time of a turn, by pattern"
    drawn = bars(title, [Bar(name, value, mean_seconds(value)) for name, value in list(means.items())[:_MOST_BARS]])
    return Part(
        "Time",
        table(("time", "value"), rows, numbers=1),
        (Picture("time-by-pattern.svg", f"{title}, as in the table below.", drawn),),
        said,
        ["A turn's time is from the prompt to its end: routing, models, and the tools that ran. A slow test suite is in it."],
    )


def _spent(name: str, title: str, amounts: Mapping[str, int]) -> Picture:
    """A picture of credits, the most first."""
    most = sorted(amounts.items(), key=lambda item: -item[1])[:_MOST_BARS]
    drawn = bars(title, [Bar(label, as_credits(amount), credits(amount)) for label, amount in most])
    return Picture(name, f"{title}, as in the table below.", drawn)


def _credits(each: PatternFigures | ModelFigures | KindFigures, parts: int) -> str:
    return NOT_METERED if parts == each.unmetered else credits(each.nano_aiu)


def _each(each: ModelFigures | KindFigures) -> str:
    """The mean leg in credits, over the legs that are metered."""
    metered = each.legs - each.unmetered
    return credits(round(each.nano_aiu / metered)) if metered else NOT_METERED
