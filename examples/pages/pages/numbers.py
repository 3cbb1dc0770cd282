"""Items to pages and back. Items count from 0, pages from 1."""


def page_count(items: int, size: int) -> int:
    """Return how many pages ``items`` take; an empty list has one empty page."""
    return max(1, -(-items // size))


def page_of(item: int, size: int) -> int:
    """Return the page on which an item stands."""
    return item // size + 1


def slice_of(page: int, size: int) -> slice:
    """Return the items of a page."""
    return slice((page - 1) * size, page * size)
