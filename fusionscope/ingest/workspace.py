"""Which client wrote a session: one key of the ``workspace.yaml`` beside its log.

The file also holds the working directory and a name made from the first prompt. So it is not parsed: the one line is found
by its first bytes, and nothing else of the file is kept.
"""

from __future__ import annotations

import os
import re

__all__ = ["client_name"]

_LONGEST_FILE = 1 << 16  # bytes; the CLI writes a few hundred
_NAME = rb"[A-Za-z0-9_./@ +-]{1,80}"
# a YAML scalar in double or single quotes, or plain; a remark may follow
_CLIENT = re.compile(
    rb"^client_name:[ \t]+(?:\"(%b)\"|'(%b)'|(%b?))[ \t]*(?:[ \t]#.*)?\r?$" % (_NAME, _NAME, _NAME), re.MULTILINE
)
_NULL = frozenset({b"null", b"Null", b"NULL"})


def client_name(log_path: bytes) -> str | None:
    """The client that wrote the log, for example ``github/cli``; ``None`` where nothing says so."""
    try:
        with open(os.path.join(os.path.dirname(log_path), b"workspace.yaml"), "rb", buffering=0) as file:  # noqa: PTH118, PTH120
            found = _CLIENT.search(file.read(_LONGEST_FILE))
    except OSError:
        return None
    if not found or found[3] in _NULL:
        return None
    return (found[1] or found[2] or found[3]).decode().strip() or None
