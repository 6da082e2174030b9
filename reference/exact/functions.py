"""The functions that formulas are written with: sqrt, exp, log, sums, enclosures, decimals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, Self, TypeVar, overload

from privboost.errors import InexactInputError, PreconditionError, Undecided

from .factoring import factor
from .real import LIMIT_BITS, Exact, Number, Real, operand, real, sign, sum_of
from .surd import Surd, root


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A certified interval with rational ends, lo <= x <= hi."""

    lo: Fraction
    hi: Fraction

    @property
    def width(self) -> Fraction:
        """Return hi - lo."""
        return self.hi - self.lo

    def __contains__(self, value: Exact) -> bool:
        return self.lo <= value <= self.hi

    def meets(self, other: Enclosure) -> bool:
        """Return whether two enclosures have a point in common."""
        return self.lo <= other.hi and other.lo <= self.hi

    def scaled(self, factor: Exact) -> Enclosure:
        """Return an enclosure of factor * x; an irrational factor is first enclosed at 2^-LIMIT_BITS / 8."""
        ends = enclose(factor, LIMIT_BITS // 8)
        products = [a * b for a in (self.lo, self.hi) for b in (ends.lo, ends.hi)]
        return Enclosure(min(products), max(products))


def exact(value: object, name: str = "value") -> Number:
    """Return an exact number from an int, a Fraction, a Surd, a Real or a string such as '3/8'.

    Requires: not a float; the error says what to write instead.
    """
    if isinstance(value, (Fraction, Surd, Real)):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, str):
        try:
            return Fraction(value)
        except (ValueError, ZeroDivisionError):
            raise PreconditionError(name, "a rational number such as '3/8' or '0.375'", repr(value)) from None
    raise InexactInputError(name, value)


class Elementary(Protocol):
    """A number type of its own that knows its square root and logarithm (infinities, ranges, jets)."""

    def sqrt(self) -> Self:
        """Return the square root."""

    def log(self) -> Self:
        """Return the natural logarithm."""


E = TypeVar("E", bound=Elementary)


@overload
def sqrt(value: Exact) -> Number: ...
@overload
def sqrt(value: E) -> E: ...
def sqrt(value: Exact | Elementary) -> Number | Elementary:
    """Return the square root: of a rational a Fraction or a Surd, else a lazy real.

    Requires: value >= 0.
    """
    number = operand(value)
    if number is None:
        return value.sqrt() if hasattr(value, "sqrt") else exact(value, "argument of sqrt")
    if sign(number) < 0:
        raise PreconditionError("sqrt", "an argument >= 0", value)
    if isinstance(number, (Surd, Real)):
        return real("sqrt", argument=number)
    return root(number)


def exp(value: Exact) -> Number:
    """Return the exponential, 1 at 0; the exponential of a logarithm is its argument."""
    number = exact(value, "argument of exp")
    if isinstance(number, Real) and number.operation == "log":
        return number.argument
    return real("exp", argument=number) if isinstance(number, Real) or number else Fraction(1)


@overload
def log(value: Exact) -> Number: ...
@overload
def log(value: E) -> E: ...
def log(value: Exact | Elementary) -> Number | Elementary:
    """Return the natural logarithm; of a rational, as a combination of logarithms of primes.

    Requires: value > 0.
    """
    number = operand(value)
    if number is None:
        return value.log() if hasattr(value, "log") else exact(value, "argument of log")
    if sign(number) <= 0:
        raise PreconditionError("log", "an argument > 0", value)
    if isinstance(number, Real) and number.operation == "exp":
        return number.argument
    if isinstance(number, (Surd, Real)):
        return real("log", argument=number)
    return _log_of_integer(number.numerator) - _log_of_integer(number.denominator)


def _log_of_integer(number: int) -> Number:
    """Return the logarithm of a positive integer."""
    exponents, cofactor = factor(number)
    factors = (*exponents, (cofactor, 1)) if cofactor > 1 else exponents
    return sum_of(real("log", argument=Fraction(base)) * exponent for base, exponent in factors)


def exact_sum(values: Iterable[Exact]) -> Number:
    """Return the sum of many exact numbers as one node, in one pass."""
    return sum_of(exact(value, "summand") for value in values)


def enclose(value: Exact, bits: int) -> Enclosure:
    """Return a certified rational enclosure of width at most 2^-bits.

    Ensures: enclosures of one number at growing `bits` are nested; a rational encloses itself.
    """
    number = exact(value)
    if isinstance(number, Real):
        (lo, hi), precision = number.enclose(bits)
    elif isinstance(number, Surd):
        precision = bits + len(number.terms).bit_length()
        lo, hi = number.bounds(precision)
    else:
        return Enclosure(number, number)
    return Enclosure(Fraction(lo, 1 << precision), Fraction(hi, 1 << precision))


def decimal(value: Exact, digits: int) -> str:
    """Return a decimal string rounded to `digits` places (half to even), certified by refinement."""
    scale = 10**digits
    bits = 4 * digits + 16
    while bits <= LIMIT_BITS:
        enclosure = enclose(value, bits)
        below, above = round(enclosure.lo * scale), round(enclosure.hi * scale)
        if below == above:
            return _decimal_text(below, digits)
        bits *= 2
    raise Undecided(f"the last of {digits} decimals of {value}", LIMIT_BITS)


def _decimal_text(scaled: int, digits: int) -> str:
    """Return scaled / 10^digits in decimal notation."""
    text = str(abs(scaled)).rjust(digits + 1, "0")
    whole, places = text[: len(text) - digits], text[len(text) - digits :]
    return ("-" if scaled < 0 else "") + whole + ("." + places if digits else "")
