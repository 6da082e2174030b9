"""Lines of a transcript: canonical text, strict reading, and comparison with what is expected.

A transcript is text, one JSON object a line. The order of lines is
    header, then for every tree: tree, node (level by level), leaf (left to right), beta, expense; then total.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NoReturn

from privboost.reference.exact import Real, Surd, exact
from privboost.reference.learners.records import Record

from .errors import TranscriptError
from .number_text import agrees, read_number, text_of_number
from .shapes import LINE, check_names, check_shape, part, short, text_of_found

LITERAL_LIMIT = 1000
"""Greatest length, and exponent of ten, of a JSON number: read exactly, a great one would fill the memory."""


def line_of(record: Record) -> str:
    """Return a record as canonical JSON: sorted keys, no spaces, ASCII, exact numbers as text."""
    return json.dumps(_plain(record), sort_keys=True, separators=(",", ":"))


def _plain(value: object) -> object:
    """Return a value of a record in what JSON has: texts, whole numbers, lists and objects."""
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (str, int)):
        return value
    if isinstance(value, Sequence):
        return [_plain(entry) for entry in value]
    return text_of_number(exact(value))


def read_line(number: int, text: str) -> dict[str, Any]:
    """Return the object of a line, whose fields have the shapes of its kind.

    Requires: one JSON object without repeated names, NaN, infinities or unknown fields.
    """
    try:
        found = json.loads(
            text, parse_float=_read_decimal, parse_constant=_refuse, object_pairs_hook=_without_repetition
        )
    except json.JSONDecodeError as error:
        reason = f"{error.msg} at column {error.colno}"
        raise TranscriptError(number, "json", "one JSON object", f"{short(text)} ({reason})") from None
    except (ValueError, RecursionError) as error:
        raise TranscriptError(number, "json", "one JSON object", f"{short(text)} ({error})") from None
    check_shape(number, "", LINE, found)
    result: dict[str, Any] = found
    return result


def _read_decimal(literal: str) -> Fraction:
    """Return the value of a JSON literal with a point or an exponent."""
    exponent = literal.lower().partition("e")[2]
    if len(literal) > LITERAL_LIMIT or abs(int(exponent or 0)) > LITERAL_LIMIT:
        raise ValueError(f"a number with more than {LITERAL_LIMIT} digits")
    return Fraction(literal)


def _refuse(literal: str) -> NoReturn:
    """Refuse NaN and infinities."""
    raise ValueError(f"{literal} is not a number")


def _without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object, no name of which is repeated."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is repeated in an object")
    return found


def compare(number: int, field: str, expected: object, found: Any) -> None:
    """Raise TranscriptError where what was found, of the right shape, is not what is expected."""
    if isinstance(expected, Mapping):
        check_names(number, field, list(expected), found)
        for name, value in expected.items():
            compare(number, part(field, name), value, found[name])
    elif isinstance(expected, (Fraction, Surd, Real)):
        if not agrees(read_number(found), expected):
            raise TranscriptError(number, field, text_of_number(expected), text_of_found(found))
    elif isinstance(expected, tuple):
        if len(expected) != len(found):
            raise TranscriptError(number, field, f"{len(expected)} items", f"{len(found)} items")
        for place, pair in enumerate(zip(expected, found, strict=True)):
            compare(number, f"{field}[{place}]", *pair)
    elif expected != found:
        raise TranscriptError(number, field, short(expected), short(found))
