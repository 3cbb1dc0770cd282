"""Pages of a long list: which items are on a page, and which pages to link to."""

from pages.numbers import page_count, page_of, slice_of
from pages.links import links

__all__ = ["links", "page_count", "page_of", "slice_of"]
