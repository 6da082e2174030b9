"""Read values on the wire. Every reader raises WireError for a value of the wrong type.

| on the wire                        | in Python           |
|------------------------------------|---------------------|
| "3/8", "-2", "0.1"                 | Fraction, exactly   |
| 3                                  | Fraction, exactly   |
| 0.375, 1e-300                      | float               |
| "infinity", "-infinity", "nan"     | float               |
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from fractions import Fraction
from typing import Any

from privboost.errors import PrivboostError
from privboost.printing import Unquoted, format_value
from privboost.strict_json import NOT_FINITE

LONGEST_NUMBER = 4000
"""Maximum length of an exact number; a double needs at most 1,100 characters."""

_EXACT = re.compile(r"-?[0-9]+(\.[0-9]+|/[0-9]*[1-9][0-9]*)?", re.ASCII)


class WireError(PrivboostError, ValueError):
    """Report a value that does not conform to the protocol, with its path in the answer."""

    def __init__(self, path: str, expected: str, value: object) -> None:
        self.path = path
        self.expected = expected
        self.value = value
        super().__init__(f"{path}: expected {expected}, got {format_value(value)}")


def read_number(value: object, path: str = "result") -> Fraction | float:
    """Return a number.

    Ensures: WireError for booleans, other strings, lists and bare infinities.
    """
    if isinstance(value, bool):
        raise WireError(path, "a number", value)
    if isinstance(value, int):
        return Fraction(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise WireError(path, "a finite JSON number, or 'infinity', '-infinity' or 'nan'", value)
        return value
    if isinstance(value, str):
        if value in NOT_FINITE:
            return NOT_FINITE[value]
        if len(value) <= LONGEST_NUMBER and _EXACT.fullmatch(value):
            return Fraction(value)
    raise WireError(path, "a number, as a JSON number or a string such as '3/8', '0.1' or 'infinity'", value)


def read_finite(value: object, path: str = "result") -> Fraction:
    """Return a finite number exactly."""
    number = read_number(value, path)
    if isinstance(number, float) and not math.isfinite(number):
        raise WireError(path, "a finite number", value)
    return Fraction(number)


def read_string(value: object, path: str = "result") -> str:
    """Return a string."""
    if not isinstance(value, str):
        raise WireError(path, "a string", value)
    return value


def read_integer(value: object, path: str = "result", least: int = 0) -> int:
    """Return a JSON integer that is at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise WireError(path, f"a JSON integer >= {least}", value)
    return value


def read_list(value: object, path: str = "result", length: int | None = None) -> list[Any]:
    """Return a list; check its length if `length` is given."""
    if not isinstance(value, list):
        raise WireError(path, "a list", value)
    if length is not None and len(value) != length:
        raise WireError(path, f"a list of length {length}", Unquoted(f"one of length {len(value)}"))
    return value


def read_object(value: object, path: str = "result", names: Collection[str] = ()) -> dict[str, Any]:
    """Return an object that has all members in `names`."""
    if not isinstance(value, dict):
        raise WireError(path, "an object", value)
    for name in names:
        if name not in value:
            raise WireError(path, f"an object with the member {name!r}", value)
    return value
