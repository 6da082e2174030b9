"""Write, read and compare the numbers of a transcript.

    form        written as                      agrees with an exact number if
    EXACT       "3/8", "1/2 + 3*sqrt(2)"        it is the same; for a lazy real, to 40 decimal places
    ROUNDED     "~" and a decimal               it is the exact number rounded to 40 decimal places
    JSON        0.375, 3                        it is within 2^-40, relative to the number if that is above 1

A JSON number has the value of its decimal literal, without conversion to float.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from privboost.reference.exact import Number, Real, Surd, decimal, enclose, exact_sum, sqrt

PLACES = 40
"""Number of decimal places of a number without an exact string."""

TOLERANCE = Fraction(1, 1 << 40)
"""Tolerance of a JSON number: absolute for numbers of size at most 1, relative for larger ones."""

LONGEST, LONGEST_SHOWN = 20_000, 80
"""Maximum length of a number in a string, and in a message."""

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


def format_number(value: Number) -> str:
    """Return a number as a string: exact for a rational or a surd, else '~' and 40 decimal places.

    A rational or surd with more digits than `str` accepts is rounded as well.
    """
    if not isinstance(value, Real):
        try:
            return str(value)
        except ValueError:
            pass
    return f"~{decimal(value, PLACES)}"


def read_number(value: object) -> Written:
    """Return the number that is written as a string or as a JSON number.

    Requires: value is a string of the grammar, an int or a Fraction; otherwise a ValueError is raised.
    """
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        return Written(Fraction(value), Form.JSON)
    if not isinstance(value, str) or len(value) > LONGEST or not re.fullmatch(NUMBER_PATTERN, value):
        raise ValueError(f"not a number: {str(value)[:LONGEST_SHOWN]}")
    if value.startswith("~"):
        return Written(Fraction(value[1:]), Form.ROUNDED)
    return Written(_read_exact(value), Form.EXACT)


def _read_exact(string: str) -> Fraction | Surd:
    """Return the sum of rationals and multiples of square roots that a string of the grammar denotes."""
    terms = []
    position = 0
    while position < len(string):
        match = _NEXT_TERM.match(string, position)
        assert match is not None
        sign, coefficient, radicand = match.groups()
        size = Fraction(coefficient or 1) * sqrt(int(radicand or 1))
        terms.append(-size if sign == "-" else size)
        position = match.end()
    total = exact_sum(terms)
    assert not isinstance(total, Real)
    return total


def agrees(written: Written, expected: Number) -> bool:
    """Return whether a written number agrees with the expected one, to the precision of its form.

    A JSON number is compared with an enclosure of width 2^-128, which is a point for a rational.
    """
    if written.form is Form.JSON:
        near = enclose(expected, 128).lo
        slack = TOLERANCE * max(Fraction(1), abs(near))
        return near - slack <= written.value <= near + slack
    if written.form is Form.ROUNDED or isinstance(expected, Real):
        return decimal(written.value, PLACES) == decimal(expected, PLACES)
    return written.value == expected
