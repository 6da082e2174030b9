"""Compare a derived closed form with an exact number of the reference, and with itself at sample points."""

from __future__ import annotations

from fractions import Fraction

from sympy import Expr, Integer, Rational, Symbol, expand, log, oo, radsimp, sqrt

from privboost.reference.exact import Enclosure, Extended, Infinity, Real, Surd, enclose
from privboost.symbolic.algebra.regions import DELTA, A, K, Q, R, Region, T, U

BITS = 150
DIGITS = 60
SLACK = Rational(1, 2**140)
NEARLY_ZERO = Rational(1, 10**30)
SAMPLE = {
    A: Rational(7, 5),
    T: Rational(5, 8),
    R: Rational(4, 7),
    K: Rational(3, 8),
    Q: Rational(6, 5),
    DELTA: Rational(-9, 7),
}


def to_sympy(number: int | Fraction | Surd | Infinity) -> Expr:
    """Return an exact number of the reference as the same number in sympy."""
    if isinstance(number, Infinity):
        return oo if number > 0 else -oo
    if isinstance(number, Surd):
        return sum((Rational(c.numerator, c.denominator) * sqrt(r) for r, c in number.terms), Integer(0))
    return Rational(number.numerator, number.denominator)


def check_equal(derived: Expr, number: Extended) -> bool:
    """Return whether a closed form at a point is the exact number; a lazy real is compared by enclosure."""
    if not isinstance(number, Infinity) and (isinstance(number, Real) or derived.has(log)):
        return check_enclosed(derived, enclose(number, BITS))
    expected = to_sympy(number)
    if not derived.is_finite or not expected.is_finite:
        return bool(derived == expected)
    return bool(expand(radsimp(derived - expected)) == 0)


def check_enclosed(derived: Expr, bounds: Enclosure) -> bool:
    """Return whether a value to 60 digits lies in a certified enclosure, give or take 2^-140."""
    value = derived.evalf(DIGITS)
    return bool(to_sympy(bounds.lo) - SLACK <= value <= to_sympy(bounds.hi) + SLACK)


def sample_point(region: Region) -> dict[Symbol, Expr]:
    """Return one point of a region, in the paper's variables."""
    point = {symbol: region.apply(symbol).subs(SAMPLE) for symbol, _ in region.substitution}
    return {U: Rational(1, 5), **point, DELTA: SAMPLE[DELTA]}


def check_sample(difference: Expr, region: Region) -> bool:
    """Return whether an expression is zero, to 30 digits, at one point of a region.

    Cases and roots are left to sympy, so that the parametrisation behind the proofs is tested too.
    """
    value = difference.subs(sample_point(region)).evalf(DIGITS)
    return bool(abs(value) < NEARLY_ZERO)
