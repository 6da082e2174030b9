"""Zero-concentrated privacy: the greatest rho whose conversion promises a given (epsilon, delta).

A mechanism that is rho-zCDP is (epsilon, delta)-private for every a > 0 with

    log(delta) = a ((a + 1) rho - epsilon) + a log(a) - (a + 1) log(a + 1)

(Canonne, Kamath and Steinke 2020, Corollary 13, for the Renyi divergence of order a + 1). Solved for rho,
every order gives a valid rho. The order that is used is chosen by a search, whose rounding matters for
sharpness only. rho is then rounded down, so that the promise holds.

Logarithms are those of `decimal`, which are correctly rounded, so the numbers are the same on every machine.
"""

from __future__ import annotations

from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import lru_cache

from privboost.errors import PreconditionError

EXACT = Context(prec=120, rounding=ROUND_HALF_EVEN, Emin=-999999, Emax=999999, traps=[])
ROUGH = Context(prec=28, rounding=ROUND_HALF_EVEN, Emin=-999999, Emax=999999, traps=[])
"""Arithmetic of the search for an order."""

ROUNDING = Decimal("1e-110")
"""Bound on the error of rho (a + 1), as a share of its greatest term: 20 operations of 1e-119 at most."""

RHO_DIGITS, SEARCHED_DIGITS = 12, 6
LEAST_EPSILON, GREATEST_EPSILON = Fraction(1, 10**9), Fraction(10**6)
LEAST_DELTA = Fraction(1, 10**300)
GOLDEN = Decimal("0.6180339887498948482045868")


@lru_cache(maxsize=256)
def greatest_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the greatest rho, rounded down, whose conversion promises (epsilon, delta).

    Rounding direction: down, first by a bound on all errors and then to 12 digits.
    Requires: 0 < delta < 1, and an epsilon from 1e-9 to 1e6.
    """
    if not LEAST_EPSILON <= epsilon <= GREATEST_EPSILON:
        raise PreconditionError("epsilon", "a number from 1e-9 to 1e6 with delta > 0", epsilon)
    if not LEAST_DELTA <= delta < 1:
        raise PreconditionError("delta", "0, or a number from 1e-300 to below 1, such as 1e-6", delta)
    # The context of the rounding is the only one that does not round to nearest.
    down = Context(prec=RHO_DIGITS, rounding=ROUND_FLOOR, Emin=-999999, Emax=999999, traps=[])
    return Fraction(down.plus(_rho_at(_search(epsilon, delta), epsilon, delta, EXACT)))


def _rho_at(a: Decimal, epsilon: Fraction, delta: Fraction, context: Context) -> Decimal:
    """Return a lower bound on (epsilon + (log(delta) - a log(a) + (a + 1) log(a + 1)) / a) / (a + 1)."""
    c = context
    budget = c.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator))
    slack = c.ln(c.divide(Decimal(delta.numerator), Decimal(delta.denominator)))
    b = c.add(a, Decimal(1))
    terms = [budget, c.divide(slack, a), c.minus(c.ln(a)), c.divide(c.multiply(b, c.ln(b)), a)]
    total, greatest = Decimal(0), Decimal(0)
    for term in terms:
        total, greatest = c.add(total, term), max(greatest, abs(term))
    return c.divide(c.subtract(total, c.multiply(greatest, ROUNDING)), b)


def _search(epsilon: Fraction, delta: Fraction) -> Decimal:
    """Return an a at which rho is about the greatest: the best power of 2, then a golden section search."""

    def rho_at(exponent: Decimal) -> Decimal:
        return _rho_at(_power_of_two(exponent, ROUGH), epsilon, delta, ROUGH)

    best = max(map(Decimal, range(-40, 60)), key=rho_at)
    low, high = best - 1, best + 1
    for _ in range(30):
        reach = ROUGH.multiply(high - low, GOLDEN)
        if rho_at(high - reach) < rho_at(low + reach):
            low = high - reach
        else:
            high = low + reach
    short = Context(prec=SEARCHED_DIGITS, rounding=ROUND_HALF_EVEN, Emin=-999999, Emax=999999, traps=[])
    return _power_of_two(low, short)


def _power_of_two(exponent: Decimal, context: Context) -> Decimal:
    """Return 2^exponent, rounded to the precision of a context."""
    return context.exp(ROUGH.multiply(exponent, ROUGH.ln(Decimal(2))))
