"""Privacy curves from their definition, in floating point of mpmath with 30 digits, without closed forms.

The least delta at epsilon is the integral, or the sum, of max{0, p - e^epsilon q} over all outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

import mpmath

from privboost.reference.exact import Enclosure, Exact, enclose

Real: TypeAlias = Any
"""A number of mpmath."""

Density: TypeAlias = Callable[[Real], Real]

DIGITS = 30


def to_mpf(value: Exact) -> Real:
    """Return an exact number as a number of mpmath."""
    middle = enclose(value, 200).lo
    with mpmath.workdps(DIGITS + 20):
        return mpmath.mpf(middle.numerator) / middle.denominator


def is_near(value: Exact | Enclosure, expected: Real, digits: int = 12) -> bool:
    """Return whether a number agrees with an expected one to a relative precision of 10^-digits."""
    middle = (value.lo + value.hi) / 2 if isinstance(value, Enclosure) else value
    with mpmath.workdps(DIGITS + 20):
        return bool(abs(to_mpf(middle) - expected) <= abs(expected) * mpmath.mpf(10) ** -digits)


def hockey_stick(p: Density, q: Density, epsilon: Exact, points: Sequence[Real]) -> Real:
    """Return the integral of max{0, p - e^epsilon q}; `points` start and end it, and contain its corners."""
    with mpmath.workdps(DIGITS):
        odds = mpmath.exp(to_mpf(epsilon))
        return mpmath.quad(lambda x: max(mpmath.mpf(0), p(x) - odds * q(x)), points)


def crossing(p: Density, q: Density, epsilon: Exact, lo: Real, hi: Real) -> Real:
    """Return the point between lo and hi where p = e^epsilon q, or an end if there is none."""
    with mpmath.workdps(DIGITS):
        odds = mpmath.exp(to_mpf(epsilon))
        lo, hi = mpmath.mpf(lo), mpmath.mpf(hi)
        start = p(lo) > odds * q(lo)
        for _ in range(110):
            middle = (lo + hi) / 2
            lo, hi = (middle, hi) if (p(middle) > odds * q(middle)) == start else (lo, middle)
        return lo


def finite_hockey_stick(p: Mapping[Any, Real], q: Mapping[Any, Real], epsilon: Exact) -> Real:
    """Return the sum of max{0, p - e^epsilon q} over all outcomes."""
    with mpmath.workdps(DIGITS):
        odds = mpmath.exp(to_mpf(epsilon))
        zero = mpmath.mpf(0)
        return sum((max(zero, p.get(x, zero) - odds * q.get(x, zero)) for x in {**p, **q}), zero)


def product_law(laws: Sequence[Mapping[Any, Real]]) -> dict[tuple[Any, ...], Real]:
    """Return the law of independent outcomes."""
    with mpmath.workdps(DIGITS):
        return {
            tuple(x for x, _ in outcome): mpmath.fprod(chance for _, chance in outcome)
            for outcome in product(*(law.items() for law in laws))
        }


def worst_pair(epsilon: Exact, delta: Fraction = Fraction(0)) -> tuple[dict[str, Real], dict[str, Real]]:
    """Return two laws between which (epsilon, delta) is attained, and which dominate all that satisfy it."""
    with mpmath.workdps(DIGITS):
        odds, slack = mpmath.exp(to_mpf(epsilon)), to_mpf(delta)
        true, false = (1 - slack) * odds / (1 + odds), (1 - slack) / (1 + odds)
        zero = mpmath.mpf(0)
    return (
        {"certain": slack, "yes": true, "no": false, "never": zero},
        {"certain": zero, "yes": false, "no": true, "never": slack},
    )


def normal(centre: Real, sigma: Real) -> Density:
    """Return a normal density."""
    return lambda x: mpmath.npdf(x, centre, sigma)


def laplace(centre: Real, scale: Real) -> Density:
    """Return a Laplace density."""
    return lambda x: mpmath.exp(-abs(x - centre) / scale) / (2 * scale)


def on_integers(weight: Density, reach: int) -> dict[int, Real]:
    """Return the law with probabilities proportional to a weight, for integers up to a distance from 0."""
    with mpmath.workdps(DIGITS):
        weights = {k: weight(mpmath.mpf(k)) for k in range(-reach, reach + 1)}
        total = mpmath.fsum(weights.values())
        return {k: value / total for k, value in weights.items()}


def shift(law: Mapping[int, Real], by: int) -> dict[int, Real]:
    """Return the law of a shifted integer."""
    return {k + by: value for k, value in law.items()}
