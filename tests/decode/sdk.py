"""The event types of `github-copilot-sdk`, out of its wheel and without installing it.

Every version is a module of its own: the generated types are one file that needs nothing of the package but dateutil.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
import sys
import types
import typing
import zipfile
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

__all__ = ["ANY_KEY", "VERSIONS", "Sdk", "example", "load", "members"]

#: 1.0.9 is the last without Fusion types that the format was compared with; `newest` is what comes without a version
VERSIONS = ("1.0.9", "1.0.13", "1.0.20", "1.0.27", "newest")

#: in an example, the key of an object that may have any
ANY_KEY = "(any)"

_WHEELS = Path(__file__).parents[2] / ".sdk"
_FILE = "copilot/generated/session_events.py"


class Sdk:
    """One version of the generated types; ``added`` is source that a newer version might have."""

    def __init__(self, version: str, source: str, added: str = "") -> None:
        self.version = version
        self.source = source
        self._module = types.ModuleType(f"copilot_sdk_{version.replace('.', '_')}{'_added' if added else ''}")
        sys.modules[self._module.__name__] = self._module  # where dataclasses look for the names in annotations
        exec(compile(source + added, f"{version}/{_FILE}", "exec"), vars(self._module))

    @property
    def event_types(self) -> set[str]:
        """Every type of an event; ``unknown`` is the SDK's own word for a type that it does not know."""
        return {str(member.value) for member in self.type("SessionEventType")} - {"unknown"}

    def type(self, name: str) -> Any:
        """A type by its name, internal or not; ``None``: this version has none of that name."""
        return getattr(self._module, name, None) or getattr(self._module, f"_{name}", None)

    def data(self, kind: str) -> Any:
        """The class of the data of the event type ``kind``; ``None``: this version has none."""
        return self.type("".join(word.capitalize() for word in kind.replace(".", "_").split("_")) + "Data")

    def enumerations(self) -> dict[str, set[str]]:
        """The values of every enumeration, by its name."""
        found = inspect.getmembers(self._module, lambda member: inspect.isclass(member) and issubclass(member, Enum))
        return {name.lstrip("_"): {member.value for member in members} for name, members in found}

    def annotations(self, cls: Any) -> dict[str, Any]:
        """The fields of one of its classes, each with its type."""
        hints = typing.get_type_hints(cls, vars(self._module))
        return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


@cache
def load(version: str) -> Sdk:
    """The types of ``version``; skips the test where the wheel is missing, or fails it where CI must have it."""
    wheels = sorted((_WHEELS / version).glob("github_copilot_sdk-*.whl"))
    if not wheels:
        sentence = f"github-copilot-sdk {version} is not in {_WHEELS.name}/ (`make contract-sdk` fetches it)"
        if os.environ.get("CI") == "true":
            pytest.fail(sentence)
        pytest.skip(sentence)
    with zipfile.ZipFile(wheels[-1]) as wheel:
        return Sdk(version, wheel.read(_FILE).decode())


def members(annotation: Any) -> list[Any]:
    """The types that a union is made of, ``None`` among them as ``type(None)``; of any other type, itself."""
    is_union = typing.get_origin(annotation) in (types.UnionType, typing.Union)
    return list(typing.get_args(annotation)) if is_union else [annotation]


def example(sdk: Sdk, annotation: Any) -> Any:
    """A value of a type in which every field is set, those of the objects in it too."""
    (wanted, *_) = [member for member in members(annotation) if member is not type(None)]
    if typing.get_origin(wanted) is list:
        return [example(sdk, item) for item in typing.get_args(wanted)]
    if typing.get_origin(wanted) is dict:
        return {ANY_KEY: example(sdk, typing.get_args(wanted)[1])}
    if dataclasses.is_dataclass(wanted):
        return wanted(**{name: example(sdk, hint) for name, hint in sdk.annotations(wanted).items()})  # type: ignore[operator]
    if inspect.isclass(wanted) and issubclass(wanted, Enum):
        return next(iter(wanted))
    return _EXAMPLES[wanted]


_EXAMPLES = {
    str: "x", int: 1, float: 1.5, bool: True, Any: {"any": "thing"}, UUID: UUID(int=1),
    timedelta: timedelta(seconds=1), datetime: datetime(2026, 11, 30, tzinfo=UTC),
}  # fmt: skip
