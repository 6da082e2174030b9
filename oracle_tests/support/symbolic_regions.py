"""Compare derived closed forms with exact numbers of the reference and at sample points."""

from __future__ import annotations

from fractions import Fraction

from sympy import Expr, Integer, Rational, Symbol, expand, log, oo, radsimp, sqrt

from privboost.reference.exact import Enclosure, Extended, Infinity, Real, Surd, enclose
from privboost.symbolic.algebra.regions import DELTA, A, K, Q, R, Region, T, U

BITS = 150
DIGITS = 60
SLACK = Rational(1, 2**140)
NEARLY_ZERO = Rational(1, 10**30)
TINY = Rational(1, 10**12)
SAMPLE = {
    A: Rational(7, 5),
    T: Rational(5, 8),
    R: Rational(4, 7),
    K: Rational(3, 8),
    Q: Rational(6, 5),
    DELTA: Rational(-9, 7),
}


def to_sympy(number: int | Fraction | Surd | Infinity) -> Expr:
    """Convert an exact number of the reference to sympy."""
    if isinstance(number, Infinity):
        return oo if number > 0 else -oo
    if isinstance(number, Surd):
        return sum((Rational(c.numerator, c.denominator) * sqrt(r) for r, c in number.terms), Integer(0))
    return Rational(number.numerator, number.denominator)


def check_equal(derived: Expr, number: Extended) -> bool:
    """Return whether a constant expression equals an exact number; lazy reals are compared by enclosure."""
    if not isinstance(number, Infinity) and (isinstance(number, Real) or derived.has(log)):
        return check_enclosed(derived, enclose(number, BITS))
    expected = to_sympy(number)
    if not derived.is_finite or not expected.is_finite:
        return bool(derived == expected)
    return bool(expand(radsimp(derived - expected)) == 0)


def check_sharply(derived: Expr, number: Extended) -> bool:
    """Return whether a constant expression equals an exact number, and its neighbour does not."""
    return check_equal(derived, number) and not check_equal(derived + TINY, number)


def check_enclosed(derived: Expr, bounds: Enclosure) -> bool:
    """Return whether a value to 60 digits lies in a certified enclosure, up to 2^-140."""
    value = derived.evalf(DIGITS)
    return bool(to_sympy(bounds.lo) - SLACK <= value <= to_sympy(bounds.hi) + SLACK)


def sample_point(region: Region) -> dict[Symbol, Expr]:
    """Return a point of a region, in the variables of the paper."""
    point = {symbol: region.apply(symbol).subs(SAMPLE) for symbol, _ in region.substitution}
    return {U: Rational(1, 5), **point, DELTA: SAMPLE[DELTA]}


def check_sample(difference: Expr, region: Region) -> bool:
    """Return whether an expression is zero, to 30 digits, at one point of a region.

    Sympy evaluates cases and roots itself, which also tests the parametrisation that the proofs use.
    """
    value = difference.subs(sample_point(region)).evalf(DIGITS)
    return bool(abs(value) < NEARLY_ZERO)
