"""The pages to link to from one page: a window around it, never beyond either end."""


def links(page: int, pages: int, width: int = 5) -> list[int]:
    """Return at most ``width`` page numbers around ``page``, as many as there are of ``pages``."""
    first = max(1, min(page - width // 2, pages - width + 1))
    return list(range(first, min(first + width, pages)))
