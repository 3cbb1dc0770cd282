"""A file of predictions: TOML, one ``[[prompt]]`` for each prompt in the order in which they are asked.

Only the keys below are read. Others, such as the text of the prompt, are for the person who asks.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

__all__ = ["Expected", "Prompt", "decode"]

_Word = Annotated[str, Meta(min_length=1, max_length=512)]


class Prompt(Struct):
    """The pattern that is expected of one prompt; a session of its own where it was not asked in that of the file."""

    pattern: _Word
    name: _Word | None = None
    session: _Word | None = None


class Expected(Struct):
    """The prompts in order; ``session`` is the beginning of the id of the one they were asked in."""

    prompt: Annotated[list[Prompt], Meta(min_length=1)]
    session: _Word | None = None


def decode(text: bytes) -> Expected:
    """Return the file's predictions.

    Raises:
        ValueError: it is no TOML, no text, or not of this shape.
    """
    try:
        return msgspec.toml.decode(text, type=Expected)
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from error
