"""A page as a reader has it: headings, tables by their caption, lists of facts, links, texts."""

from __future__ import annotations

from html.parser import HTMLParser

__all__ = ["Reading"]

#: these have no end
_VOID = {"meta", "link", "input"}

#: these end without being told when the other begins
_ENDED_BY = {"td": ("td", "th"), "th": ("td", "th"), "tr": ("td", "th", "tr")}


class Reading(HTMLParser):
    """What an HTML page says.

    ``tables``: rows of cell texts by caption. ``facts``: texts of ``dd`` by that of their ``dt``. ``links``: addresses by text.
    ``texts``: texts by class, or by tag. ``tags``: every tag with its attributes.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.facts: dict[str, list[str]] = {}
        self.links: dict[str, str] = {}
        self.texts: dict[str, list[str]] = {}
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[tuple[str, dict[str, str | None], list[str]]] = []
        self._rows: list[list[str]] = []
        self._caption = self._fact = ""
        self.feed(html)
        self.close()
        assert not self._open, "every tag has its end"

    @property
    def headings(self) -> list[str]:
        """The texts of ``h1`` and ``h2``."""
        return self.texts.get("h1", []) + self.texts.get("h2", [])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        while self._open and self._open[-1][0] in _ENDED_BY.get(tag, ()):
            self._end()
        self.tags.append((tag, dict(attrs)))
        if tag == "table":
            self._rows, self._caption = [], ""
        if tag == "tr":
            self._rows.append([])
        if tag not in _VOID:
            self._open.append((tag, dict(attrs), []))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        for _, _, said in self._open:
            said.append(data)

    def handle_endtag(self, tag: str) -> None:
        while self._open[-1][0] != tag and self._open[-1][0] in _ENDED_BY["tr"]:
            self._end()
        assert self._open[-1][0] == tag, f"{self._open[-1][0]} ends with {tag}"
        self._end()

    def _end(self) -> None:
        tag, attributes, said = self._open.pop()
        self._keep(tag, attributes, " ".join("".join(said).split()))

    def _keep(self, tag: str, attributes: dict[str, str | None], text: str) -> None:
        if tag in ("h1", "h2", "title", "li", "main"):
            self.texts.setdefault(tag, []).append(text)
        for name in (attributes.get("class") or "").split():
            self.texts.setdefault(name, []).append(text)
        if tag == "caption":
            self._caption = text
        elif tag in ("td", "th"):
            self._rows[-1].append(text)
        elif tag == "table":
            self.tables[self._caption] = self._rows
        elif tag == "dt":
            self._fact = text
        elif tag == "dd":
            self.facts.setdefault(self._fact, []).append(text)
        elif tag == "a":
            self.links[text] = attributes.get("href") or ""
