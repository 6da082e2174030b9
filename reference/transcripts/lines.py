"""Lines of a transcript: canonical JSON, strict reading, and comparison with expected values.

A transcript has one JSON object per line. The order of the lines is
    header, then for every tree: tree, node (level by level), leaf (left to right), beta, expense; then total.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError
from privboost.reference.exact import Real, Surd, exact
from privboost.reference.learners.records import Record
from privboost.strict_json import parse

from .errors import TranscriptError
from .number_format import agrees, format_number, read_number
from .shapes import LINE, abridge, check_names, check_shape, part

LITERAL_LIMIT = 1000
"""Limit on the length and the exponent of a JSON number, because exact huge numbers would fill the memory."""


def line_of(record: Record) -> str:
    """Return a record as canonical JSON: sorted keys, no spaces, ASCII, exact numbers as strings."""
    return json.dumps(_plain(record), sort_keys=True, separators=(",", ":"))


def _plain(value: object) -> object:
    """Return a value of a record as JSON strings, integers, lists and objects."""
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (str, int)):
        return value
    if isinstance(value, Sequence):
        return [_plain(entry) for entry in value]
    return format_number(exact(value))


def read_line(line: int, content: str) -> dict[str, Any]:
    """Return the object of a line, whose fields have the shapes of its kind.

    Requires: the line is one JSON object without duplicate keys, NaN, infinities or unknown fields.
    """
    try:
        record = parse(content, "json", _read_decimal).value
    except PreconditionError as error:
        reason = f"expected {error.expected}, got {error.got}"
        raise TranscriptError(line, "json", "one JSON object", f"{abridge(content)} ({reason})") from None
    check_shape(line, "", LINE, record)
    result: dict[str, Any] = record
    return result


def _read_decimal(literal: str) -> Fraction:
    """Return the value of a JSON number with a decimal point or an exponent."""
    exponent = literal.lower().partition("e")[2]
    if len(literal) > LITERAL_LIMIT or abs(int(exponent or 0)) > LITERAL_LIMIT:
        raise ValueError(f"a number with more than {LITERAL_LIMIT} digits")
    return Fraction(literal)


def compare(line: int, field: str, expected: object, actual: Any) -> None:
    """Raise TranscriptError if a value of the right shape differs from the expected one."""
    if isinstance(expected, Mapping):
        check_names(line, field, list(expected), actual)
        for name, value in expected.items():
            compare(line, part(field, name), value, actual[name])
    elif isinstance(expected, (Fraction, Surd, Real)):
        if not agrees(read_number(actual), expected):
            raise TranscriptError(line, field, format_number(expected), str(actual))
    elif isinstance(expected, tuple):
        if len(expected) != len(actual):
            raise TranscriptError(line, field, f"{len(expected)} items", f"{len(actual)} items")
        for index, pair in enumerate(zip(expected, actual, strict=True)):
            compare(line, f"{field}[{index}]", *pair)
    elif expected != actual:
        raise TranscriptError(line, field, abridge(expected), abridge(actual))
