"""Whether whoever runs this may read or write a file."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["may"]

_EFFECTIVE = os.access in os.supports_effective_ids


def may(path: Path | bytes, mode: int) -> bool:
    """Whether the effective user has leave for ``mode`` (``os.R_OK``, ``os.W_OK``); no where there is no such file."""
    return os.access(path, mode, effective_ids=_EFFECTIVE)
