"""Random values of the SDK's classes, and the many ways in which one value can be written in a log."""

from __future__ import annotations

import dataclasses
import inspect
import os
import typing
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from tests.decode.sdk import ANY_KEY, Sdk, members

__all__ = ["instances", "some", "words", "written"]

some = settings(
    max_examples=int(os.environ.get("FUSIONSCOPE_SDK_EXAMPLES", "15")),
    deadline=None,
    phases=[Phase.reuse, Phase.generate],  # making a failure small takes minutes, and what differs is named without it
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
_texts = st.text(st.characters(codec="utf-8"), max_size=20)
_counts = st.integers(0, 2**53 - 1)
_fractions = st.floats(0, 1e9)
# what a sum of nano-AIU may be: whole, half, anything
_amounts = _counts.map(float) | st.integers(0, 2**40).map(lambda halves: halves / 2) | st.floats(0, 2**53 - 1)


def instances(sdk: Sdk, cls: Any, among: Collection[str] | None = None, **given: Any) -> st.SearchStrategy[Any]:
    """Values of one of the SDK's classes: each field at random by its type, or as ``given``.

    Args:
        among: the optional fields that may be set; ``None``: all.
        given: strategies of fields; those that this version has not are left out.
    """
    fields = {}
    for field in dataclasses.fields(cls):
        if field.name in given:
            fields[field.name] = given[field.name]
        elif among is None or field.default is dataclasses.MISSING or field.name in among:
            fields[field.name] = _values(sdk, sdk.annotations(cls)[field.name], field.name)
    return st.builds(cls, **fields)


def _values(sdk: Sdk, annotation: Any, name: str) -> st.SearchStrategy[Any]:
    return st.one_of([_plain(sdk, member, name) for member in members(annotation)])


def _plain(sdk: Sdk, wanted: Any, name: str) -> st.SearchStrategy[Any]:
    if typing.get_origin(wanted) is list:
        return st.lists(_values(sdk, typing.get_args(wanted)[0], name), max_size=3)
    if typing.get_origin(wanted) is dict:
        return st.dictionaries(_texts, _values(sdk, typing.get_args(wanted)[1], name), max_size=3)
    if dataclasses.is_dataclass(wanted):
        return instances(sdk, wanted)
    if inspect.isclass(wanted) and issubclass(wanted, Enum):
        return st.sampled_from(list(wanted))
    if wanted is float and "nano_aiu" in name:
        return _amounts
    return _PLAIN[wanted]


_PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: _texts,
    int: _counts,
    float: _fractions,
    bool: st.booleans(),
    type(None): st.none(),
    Any: st.none() | st.dictionaries(_texts, _texts, max_size=2),
    timedelta: st.integers(0, 10**9).map(lambda ms: timedelta(milliseconds=ms)),
    datetime: st.integers(0, 10**10).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)),
}


@st.composite
def written(draw: st.DrawFn, data: Any, whole: Any = None) -> Any:
    """JSON that says the same as ``data``: whole numbers as floats, keys in another order, nulls for what is not there.

    ``whole`` is an example with every field: which may be there.
    """
    if isinstance(data, dict):
        inner = whole if isinstance(whole, dict) else {}
        nulls = draw(st.sets(st.sampled_from(missing))) if (missing := sorted(inner.keys() - data.keys() - {ANY_KEY})) else ()
        keys = draw(st.permutations([*data, *nulls]))
        return {key: draw(written(data[key], inner.get(key, inner.get(ANY_KEY)))) if key in data else None for key in keys}
    if isinstance(data, list):
        return [draw(written(item, whole[0] if whole else None)) for item in data]
    if isinstance(data, int) and not isinstance(data, bool):
        return draw(st.sampled_from([data, float(data)]))
    return data
