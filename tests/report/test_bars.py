"""Bars: lengths in proportion, text that cannot become markup."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from fusionscope.report.bars import Bar, bars

SVG = "{http://www.w3.org/2000/svg}"


def _drawn(svg: str) -> tuple[list[float], list[str]]:
    """The lengths of the bars, and all texts."""
    root = ElementTree.fromstring(svg)
    lengths = [float(rect.attrib["width"]) for rect in root.iter(f"{SVG}rect") if rect.attrib["class"] == "bar"]
    return lengths, [text.text or "" for text in root.iter(f"{SVG}text")]


def test_the_lengths_are_in_proportion_to_the_amounts() -> None:
    lengths, texts = _drawn(bars("Credits", [Bar("a", 40.0, "40"), Bar("b", 10.0, "10"), Bar("c", 0.0, "0")]))
    assert lengths[1] == pytest.approx(lengths[0] / 4, abs=0.1)
    assert lengths[2] == 0
    assert texts == ["Credits", "a", "40", "b", "10", "c", "0"]


def test_bars_of_nothing_have_no_length_and_no_bar_is_no_failure() -> None:
    assert _drawn(bars("Credits", [Bar("a", 0.0, "0")]))[0] == [0.0]
    assert _drawn(bars("Credits", [])) == ([], ["Credits"])


def test_everything_stays_inside_the_picture() -> None:
    svg = bars("Credits", [Bar("m" * 200, 1e9, "1,000,000,000.00"), Bar("b", 1.0, "1.00")])
    root = ElementTree.fromstring(svg)
    (_, _, width, height) = map(float, root.attrib["viewBox"].split())
    for rect in root.iter(f"{SVG}rect"):
        assert float(rect.get("x", 0)) + float(rect.attrib["width"]) <= width
        assert float(rect.get("y", 0)) + float(rect.attrib["height"]) <= height
    (last,) = [text for text in root.iter(f"{SVG}text") if text.text == "1,000,000,000.00"]
    assert float(last.attrib["x"]) + 7.3 * len("1,000,000,000.00") <= width


def test_text_of_a_log_becomes_no_markup() -> None:
    hostile = '</text><script>alert("1")</script>\x1b[31m&'
    svg = bars(hostile, [Bar(hostile, 1.0, hostile)])
    assert "<script" not in svg
    assert "\x1b" not in svg
    tags = {element.tag.removeprefix(SVG) for element in ElementTree.fromstring(svg).iter()}
    assert tags == {"svg", "title", "style", "rect", "text"}


def test_the_picture_fetches_nothing_and_has_colours_for_light_and_dark() -> None:
    svg = bars("Credits", [Bar("a", 1.0, "1")])
    assert "prefers-color-scheme: dark" in svg
    assert [word for word in ("href", "url(", "@import", "src=") if word in svg] == []
