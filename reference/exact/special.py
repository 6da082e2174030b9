"""Certified fixed-point bounds of pi, the complementary error function and the theta function.

Notation and rounding are those of `fixed`: a pair (lo, hi) of ints stands for [lo / 2^p, hi / 2^p].
"""

from __future__ import annotations

from functools import lru_cache

from . import fixed
from .fixed import Bounds, ceil_shift

SERIES_FROM = 3
"""From this argument on theta is summed as it is; below it, by its transformation."""


@lru_cache(maxsize=64)
def pi(precision: int) -> Bounds:
    """Return bounds of pi = 16 arctan(1/5) - 4 arctan(1/239) (Machin 1706)."""
    work = precision + 32
    total = error = 0
    for weight, denominator in ((16, 5), (-4, 239)):
        power, square, count = (1 << work) // denominator, denominator * denominator, 0
        while power:
            total += (-1) ** count * weight * (power // (2 * count + 1))
            power //= square
            count += 1
        # A power and its quotient are each too small by less than 2 units; the series alternates.
        error += abs(weight) * (4 * count + 4)
    return fixed.rescale((total - error, total + error), work, precision)


def erfc(bounds: Bounds, precision: int) -> Bounds:
    """Return bounds of erfc(x) = 2 / sqrt(pi) * the integral of exp(-t^2) from x to infinity.

    It decreases, and its slope is at least -2 / sqrt(pi) > -2, so one series is enough.
    """
    below, above = _erfc_at(bounds[0], precision)
    return max(0, below - 2 * (bounds[1] - bounds[0])), above


def _erfc_at(value: int, precision: int) -> Bounds:
    """Return bounds of erfc(value / 2^p): 1 - erf(x) for x >= 0, else 2 - erfc(-x)."""
    one = 1 << precision
    if value < 0:
        below, above = _erfc_at(-value, precision)
        return 2 * one - above, 2 * one - below
    whole = value * value >> 2 * precision
    if whole > precision:
        return 0, 1  # erfc(x) <= exp(-x^2) < 2^-p
    below, above = _erf_at(value, precision, precision + 2 * whole + 32 + precision.bit_length())
    return max(0, one - above), one - below


def _erf_at(value: int, precision: int, work: int) -> Bounds:
    """Return bounds of erf(x) = 2 / sqrt(pi) exp(-x^2) (x + 2 x^3 / 3 + 4 x^5 / (3 * 5) + ...) for x >= 0.

    Once a term is less than a unit and 4 x^2 <= 2n + 1, all later ones together are less than a unit.
    """
    x = value << work - precision
    square = (x * x >> work, ceil_shift(x * x, work))
    term = total = (x, x)
    n = 0
    while term[1] > 1 or 4 * square[1] > 2 * n + 1 << work:
        n += 1
        below, above = fixed.multiply(term, (2 * square[0], 2 * square[1]), work)
        term = below // (2 * n + 1), fixed.ceil_div(above, 2 * n + 1)
        total = total[0] + term[0], total[1] + term[1]
    density = fixed.multiply(
        fixed.exponential((-square[1], -square[0]), work), (2 * total[0], 2 * total[1] + 2), work
    )
    root = fixed.root(pi(work), work)
    # The least value of erf / 2 * sqrt(pi) is divided by the greatest root, and the reverse.
    lo, hi = (density[0] << work) // root[1], fixed.ceil_div(density[1] << work, root[0])
    return fixed.rescale((lo, hi), work, precision)


def theta(bounds: Bounds, precision: int) -> Bounds | None:
    """Return bounds of theta(r) = sum over all integers k of exp(-k^2 r), or None where r may be 0 or less.

    For a small r, theta(r) = sqrt(pi / r) theta(pi^2 / r) (Poisson 1823) needs fewer terms.
    """
    if bounds[0] <= 0:
        return None
    if bounds[0] >= SERIES_FROM << precision:
        return _theta_series(bounds, precision)
    inverse = fixed.invert(bounds, precision)
    assert inverse is not None
    ratio = fixed.multiply(pi(precision), inverse, precision)
    series = _theta_series(fixed.multiply(pi(precision), ratio, precision), precision)
    return series and fixed.multiply(fixed.root(ratio, precision), series, precision)


def _theta_series(bounds: Bounds, precision: int) -> Bounds | None:
    """Return bounds of 1 + 2 (exp(-r) + exp(-4 r) + ...), or None where r may be less than 1.

    The terms after the first that is at most a unit are less than half of their predecessor.
    """
    if bounds[0] < 1 << precision:
        return None
    lo = hi = 1 << precision
    k, above = 0, hi
    while above > 1:
        k += 1
        # The ends are evaluated on their own: a joint upper end need not go down to one unit.
        below, _ = fixed.exponential((-k * k * bounds[1],) * 2, precision)
        _, above = fixed.exponential((-k * k * bounds[0],) * 2, precision)
        lo, hi = lo + 2 * below, hi + 2 * above
    return lo, hi + 2
