"""Functions of exact numbers: sqrt, exp, log, erfc, theta, sums, enclosures, decimals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Protocol, Self, TypeVar, overload

from privboost.errors import InexactInputError, PreconditionError, Undecided

from .evaluation import LIMIT_BITS
from .factoring import factor
from .real import Exact, Number, Real, factors_of, real, sign, sum_of
from .surd import Surd, root

_RATIONAL = re.compile(r"\s*[+-]?(\d+/\d+|\d+(\.\d*)?|\.\d+)\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A certified interval with rational ends, lo <= x <= hi."""

    lo: Fraction
    hi: Fraction

    def __post_init__(self) -> None:
        if not exact(self.lo, "lo") <= exact(self.hi, "hi"):
            raise PreconditionError("Enclosure", "lo <= hi", f"[{self.lo}, {self.hi}]")

    @property
    def width(self) -> Fraction:
        """Return hi - lo."""
        return self.hi - self.lo

    def __contains__(self, value: Exact) -> bool:
        return self.lo <= exact(value) <= self.hi

    def meets(self, other: Enclosure) -> bool:
        """Return whether two enclosures have a point in common."""
        return self.lo <= other.hi and other.lo <= self.hi

    def scale(self, factor: Exact) -> Enclosure:
        """Return an enclosure of factor * x; an irrational factor is enclosed to LIMIT_BITS / 8 bits."""
        ends = enclose(factor, LIMIT_BITS // 8)
        products = [a * b for a in (self.lo, self.hi) for b in (ends.lo, ends.hi)]
        return Enclosure(min(products), max(products))


def exact(value: object, name: str = "value") -> Number:
    """Return an exact number from an int, a Fraction, a Surd, a Real or a string such as '3/8'.

    Requires: value is not a float; the error says what to write instead.
    """
    if isinstance(value, (Fraction, Surd, Real)):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, str):
        try:
            # Exponents are refused: a short string such as 1e30000000 would be a huge number.
            return Fraction(value if _RATIONAL.fullmatch(value) else "")
        except (ValueError, ZeroDivisionError):
            raise PreconditionError(name, "a rational number such as '3/8' or '0.375'", repr(value)) from None
    raise InexactInputError(name, value)


def natural(value: object, name: str) -> int:
    """Return a value that must be an integer >= 0."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise PreconditionError(name, "an integer >= 0", repr(value))
    return value


class Elementary(Protocol):
    """A type with its own square root and logarithm: infinities, ranges and jets."""

    def exact_sqrt(self) -> Self:
        """Return the square root."""

    def exact_log(self) -> Self:
        """Return the natural logarithm."""


E = TypeVar("E", bound=Elementary)


@overload
def sqrt(value: Exact) -> Number: ...
@overload
def sqrt(value: E) -> E: ...
def sqrt(value: Exact | Elementary) -> Number | Elementary:
    """Return the square root: a Fraction or a Surd for a rational argument, otherwise a lazy real.

    Requires: value >= 0.
    """
    if hasattr(value, "exact_sqrt"):
        return value.exact_sqrt()
    number = exact(value, "argument of sqrt")
    if sign(number) < 0:
        raise PreconditionError("sqrt", "an argument >= 0", value)
    if isinstance(number, (Surd, Real)):
        return real("sqrt", argument=number)
    return root(number)


def exp(value: Exact) -> Number:
    """Return the exponential: 1 for an argument of 0, and x for log(x)."""
    number = exact(value, "argument of exp")
    if isinstance(number, Real) and number.operation == "log":
        return number.argument
    return real("exp", argument=number) if isinstance(number, Real) or number else Fraction(1)


@overload
def log(value: Exact) -> Number: ...
@overload
def log(value: E) -> E: ...
def log(value: Exact | Elementary) -> Number | Elementary:
    """Return the natural logarithm; for a rational, a combination of logarithms of primes.

    Requires: value > 0.
    """
    if hasattr(value, "exact_log"):
        return value.exact_log()
    number = exact(value, "argument of log")
    if sign(number) <= 0:
        raise PreconditionError("log", "an argument > 0", value)
    if isinstance(number, Real):
        # Products, powers, roots and exponentials are expanded.
        coefficient, powers = factors_of(number)
        return sum_of((log(abs(coefficient)), *(_log_of_factor(node) * power for node, power in powers)))
    if isinstance(number, Surd):
        return real("log", argument=number)
    return _log_of_integer(number.numerator) - _log_of_integer(number.denominator)


def _log_of_factor(node: Real) -> Number:
    """Return the logarithm of the absolute value of a factor."""
    if node.operation == "exp":
        return node.argument
    if node.operation == "sqrt":
        return log(node.argument) / 2
    return real("log", argument=abs(node))


def _log_of_integer(number: int) -> Number:
    """Return the logarithm of a positive integer."""
    exponents, cofactor = factor(number)
    factors = (*exponents, (cofactor, 1)) if cofactor > 1 else exponents
    return sum_of(_log_atom(base) * exponent for base, exponent in factors)


@lru_cache(maxsize=1 << 12)
def _log_atom(base: int) -> Real:
    """Return the logarithm of a prime or of an unfactored integer; cached, so that its bounds are reused."""
    return real("log", argument=Fraction(base))


def erfc(value: Exact) -> Number:
    """Return 2 / sqrt(pi) times the integral of exp(-t^2) from x to infinity; erfc(-x) = 2 - erfc(x)."""
    number = exact(value, "argument of erfc")
    if isinstance(number, Real):
        return real("erfc", argument=number)
    if not number:
        return Fraction(1)
    return real("erfc", argument=number) if number > 0 else 2 - real("erfc", argument=-number)


def theta(value: Exact) -> Number:
    """Return the sum of exp(-k^2 r) over all integers k, a theta constant of Jacobi.

    Requires: r > 0.
    """
    number = exact(value, "argument of theta")
    if sign(number) <= 0:
        raise PreconditionError("theta", "an argument > 0", value)
    return real("theta", argument=number)


def exact_sum(values: Iterable[Exact]) -> Number:
    """Return the sum of exact numbers, as a single node."""
    return sum_of(exact(value, "summand") for value in values)


def enclose(value: Exact, bits: int) -> Enclosure:
    """Return a certified rational enclosure of width at most 2^-bits.

    Ensures: enclosures of one number at growing `bits` are nested; a rational encloses itself.
    """
    number, bits = exact(value), natural(bits, "bits")
    if isinstance(number, Real):
        (lo, hi), precision = number.enclose(bits)
    elif isinstance(number, Surd):
        precision = bits + len(number.terms).bit_length()
        lo, hi = number.bounds(precision)
    else:
        return Enclosure(number, number)
    return Enclosure(Fraction(lo, 1 << precision), Fraction(hi, 1 << precision))


def floor(value: Exact) -> int:
    """Return the greatest integer that is at most the value, certified by refinement."""
    bits = 16
    while bits <= LIMIT_BITS or isinstance(value, Surd):
        enclosure = enclose(value, bits)
        if enclosure.lo // 1 == enclosure.hi // 1:
            return enclosure.lo // 1
        bits *= 2
    raise Undecided(f"the integer part of {value}", LIMIT_BITS)


def decimal(value: Exact, digits: int) -> str:
    """Return a decimal string rounded to `digits` places (half to even), certified by refinement."""
    scale = 10 ** natural(digits, "digits")
    start = bits = 4 * digits + 16
    while bits <= start + LIMIT_BITS or isinstance(value, Surd):
        enclosure = enclose(value, bits)
        below, above = round(enclosure.lo * scale), round(enclosure.hi * scale)
        if below == above:
            return _format_decimal(below, digits)
        bits *= 2
    raise Undecided(f"the last of {digits} decimals of {value}", LIMIT_BITS)


def _digits_of(number: int) -> str:
    """Return the decimal digits of a natural number; `str` refuses more than 4300."""
    half = number.bit_length() // 7
    if half < 512:
        return str(number)
    above, below = divmod(number, 10**half)
    return _digits_of(above) + _digits_of(below).rjust(half, "0")


def _format_decimal(scaled: int, digits: int) -> str:
    """Return scaled / 10^digits in decimal notation."""
    padded = _digits_of(abs(scaled)).rjust(digits + 1, "0")
    whole, decimals = padded[: len(padded) - digits], padded[len(padded) - digits :]
    return ("-" if scaled < 0 else "") + whole + ("." + decimals if digits else "")
