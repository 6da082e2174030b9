"""Certified fixed-point bounds: the arithmetic that every enclosure rests on.

Notation:
    bounds      a pair (lo, hi) of ints
    precision   a number of bits p; the pair stands for the interval [lo / 2^p, hi / 2^p]

The bounds that a function returns contain its values at all points of its arguments.
Rounding direction: lower ends down (floor), upper ends up (ceiling). No floats are used.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt

Bounds = tuple[int, int]


def ceil_div(numerator: int, denominator: int) -> int:
    """Return the least integer that is at least numerator / denominator."""
    return -(-numerator // denominator)


def ceil_shift(value: int, bits: int) -> int:
    """Return the least integer that is at least value / 2^bits."""
    return -(-value >> bits)


def of_fraction(value: Fraction, precision: int) -> Bounds:
    """Return bounds of a rational number, at most one unit apart."""
    scaled = value.numerator << precision
    return scaled // value.denominator, ceil_div(scaled, value.denominator)


def of_root(coefficient: Fraction, radicand: int, precision: int) -> Bounds:
    """Return bounds of coefficient * sqrt(radicand), one unit apart.

    Requires: radicand > 1 is not a square and coefficient is not 0, so the value is irrational.
    """
    squared = coefficient.numerator**2 * radicand
    below = isqrt(squared << 2 * precision) // coefficient.denominator
    return (below, below + 1) if coefficient > 0 else (-below - 1, -below)


def rescale(bounds: Bounds, old: int, new: int) -> Bounds:
    """Return the same interval, widened to whole units, at another precision."""
    lo, hi = bounds
    if new >= old:
        return lo << new - old, hi << new - old
    return lo >> old - new, ceil_shift(hi, old - new)


def scale(factor: Fraction, bounds: Bounds) -> Bounds:
    """Return bounds of a rational multiple."""
    lo, hi = bounds if factor >= 0 else (bounds[1], bounds[0])
    numerator, denominator = factor.numerator, factor.denominator
    return numerator * lo // denominator, ceil_div(numerator * hi, denominator)


def multiply(first: Bounds, second: Bounds, precision: int) -> Bounds:
    """Return bounds of a product."""
    a, b = first
    c, d = second
    if a >= 0 and c >= 0:
        return a * c >> precision, ceil_shift(b * d, precision)
    products = (a * c, a * d, b * c, b * d)
    return min(products) >> precision, ceil_shift(max(products), precision)


def power(bounds: Bounds, exponent: int, precision: int) -> Bounds:
    """Return bounds of a positive integer power, by repeated squaring."""
    result = bounds
    for bit in bin(exponent)[3:]:
        result = multiply(result, result, precision)
        if bit == "1":
            result = multiply(result, bounds, precision)
    return result


def invert(bounds: Bounds, precision: int) -> Bounds | None:
    """Return bounds of a reciprocal, or None where the argument may be 0."""
    lo, hi = bounds
    if lo <= 0 <= hi:
        return None
    one = 1 << 2 * precision
    return one // hi, ceil_div(one, lo)


def root(bounds: Bounds, precision: int) -> Bounds:
    """Return bounds of the square root of the non-negative part of the argument."""
    lo, hi = max(bounds[0], 0) << precision, max(bounds[1], 0) << precision
    above = isqrt(hi)
    return isqrt(lo), above + (above * above < hi)


def exponential(bounds: Bounds, precision: int) -> Bounds:
    """Return bounds of exp.

    For d <= 1/2, exp(x + d) <= exp(x) * (1 + 2d), so one series is enough; a wider argument takes two.
    """
    lo, hi = bounds
    below, above = _exponential_at(lo, precision)
    spread = hi - lo
    if 2 * spread > 1 << precision:
        return below, _exponential_at(hi, precision)[1]
    return below, above + ceil_shift(2 * spread * above, precision)


def exponent_of_two(value: int, precision: int) -> int:
    """Return an integer k within 1 of (value / 2^p) / log 2; beyond 2^64 only its sign and a size of 2^63."""
    extra = value.bit_length()
    if extra > precision + 64:
        return (1 if value > 0 else -1) << 63
    return (value << extra) // log_two(precision + extra)


def _exponential_at(value: int, precision: int) -> Bounds:
    """Return bounds of exp(value / 2^p).

    exp(x) = 2^k * exp(r / 2^s)^(2^s) with r = x - k log 2. The Taylor series of the inner
    factor has its argument below 0.36, so each truncated term is less than 4 units too small
    and the terms after the first zero term sum to less than 8 units.
    """
    k = exponent_of_two(value, precision)
    if k + 2 < -precision:
        return 0, 1
    halvings = max(3, isqrt(precision + max(k, 0)) // 2)
    work = precision + max(k, 0) + halvings + 16 + precision.bit_length()
    below_log_two = log_two(work)
    rest = (value << work - precision) - k * (below_log_two + (k > 0))
    if rest < 0:
        k, rest = k - 1, rest + below_log_two
    argument = rest >> halvings
    slack = ((abs(k) + 2) >> halvings) + 2
    total, terms = _exponential_series(argument, work)
    lo, hi = total, total + 4 * terms + 8
    hi += (2 * slack * hi >> work) + 1
    for _ in range(halvings):
        lo, hi = lo * lo >> work, (hi * hi >> work) + 1
    return lo >> work - precision - k, ceil_shift(hi, work - precision - k)


def _exponential_series(argument: int, work: int) -> tuple[int, int]:
    """Return the truncated Taylor sum of exp and the number of terms added."""
    term = total = 1 << work
    count = 1
    while term:
        term = (term * argument >> work) // count
        total += term
        count += 1
    return total, count


def logarithm(bounds: Bounds, precision: int) -> Bounds | None:
    """Return bounds of log, or None where the argument may be 0 or less.

    log(x + d) <= log(x) + d / x gives the upper end from the same series.
    """
    lo, hi = bounds
    if lo <= 0:
        return None
    below, above = _logarithm_at(lo, precision)
    return below, above + ceil_div((hi - lo) << precision, lo)


def _logarithm_at(value: int, precision: int) -> Bounds:
    """Return bounds of log(value / 2^p).

    x = m 2^e with 1 <= m < 2, and log m = 2^(s+1) atanh((n - 1) / (n + 1)) for the 2^s-th root n of m.
    A truncated term is less than 4 units too small, the terms after the first zero term sum to less than
    8 units, rounding the argument of atanh costs 2, and the root n is known to `slack` units.
    """
    exponent = value.bit_length() - 1 - precision
    roots = max(3, isqrt(precision) // 2)
    work = precision + roots + 16 + precision.bit_length() + abs(exponent).bit_length()
    shift = work - precision - exponent
    mantissa, slack = (value << shift, 0) if shift >= 0 else (value >> -shift, 1)
    for _ in range(roots):
        mantissa, slack = isqrt(mantissa << work), slack // 2 + 2
    one = 1 << work
    total, terms = _atanh_series(((mantissa - one) << work) // (mantissa + one), work)
    lo = 2 * total << roots
    hi = lo + (8 * terms + 20 + slack << roots)
    below_log_two = log_two(work)
    lo += exponent * (below_log_two + (exponent < 0))
    hi += exponent * (below_log_two + (exponent > 0))
    return rescale((lo, hi), work, precision)


def _atanh_series(argument: int, work: int) -> tuple[int, int]:
    """Return the truncated series of atanh and the number of terms added."""
    square = argument * argument >> work
    power, total, count = argument, 0, 0
    while power:
        total += power // (2 * count + 1)
        power = power * square >> work
        count += 1
    return total, count


def log_two(precision: int) -> int:
    """Return floor(2^p * log 2)."""
    block = -(-precision // 256) * 256
    return _log_two_block(block) >> block - precision


@lru_cache(maxsize=64)
def _log_two_block(precision: int) -> int:
    """Return floor(2^p * log 2) from log 2 = 18 atanh(1/26) - 2 atanh(1/4801) + 8 atanh(1/8749)."""
    guard = 32
    while True:
        work = precision + guard
        total = error = 0
        for weight, denominator in ((18, 26), (-2, 4801), (8, 8749)):
            value, terms = _atanh_reciprocal(denominator, work)
            total += weight * value
            error += abs(weight) * (2 * terms + 2)
        below, above = total - error >> guard, total + error >> guard
        if below == above:
            return below
        guard *= 2


def _atanh_reciprocal(denominator: int, work: int) -> tuple[int, int]:
    """Return atanh(1 / denominator), too small by at most 2 units per term, and the number of terms."""
    power = (1 << work) // denominator
    square = denominator * denominator
    total = count = 0
    while power:
        total += power // (2 * count + 1)
        power //= square
        count += 1
    return total, count
