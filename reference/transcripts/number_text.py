"""Numbers of a transcript: how they are written, read and compared.

    form        written as                      agrees with an exact number if
    EXACT       "3/8", "1/2 + 3*sqrt(2)"        it is the same; for a lazy real, to 40 decimal places
    ROUNDED     "~" and a decimal               it is the exact number rounded to 40 decimal places
    JSON        0.375, 3                        it is within 2^-40, of the number itself where that is above 1

A JSON number is taken at the value of its decimal literal. No float is made of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from privboost.reference.exact import Number, Real, Surd, decimal, enclose, exact_sum, sqrt

PLACES = 40
"""Decimal places of a number that has no exact text."""

TOLERANCE = Fraction(1, 1 << 40)
"""How far a JSON number may be from an exact number of size at most 1; relative to larger ones."""

_WHOLE = "[1-9][0-9]*"
_RATIONAL = f"(?:0|{_WHOLE})(?:/{_WHOLE})?"
_TERM = rf"(?:{_RATIONAL}(?:\*sqrt\({_WHOLE}\))?|sqrt\({_WHOLE}\))"
_EXACT = rf"-?{_TERM}(?: [+-] {_TERM})*"
_ROUNDED = rf"~-?(?:0|{_WHOLE})\.[0-9]{{{PLACES}}}"
NUMBER_PATTERN = f"^(?:{_ROUNDED}|{_EXACT})$"
"""The grammar of numbers in strings."""

_NEXT_TERM = re.compile(rf"(-|\+)? ?({_RATIONAL})?\*?(?:sqrt\(({_WHOLE})\))? ?")


class Form(Enum):
    """The form in which a number is written."""

    EXACT = "exact"
    ROUNDED = "rounded"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Written:
    """A number as read, and the form it was written in."""

    value: Fraction | Surd
    form: Form


def text_of_number(value: Number) -> str:
    """Return a number as text: exact where it is a rational or a surd, else '~' and 40 decimal places.

    A rational or surd with more digits than Python writes is rounded as well.
    """
    if not isinstance(value, Real):
        try:
            return str(value)
        except ValueError:
            pass
    return f"~{decimal(value, PLACES)}"


def read_number(found: object) -> Written:
    """Return the number that was written as a string or as a JSON number.

    Requires: a string of the grammar, an int or a Fraction; anything else is a ValueError.
    """
    if isinstance(found, (int, Fraction)) and not isinstance(found, bool):
        return Written(Fraction(found), Form.JSON)
    if not isinstance(found, str) or not re.fullmatch(NUMBER_PATTERN, found):
        raise ValueError(f"not a number: {found!r}")
    if found.startswith("~"):
        return Written(Fraction(found[1:]), Form.ROUNDED)
    return Written(_read_exact(found), Form.EXACT)


def _read_exact(text: str) -> Fraction | Surd:
    """Return the sum of rationals and multiples of square roots that a text of the grammar spells."""
    terms = []
    place = 0
    while place < len(text):
        match = _NEXT_TERM.match(text, place)
        assert match is not None
        sign, coefficient, radicand = match.groups()
        size = Fraction(coefficient or 1) * sqrt(int(radicand or 1))
        terms.append(-size if sign == "-" else size)
        place = match.end()
    total = exact_sum(terms)
    assert not isinstance(total, Real)
    return total


def agrees(written: Written, expected: Number) -> bool:
    """Return whether a written number is the expected one, as far as its form can say.

    A JSON number is held against an enclosure of width 2^-128, which is a point for a rational.
    """
    if written.form is Form.JSON:
        near = enclose(expected, 128).lo
        slack = TOLERANCE * max(Fraction(1), abs(near))
        return near - slack <= written.value <= near + slack
    if written.form is Form.ROUNDED or isinstance(expected, Real):
        return decimal(written.value, PLACES) == decimal(expected, PLACES)
    return written.value == expected
