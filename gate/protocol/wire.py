"""Numbers and other values on the wire, both ways; what is none of them is refused with what was expected.

| on the wire                        | here                |
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

from privboost.errors import PreconditionError, PrivboostError
from privboost.printing import Unquoted, shown
from privboost.strict_json import NOT_FINITE, parse

LONGEST_NUMBER = 4000
"""Characters of the longest exact number that is read; doubles need 1,100 at most."""

_EXACT = re.compile(r"-?[0-9]+(\.[0-9]+|/[0-9]*[1-9][0-9]*)?", re.ASCII)


class WireError(PrivboostError, ValueError):
    """Report a value on the wire that is not what the protocol asks for at its place."""

    def __init__(self, place: str, expected: str, found: object) -> None:
        self.place = place
        self.expected = expected
        self.found = found
        super().__init__(f"{place}: expected {expected}, got {shown(found)}")


def read_number(found: object, place: str = "result") -> Fraction | float:
    """Return a number of the wire.

    Ensures: WireError for everything else: truth values, other texts, lists, bare infinities.
    """
    if isinstance(found, bool):
        raise WireError(place, "a number", found)
    if isinstance(found, int):
        return Fraction(found)
    if isinstance(found, float):
        if not math.isfinite(found):
            raise WireError(place, "a finite JSON number, or 'infinity', '-infinity' or 'nan'", found)
        return found
    if isinstance(found, str):
        if found in NOT_FINITE:
            return NOT_FINITE[found]
        if len(found) <= LONGEST_NUMBER and _EXACT.fullmatch(found):
            return Fraction(found)
    raise WireError(place, "a number, as JSON number or as text such as '3/8' or '0.1'", found)


def read_finite(found: object, place: str = "result") -> Fraction:
    """Return a finite number at its exact value."""
    number = read_number(found, place)
    if isinstance(number, float) and not math.isfinite(number):
        raise WireError(place, "a finite number", found)
    return Fraction(number)


def read_text(found: object, place: str = "result") -> str:
    """Return a text."""
    if not isinstance(found, str):
        raise WireError(place, "a text", found)
    return found


def read_whole(found: object, place: str = "result", least: int = 0) -> int:
    """Return a whole JSON number that is at least so great."""
    if isinstance(found, bool) or not isinstance(found, int) or found < least:
        raise WireError(place, f"a whole JSON number from {least}", found)
    return found


def read_list(found: object, place: str = "result", length: int | None = None) -> list[Any]:
    """Return a list, of a given length if there is one."""
    if not isinstance(found, list):
        raise WireError(place, "a list", found)
    if length is not None and len(found) != length:
        raise WireError(place, f"a list of length {length}", Unquoted(f"one of length {len(found)}"))
    return found


def read_object(found: object, place: str = "result", names: Collection[str] = ()) -> dict[str, Any]:
    """Return an object that has all these members."""
    if not isinstance(found, dict):
        raise WireError(place, "an object", found)
    for name in names:
        if name not in found:
            raise WireError(place, f"an object with the member {name!r}", found)
    return found


def write_number(number: Fraction | int | float) -> str:
    """Return the exact text of a number; that of a float is the text of its exact value."""
    if isinstance(number, float) and not math.isfinite(number):
        return "nan" if math.isnan(number) else "infinity" if number > 0 else "-infinity"
    return str(Fraction(number))


def read_json(line: bytes) -> Any:
    """Return the value of a line of JSON.

    Ensures: WireError for what no JSON in UTF-8 is, bare or written-out infinities, repeated members.
    """
    try:
        return parse(line, "answer").value
    except PreconditionError as error:
        expected = f"one JSON object per line ({error.expected})"
        raise WireError("answer", expected, Unquoted(error.got)) from None
