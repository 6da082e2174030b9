"""Strict JSON: which documents `parse` rejects, and which values a `JsonValue` reads or rejects."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from privboost.errors import PreconditionError
from privboost.strict_json import JsonValue, parse


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("null", None),
        (' {"a": [1, 0.5, true], "b": {"a": "x"}}\r\n', {"a": [1, 0.5, True], "b": {"a": "x"}}),
        ('"\\u00e9 é"', "é é"),
        ("1e308", 1e308),
        ("5e-324", 5e-324),
        ("1e-999", 0.0),
    ],
)
def test_parse__reads_strings_and_bytes_alike(source: str, value: Any) -> None:
    assert parse(source, "x") == parse(source.encode("utf-8"), "x") == JsonValue(value, "x")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "file: expected valid JSON, got Expecting value: line 1 column 1"),
        ("[1,\n 2,]", "file: expected valid JSON, got .*line 2"),
        ("[] []", "file: expected valid JSON, got Extra data"),
        ("\ufeff[]", "file: expected valid JSON"),
        ("[" * 10**5, "file: expected valid JSON"),
        ("[" * 101 + "]" * 101, "file: expected at most 100 lists or objects within each other"),
        ('{"a":' * 101 + "1" + "}" * 101, "file: expected at most 100 lists or objects"),
        ("1" * 5000, "file: expected integers of at most 4000 digits, got 5000 digits"),
        ('[{"a": 1, "b": 2, "a": 1}]', r"file: expected each key of an object once, got \['a'\]"),
        ("[NaN]", 'file: expected finite numbers.*"nan", got NaN'),
        ("[-Infinity]", "file: expected finite numbers.*got -Infinity"),
        ("[1e999]", "file: expected finite numbers.*got 1e999"),
        ("[-1.5e400]", "file: expected finite numbers.*got -1.5e400"),
        (b'"\xff"', "file: expected UTF-8"),
        ("[]".encode("utf-16"), "file: expected UTF-8"),
    ],
)
def test_parse__rejects_invalid_documents(source: str | bytes, message: str) -> None:
    with pytest.raises(PreconditionError, match=message):
        parse(source, "file")


DOCUMENT = parse(
    '{"name": "x", "count": 3, "share": 0.5, "flag": true, "list": [1, [2]], "empty": [], '
    '"far": "-infinity", "undefined": "nan", "third": "-1/3", "nothing": null}',
    "doc",
)

Read = Callable[[JsonValue], Any]
READ: list[tuple[str, Read, Any]] = [
    ("name", JsonValue.text, "x"),
    ("name", lambda value: value.among(("x", "y")), "x"),
    ("name", lambda value: value.equal_to("x"), None),
    ("count", JsonValue.whole, 3),
    ("count", lambda value: value.whole(3, 3), 3),
    ("count", JsonValue.number, 3.0),
    ("share", lambda value: value.number(0, 1), 0.5),
    ("far", lambda value: value.number(finite=False), -math.inf),
    ("third", JsonValue.fraction, Fraction(-1, 3)),
    ("flag", JsonValue.truth, True),
    ("flag", JsonValue.scalar, True),
    ("share", JsonValue.scalar, 0.5),
    ("empty", JsonValue.items, []),
    ("empty", lambda value: value.items(0, empty=False), []),
]
REJECTED: list[tuple[str, Read, str]] = [
    ("count", JsonValue.text, "doc.count: expected a string, got 3"),
    ("name", lambda value: value.among(("y",)), r"doc.name: expected one of \['y'\], got \"x\""),
    ("flag", lambda value: value.equal_to(1), "doc.flag: expected 1, got true"),
    ("flag", JsonValue.whole, "doc.flag: expected an integer, got true"),
    ("share", JsonValue.whole, "doc.share: expected an integer, got 0.5"),
    ("count", lambda value: value.whole(4), "doc.count: expected an integer >= 4, got 3"),
    ("count", lambda value: value.whole(most=2), "doc.count: expected an integer <= 2, got 3"),
    ("count", lambda value: value.whole(0, 2), "doc.count: expected an integer from 0 to 2, got 3"),
    ("flag", JsonValue.number, "doc.flag: expected a finite number, got true"),
    ("far", JsonValue.number, 'doc.far: expected a finite number, got "-infinity"'),
    ("far", lambda value: value.number(0, finite=False), "doc.far: expected a number >= 0"),
    ("undefined", lambda value: value.number(0, finite=False), "doc.undefined: expected a number >= 0"),
    ("name", lambda value: value.number(finite=False), "doc.name: expected a number, got"),
    ("share", lambda value: value.number(1, 2), "doc.share: expected a number from 1 to 2, got 0.5"),
    ("third", lambda value: value.truth(), "doc.third: expected true or false"),
    ("name", JsonValue.fraction, 'doc.name: expected an exact number such as "3/8"'),
    ("nothing", JsonValue.scalar, "doc.nothing: expected a finite number, got null"),
    ("name", JsonValue.items, "doc.name: expected a list"),
    ("list", lambda value: value.items(3), "doc.list: expected a list of 3, got a list of 2"),
    ("empty", lambda value: value.items(empty=False), "doc.empty: expected a list that is not empty"),
    ("list", lambda value: value.items()[1].text(), r"doc.list\[1\]: expected a string, got a list"),
    ("list", lambda value: value.has("x"), "doc.list: expected an object, got a list"),
    ("list", lambda value: value.members(), "doc.list: expected an object, got a list"),
]


@pytest.mark.parametrize(("key", "read", "value"), READ)
def test_value__is_read_as_its_type(key: str, read: Read, value: Any) -> None:
    assert read(DOCUMENT.member(key)) == value


@pytest.mark.parametrize(("key", "read", "message"), REJECTED)
def test_value__of_another_type_is_rejected_with_its_path(key: str, read: Read, message: str) -> None:
    with pytest.raises(PreconditionError, match=message):
        read(DOCUMENT.member(key))


def test_value__objects_have_exactly_the_named_keys() -> None:
    document = parse('{"a": 1, "b": 2}', "x")
    assert (document.has("a"), document.has("c")) == (True, False)
    assert document.members("b", "a") == [JsonValue(2, "x.b"), JsonValue(1, "x.a")]
    with pytest.raises(PreconditionError, match=r"""x: expected the key "c", got the keys \['a', 'b'\]"""):
        document.member("c")
    with pytest.raises(PreconditionError, match=r"x: expected no keys but \['a'\], got \['b'\]"):
        document.members("a")


@pytest.mark.parametrize("value", [10**400, -(10**400), math.inf, math.nan])
def test_value__numbers_beyond_floats_are_rejected(value: float) -> None:
    for finite in (True, False):
        with pytest.raises(PreconditionError, match="number"):
            JsonValue(value, "x").number(finite=finite)


@pytest.mark.parametrize(
    "fraction", ["1/0", "1/02", "+1", "1.5", "1e9", "٣", "1" * 5, "1/" + "1" * 5, "1/3\n", ""]
)
def test_value__fractions_are_short_and_plain(fraction: str) -> None:
    with pytest.raises(PreconditionError, match="exact number"):
        JsonValue(fraction, "x").fraction(4)


def test_value__long_values_are_truncated_in_messages() -> None:
    with pytest.raises(PreconditionError) as caught:
        JsonValue("x" * 1000, "x").whole()
    assert len(str(caught.value)) < 200
