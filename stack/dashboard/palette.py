"""Colours. Kinds, patterns, verdicts and outcomes are the product's own words and have fixed ones; models have not.

A model's colour follows from its name: Grafana takes it from its classic palette by a hash of the text, the same in bars,
series and cells (``getColorByStringHash``). It stays when models come and go, and no model is named here. Two models can
get the same colour. Words that are new are coloured by their names too.
"""

from __future__ import annotations

from grafana_foundation_sdk.builders.dashboard import FieldColor
from grafana_foundation_sdk.models.dashboard import DynamicConfigValue, FieldColorModeId

__all__ = ["KINDS", "OUTCOMES", "PATTERNS", "VERDICTS", "by_name", "fixed", "of_words", "pills"]

PATTERNS = {"single": "blue", "cascade": "orange", "critique": "purple", "unknown": "#8e8e8e"}
#: work warm or blue, checks in violet and red, as they are no answer
KINDS = {
    "primary": "blue",
    "draft": "light-blue",
    "repair": "orange",
    "revision": "yellow",
    "follow_up": "green",
    "judge": "purple",
    "critic": "light-purple",
}
VERDICTS = {"accept": "green", "reject": "red"}
OUTCOMES = {"completed": "green", "failed": "red", "cancelled": "#8e8e8e", "abandoned": "orange"}


def by_name() -> FieldColor:
    """Return the colour that follows from a series' name."""
    return FieldColor().mode(FieldColorModeId.PALETTE_CLASSIC_BY_NAME)


def fixed(colour: str) -> DynamicConfigValue:
    """Return one colour, for a series of one name."""
    return DynamicConfigValue("color", {"mode": "fixed", "fixedColor": colour})


def pills(words: dict[str, str] | None = None) -> list[DynamicConfigValue]:
    """Return a table column whose values are coloured one by one: ``words`` as given, others by their text.

    The cell type came with Grafana 12.1; older ones show plain text.
    """
    cells = DynamicConfigValue("custom.cellOptions", {"type": "pill"})
    return [cells, of_words(words) if words else DynamicConfigValue("color", {"mode": "palette-classic-by-name"})]


def of_words(words: dict[str, str]) -> DynamicConfigValue:
    """Return value mappings that give words their colours."""
    options = {word: {"color": colour, "index": index} for index, (word, colour) in enumerate(words.items())}
    return DynamicConfigValue("mappings", [{"type": "value", "options": options}])
