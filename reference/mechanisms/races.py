"""Noisy values that are compared with each other: probabilities in closed form.

Between two centres, densities and laws of Laplace noise are sums of c exp(r t), and so are their products.
An integral over t, or a sum over the integers t for noise on a grid, has a closed form. If ties are broken
at random, a factor also contains a number v, uniform in [0, 1], and is a sum of c exp(r t) v^j.

Notation:
    t        a noisy value               unit    what rates are multiples of
    terms    the coefficient c of every (r / unit, j)
    sides    two sums: one for t <= centre, one for t >= centre
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from privboost.reference.exact import INFINITY, Extended, Infinity, Number, exact, exact_sum, exp
from privboost.reference.privacy.mechanisms import HALF

Terms: TypeAlias = "dict[tuple[Fraction, int], Number]"
CONSTANT = (Fraction(0), 0)


@dataclass(frozen=True, slots=True)
class Noisy:
    """A centre plus Laplace noise of scale 1 / (rate unit), or its discrete version on the integers."""

    centre: Number
    rate: Fraction
    unit: Number
    grid: bool

    def density(self) -> tuple[Terms, Terms]:
        """Return the sides of the density at t, or on a grid of P(X = t)."""
        q = self._ratio
        peak = (1 - q) / (1 + q) if self.grid else HALF * self.rate * self.unit
        return self._exponential(self.rate, peak), self._exponential(-self.rate, peak)

    def below(self, *, strict: bool) -> tuple[Terms, Terms]:
        """Return the sides of P(X < t), or of P(X <= t)."""
        q = self._ratio
        less, more = (q / (1 + q), 1 / (1 + q)) if self.grid else (HALF, HALF)
        left, right = (less, more) if strict else (more, less)
        return self._exponential(self.rate, left), complement(self._exponential(-self.rate, right))

    @property
    def _ratio(self) -> Number:
        """Return q, the quotient of the probabilities of neighbouring integers."""
        return exp(-self.rate * self.unit)

    def _exponential(self, rate: Fraction, factor: Number) -> Terms:
        """Return factor exp(rate unit (t - centre))."""
        return {(rate, 0): factor * exp(-rate * self.unit * self.centre)}


def add(*sums: Terms) -> Terms:
    """Return the sum of sums."""
    keys = dict.fromkeys(key for terms in sums for key in terms)
    return {key: exact_sum(terms[key] for terms in sums if key in terms) for key in keys}


def complement(terms: Terms) -> Terms:
    """Return 1 minus a sum."""
    return add({CONSTANT: Fraction(1)}, {key: -value for key, value in terms.items()})


def multiply(first: Terms, second: Terms) -> Terms:
    """Return the product of two sums."""
    return add(
        *(
            {(rate + other, j + power): value * factor for (other, power), factor in second.items()}
            for (rate, j), value in first.items()
        )
    )


def probability(racers: Sequence[Noisy], factors: Iterable[tuple[Terms, Terms]]) -> Number:
    """Return the integral over t, or the sum over the integers t, of a product of factors.

    Requires: factor i has its two sides at the centre of racer i; there are at most as many as racers.
    """
    unit, grid = racers[0].unit, racers[0].grid
    sides = list(factors)
    ends = [-INFINITY, *sorted({racer.centre for racer in racers}), INFINITY]
    parts = []
    for lo, hi in pairwise(ends):
        product: Terms = {CONSTANT: Fraction(1)}
        for racer, (left, right) in zip(racers, sides, strict=False):
            product = multiply(product, left if hi <= racer.centre else right)
        for (rate, j), value in product.items():
            over_t = _sum(rate, unit, lo, hi) if grid else _integral(rate, unit, lo, hi)
            parts.append(value * over_t / (j + 1))
    return exact_sum(parts)


def _integral(rate: Fraction, unit: Number, lo: Extended, hi: Extended) -> Number:
    """Return the integral of exp(rate unit t) from lo to hi."""
    return _difference(rate * unit, lo, hi) / (rate * unit) if rate else _length(lo, hi)


def _sum(rate: Fraction, unit: Number, lo: Extended, hi: Extended) -> Number:
    """Return the sum of exp(rate unit t) over the integers t with lo < t <= hi."""
    factor = exp(rate * unit)
    return _difference(rate * unit, lo, hi) * factor / (factor - 1) if rate else _length(lo, hi)


def _difference(rate: Number, lo: Extended, hi: Extended) -> Number:
    """Return exp(rate hi) - exp(rate lo); at an infinite end the products of a race vanish."""
    below, above = (Fraction(0) if isinstance(end, Infinity) else exp(rate * end) for end in (lo, hi))
    return above - below


def _length(lo: Extended, hi: Extended) -> Number:
    """Return the length of a cell, which is finite where a product has a constant term."""
    assert not isinstance(lo, Infinity)
    assert not isinstance(hi, Infinity)
    return exact(hi) - exact(lo)
