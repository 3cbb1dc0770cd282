"""Which client wrote a session: one key of the ``workspace.yaml`` beside its log.

The file also holds the working directory and a name made from the first prompt. So it is not parsed: the one line is found
by its first bytes, and nothing else of the file is kept.
"""

from __future__ import annotations

import os
import re

__all__ = ["client_name"]

_LONGEST_FILE = 1 << 16  # bytes; the CLI writes a few hundred
_CLIENT = re.compile(rb"^client_name:[ \t]*[\"']?([A-Za-z0-9_./@ +-]{1,80}?)[\"']?[ \t]*\r?$", re.MULTILINE)


def client_name(log_path: bytes) -> str | None:
    """The client that wrote the log, for example ``github/cli``; ``None`` where nothing says so."""
    try:
        with open(os.path.join(os.path.dirname(log_path), b"workspace.yaml"), "rb", buffering=0) as file:  # noqa: PTH118, PTH120
            found = _CLIENT.search(file.read(_LONGEST_FILE))
    except OSError:
        return None
    return found[1].decode() if found else None
