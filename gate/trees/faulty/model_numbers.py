"""Numbers of the implementation: fractions, with roots, exponentials and logarithms to 80 digits.

It is written from docs/gate_protocol.md alone, and shares no code with the reference or the fast learner.
Rational numbers stay exact, so that ties are detected and rounding to a grid is correct. Answers are floats.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from math import floor
from typing import Any, TypeAlias

Number: TypeAlias = Fraction | float
"""A fraction, or an infinity."""

DIGITS = Context(prec=80, Emax=MAX_EMAX, Emin=MIN_EMIN)
EXACT_NUMBER = re.compile(r"[+-]?(\d+/\d*[1-9]\d*|\d+(\.\d*)?|\.\d+)", re.ASCII)
HALF = Fraction(1, 2)
INFINITY = float("inf")


KINDS = {
    "probability": ("u", "alpha", "boost_alpha"),
    "mass": ("positive", "negative", "error", "root_error"),
    "integer": ("m", "trees", "depth", "leaves"),
    "positive": ("epsilon", "sensitivity", "bound", "weight_bound", "scale", "grid"),
    "share": ("beta_tree", "weight"),
    "number": ("v", "beta", "value", "margin"),
    "extended": ("z",),
    "label": ("y",),
}
"""The names of arguments by their kind, unless an operation says otherwise."""
READERS = {name: f"read_{kind}" for kind, names in KINDS.items() for name in names}


class RefusedError(ValueError):
    """Report an argument that is refused."""

    def __init__(self, name: str, expected: str, value: object) -> None:
        super().__init__(f"{name}: expected {expected}, got {value!r}")


def to_decimal(x: Fraction) -> Decimal:
    """Return a fraction to 80 digits."""
    return DIGITS.divide(Decimal(x.numerator), Decimal(x.denominator))


def root(x: Fraction) -> Fraction:
    """Return the square root; exactly if it is rational."""
    if not x:
        return x
    above, below = (Fraction(DIGITS.sqrt(Decimal(part))) for part in (x.numerator, x.denominator))
    return above / below


def exponential(x: Fraction) -> Fraction:
    """Return exp(x); 0 if it is far below the smallest float."""
    return Fraction(DIGITS.exp(to_decimal(x))) if x > -(10**4) else Fraction(0)


def logarithm(x: Fraction) -> Fraction:
    """Return the natural logarithm of x > 0; near 1 by its series, to avoid cancellation."""
    d = x - 1
    if abs(d) < Fraction(1, 10**30):
        return d - d * d / 2
    return Fraction(DIGITS.subtract(DIGITS.ln(Decimal(x.numerator)), DIGITS.ln(Decimal(x.denominator))))


def log2(x: Fraction) -> Fraction:
    """Return the binary logarithm of x > 0."""
    return logarithm(x) / logarithm(Fraction(2))


def power_of_two(x: Fraction) -> Fraction:
    """Return 2^x for x clamped to [-5000, 5000], which does not change the result as a float."""
    near = min(max(x, Fraction(-5000)), Fraction(5000))
    integer = floor(near)
    return Fraction(2) ** integer * exponential((near - integer) * logarithm(Fraction(2)))


def sign(x: Number) -> int:
    """Return -1, 0 or 1."""
    return (x > 0) - (x < 0)


def shorten(x: Fraction) -> Fraction:
    """Return a number, rounded to 80 digits if it is long, so that repeated updates stay fast."""
    return x if x.denominator.bit_length() <= 300 else Fraction(to_decimal(x))


def check_object(
    value: Any, name: str, required: Sequence[str], optional: Sequence[str] = ()
) -> Mapping[str, Any]:
    """Return an object after checking that it has the required members, and no unknown ones."""
    if not isinstance(value, Mapping):
        raise RefusedError(name, "an object", value)
    for key in required:
        if key not in value:
            raise RefusedError(f"{name}, {key}", "a value", "none")
    for key in value:
        if key not in (*required, *optional):
            raise RefusedError(f"{name}, {key}", f"only {', '.join((*required, *optional))}", key)
    return value


class Reader:
    """Read arguments; every method raises RefusedError with the name of the argument."""

    def read(self, args: Mapping[str, Any], *names: str) -> list[Any]:
        """Return the arguments with these names."""
        return [getattr(self, READERS[name])(args[name], name) for name in names]

    def read_number(self, value: Any, name: str) -> Fraction:
        """Return the number of an exact string."""
        if (
            isinstance(value, bool)
            or not isinstance(value, str | int)
            or not EXACT_NUMBER.fullmatch(str(value))
        ):
            raise RefusedError(name, "a finite number as an exact string", value)
        return Fraction(value)

    def read_extended(self, value: Any, name: str) -> Number:
        """Return a number or an infinity."""
        if value in ("infinity", "-infinity"):
            return float(value)
        return self.read_number(value, name)

    def read_probability(self, value: Any, name: str) -> Fraction:
        """Return a number in [0, 1]."""
        exact = self.read_number(value, name)
        if not 0 <= exact <= 1:
            raise RefusedError(name, "a number in [0, 1]", value)
        return exact

    def read_positive(self, value: Any, name: str) -> Fraction:
        """Return a number > 0."""
        exact = self.read_number(value, name)
        if exact <= 0:
            raise RefusedError(name, "a number > 0", value)
        return exact

    def read_mass(self, value: Any, name: str) -> Fraction:
        """Return a number >= 0."""
        exact = self.read_number(value, name)
        if exact < 0:
            raise RefusedError(name, "a number >= 0", value)
        return exact

    def read_share(self, value: Any, name: str, end: Fraction = Fraction(1)) -> Fraction:
        """Return a number strictly between 0 and `end`."""
        exact = self.read_positive(value, name)
        if exact >= end:
            raise RefusedError(name, f"a number between 0 and {end}", value)
        return exact

    def read_integer(self, value: Any, name: str, least: int = 1) -> int:
        """Return an integer that is at least `least`."""
        exact = self.read_number(value, name)
        if exact.denominator != 1 or exact < least:
            raise RefusedError(name, f"an integer >= {least}", value)
        return int(exact)

    def read_label(self, value: Any, name: str) -> int:
        """Return a label."""
        exact = self.read_number(value, name)
        if exact not in (1, -1):
            raise RefusedError(name, "1 or -1", value)
        return int(exact)

    def read_word(self, value: Any, name: str, words: Sequence[str]) -> str:
        """Return one of `words`."""
        if not isinstance(value, str) or value not in words:
            raise RefusedError(name, f"one of {', '.join(words)}", value)
        return value

    def read_list(self, value: Any, name: str) -> list[Any]:
        """Return a list."""
        if not isinstance(value, list | tuple):
            raise RefusedError(name, "a list", value)
        return list(value)

    def write_number(self, value: Number) -> float | str:
        """Return a number for an answer: the nearest float, or a string if it is out of range."""
        if isinstance(value, float) and value - value != 0:
            return "infinity" if value > 0 else "-infinity" if value < 0 else "nan"
        try:
            return float(value)
        except OverflowError:
            return str(value)

    def write(self, value: Any) -> Any:
        """Return a result with all its numbers written."""
        if isinstance(value, Mapping):
            return {name: self.write(part) for name, part in value.items()}
        if isinstance(value, list):
            return [self.write(part) for part in value]
        return value if isinstance(value, str) else self.write_number(value)
