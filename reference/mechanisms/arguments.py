"""Check arguments that many mechanisms have."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from privboost.errors import PreconditionError
from privboost.reference.exact import Exact, Number, exact
from privboost.reference.exact.functions import natural


def positive(value: Exact, name: str) -> Number:
    """Return a number that must be greater than 0."""
    number = exact(value, name)
    if number <= 0:
        raise PreconditionError(name, "a number > 0", value)
    return number


def not_negative(value: Exact, name: str) -> Number:
    """Return a number that must be at least 0."""
    number = exact(value, name)
    if number < 0:
        raise PreconditionError(name, "a number >= 0", value)
    return number


def check_share(value: Exact, name: str) -> Number:
    """Return a number that must be in [0, 1]."""
    number = exact(value, name)
    if not 0 <= number <= 1:
        raise PreconditionError(name, f"0 <= {name} <= 1", value)
    return number


def check_delta(value: Exact, *, zero: bool = False) -> Number:
    """Return a delta, which must be less than 1, and greater than 0 unless `zero` is set."""
    number = exact(value, "delta")
    if number == 0 and zero:
        return number
    if not 0 < number < 1:
        raise PreconditionError("delta", "0 <= delta < 1" if zero else "0 < delta < 1", value)
    return number


def check_count(value: int, name: str, least: int = 1) -> int:
    """Return an integer that must be at least `least`."""
    count = natural(value, name)
    if count < least:
        raise PreconditionError(name, f"an integer >= {least}", value)
    return count


def check_bounds(lo: Exact, hi: Exact) -> tuple[Number, Number]:
    """Return two bounds, which must increase."""
    below, above = exact(lo, "lo"), exact(hi, "hi")
    if not below < above:
        raise PreconditionError("bounds", "lo < hi", f"[{lo}, {hi}]")
    return below, above


def rational(value: Exact, name: str) -> Fraction:
    """Return a number that must be rational."""
    number = exact(value, name)
    if not isinstance(number, Fraction):
        raise PreconditionError(name, "a rational number", value)
    return number


def check_integers(values: Iterable[Number], name: str) -> None:
    """Raise PreconditionError unless all values are integers."""
    for value in values:
        if rational(value, name).denominator != 1:
            raise PreconditionError(name, "integers", value)
