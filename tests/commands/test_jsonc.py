"""Changing one key of a JSON text leaves the rest of the text as it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fusionscope.commands.jsonc import parsed, put, removed

_VALUE = {"type": "command", "command": "x"}
_WRITTEN = '{"type": "command", "command": "x"}'
_ENTRY = f'"statusLine": {_WRITTEN}'

_SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=8)

_CASES = [
    ("", "{\n  " + _ENTRY + "\n}\n"),
    ("{}", "{\n  " + _ENTRY + "\n}"),
    ("{\n}\n", "{\n  " + _ENTRY + "\n}\n"),
    ('{"a": 1}', '{"a": 1,' + _ENTRY + "}"),
    ('{\n    "a": [1, {"b": "}"}]\n}\n', '{\n    "a": [1, {"b": "}"}],\n    ' + _ENTRY + "\n}\n"),
    ('{\r\n\t"a": 1\r\n}\r\n', '{\r\n\t"a": 1,\r\n\t' + _ENTRY + "\r\n}\r\n"),
    ('{\n  "a": 1, // one: "x"\n}\n', '{\n  "a": 1,\n  ' + _ENTRY + ', // one: "x"\n}\n'),
    ('{ /* { */ "a": "//no", "statusLine" : 7, "b": 2 }', '{ /* { */ "a": "//no", "statusLine" : ' + _WRITTEN + ', "b": 2 }'),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), _CASES)
def test_a_key_is_put_behind_the_last_one_or_in_its_old_place(before: str, after: str) -> None:
    assert put(before, "statusLine", _VALUE) == after
    assert parsed(after) == parsed(before) | {"statusLine": _VALUE}
    assert put(after, "statusLine", _VALUE) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"s": 1}', "{}"),
        ('{"s": 1, "a": 2}', '{ "a": 2}'),
        ('{"a": 2, "s": {"x": [1, 2]}, "b": 3}', '{"a": 2, "b": 3}'),
        ('{\n  // first\n  "a": 2, // second\n  "s": 1\n}\n', '{\n  // first\n  "a": 2 // second\n}\n'),
        ('{\n  "a": 2\n}\n', '{\n  "a": 2\n}\n'),
    ],
)
def test_a_key_is_removed_with_one_comma(before: str, after: str) -> None:
    assert removed(before, "s") == after
    assert parsed(after) == {key: value for key, value in parsed(before).items() if key != "s"}


@pytest.mark.parametrize("text", ["[]", "7", "{", '{"a": }', '{"a": 1} x', '{"a": 1, "a": 2}', "{a: 1}", "// only\n1"])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        put(text, "s", 1)


@example({"": "\ufeff"}, None)
@given(
    st.dictionaries(st.text(max_size=8), st.recursive(_SCALARS, st.lists, max_leaves=4), max_size=5),
    st.sampled_from([None, 2, "\t"]),
)
def test_any_object_keeps_its_other_keys_when_one_comes_and_goes(value: dict[str, object], indent: int | str | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    added = put(text, "statusLine", _VALUE)
    assert parsed(added) == value | {"statusLine": _VALUE}
    assert list(parsed(added))[: len(value)] == list(value)
    taken = removed(added, "statusLine")
    assert parsed(taken) == {key: kept for key, kept in value.items() if key != "statusLine"}
