"""The views: what each address shows."""

from __future__ import annotations

from starlette.routing import Route

__all__ = ["routes"]


def routes() -> list[Route]:
    """Every view with its address."""
    return []
