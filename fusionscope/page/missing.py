"""What is said where there is nothing at an address."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from fusionscope.page.render import render

__all__ = ["missing"]


def missing(request: Request, heading: str, sentence: str, fits: Sequence[tuple[str, str]] = ()) -> Response:
    """Return a page that says so; ``fits`` are names and addresses of what may have been meant."""
    return render(request, "missing.html", 404, heading=heading, sentence=sentence, fits=fits)
