"""What an object of the SDK says, by our names, and how it gets into a log and from there into a store."""

from __future__ import annotations

import dataclasses
import json
import math
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.conftest import Stage
from tests.decode.sdk import Sdk, example
from tests.decode.strategies import written
from tests.logs import Log, place

if TYPE_CHECKING:
    from hypothesis.strategies import DataObject

__all__ = ["Writer", "indexed", "rounded", "told"]


def told(made: Any, names: Mapping[str, str | None], without: Mapping[str, Any]) -> dict[str, Any]:
    """What an object of the SDK says.

    Args:
        names: our name of a field that the SDK calls otherwise; ``None``: not kept.
        without: what we say, by our names, where the object says nothing; ``None`` where it is not named.
    """
    found = {}
    for field, value in vars(made).items():
        if name := names.get(field, field):
            found[name] = without.get(name) if value is None else _value(name, value)
    return found


def _value(name: str, value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, timedelta):
        return value / timedelta(milliseconds=1)
    if dataclasses.is_dataclass(value):
        return told(value, {}, {})
    if isinstance(value, list):
        return [told(item, {}, {}) for item in value]
    return rounded(value) if "nano_aiu" in name else value


def rounded(amount: float) -> int:
    """Half up, with exact fractions."""
    return math.floor(Fraction(amount) + Fraction(1, 2))


class Writer:
    """Writes objects of the SDK into a log, each in one of the ways in which JSON can say it."""

    def __init__(self, sdk: Sdk, draw: DataObject, agent_id: str | None = None) -> None:
        self.log = Log()
        self._sdk, self._draw = sdk, draw
        self._envelope = {"agentId": agent_id} if agent_id else {}

    def write(self, kind: str, made: Any) -> int:
        """Write an object, or the data itself, as an event of type ``kind``; returns the event's moment."""
        data = made if isinstance(made, dict) else made.to_dict()
        whole = {} if isinstance(made, dict) else example(self._sdk, type(made)).to_dict()
        line = self.log.event(kind, envelope=self._envelope, **self._draw.draw(written(data, whole)))
        return round(datetime.fromisoformat(json.loads(line)["timestamp"]).timestamp() * 1_000)


@contextmanager
def indexed(log: Log) -> Iterator[Stage]:
    """A store that was made from one log, of which every record could be read and every word was known."""
    with tempfile.TemporaryDirectory() as directory:
        stage = Stage(Path(directory))
        place(stage.root, log)
        stage.index()
        assert stage.reasons() == []
        try:
            yield stage
        finally:
            stage.connection.close()
