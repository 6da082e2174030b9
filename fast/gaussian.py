"""Exact discrete Gaussian noise, many draws at a time, in work that does not follow the results.

P(X = k) is proportional to exp(-k^2 / (2 variance)) on the integers. A trial draws a sign and a magnitude
k = block width + offset: the block with probability proportional to

    g(block) = exp(-(block width)^2 / (2 variance)),

the offset uniformly, and accepts them with probability exp(-(2 block width + offset) offset / (2 variance)).
The product of the three is the law. A zero with a negative sign is rejected, so that zero counts once.

All trials of a batch use the same number of random bits and the same operations on arrays. How many trials
are rejected is independent of what is accepted. Uniform numbers of fixed length are compared with enclosures
of probabilities; if they do not decide, which has a probability below 2^-41 for a trial, more bits are drawn
and the comparison is made with integers. So the law is exact.

Notation:
    variance    sigma^2, rational and public        width       a power of two, at most sigma / 8
    G(block)    probability of this block or a lower one
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import NamedTuple

import numpy as np

from .arrays import Array, Indices
from .bits import Bits, enclose_exp, uniform_below

GREATEST_VARIANCE = 1 << 88
"""Noise of at most this variance stays below 2^50, so that sums and products of it fit into 64 bits."""
TABLE_BITS = 8
"""Number of steps of the search for a block; 2^8 blocks reach beyond 16 sigma."""
BLOCK_BITS, ACCEPT_BITS = 63, 53
"""Number of bits of the uniform numbers that are drawn first."""
UNSURE = 2.0**-43
"""Bound on the error of a computed probability; the errors of its eight operations are below 2^-47."""
SPARE_TRIALS = 64

Enclosures = tuple[list[int], list[int]]


class BlockTable(NamedTuple):
    """Constants of all draws with one variance: the offset's bits, and enclosures of 2^63 G(block)."""

    offset_bits: int
    lows: Array
    highs: Array
    twice: float


class GaussianTrial(NamedTuple):
    """The random numbers of one trial, before they are compared with probabilities."""

    block: int
    offset: int
    accept: int


def discrete_gaussians(variance: Fraction, count: int, bits: Bits) -> Indices:
    """Return independent integers k, each with probability proportional to exp(-k^2 / (2 variance)).

    Requires: 0 < variance <= GREATEST_VARIANCE.
    """
    accepted = np.empty(0, dtype=np.int64)
    while accepted.size < count:
        n_missing = count - accepted.size
        accepted = np.concatenate(
            (accepted, _trials(variance, n_missing + n_missing // 8 + SPARE_TRIALS, bits))
        )
    return accepted[:count]


def uniforms_below(below: int, count: int, bits: Bits) -> Indices:
    """Return independent integers from 0 to below - 1, each with the same probability.

    As `uniform_below`, from 64 bits each; a number is drawn again with probability below / 2^64.

    Requires: 1 <= below < 2^32.
    """
    drawn, factor = np.frombuffer(bits.randbytes(8 * count), dtype="<u8"), np.uint64(below)
    low = (drawn & np.uint64(0xFFFFFFFF)) * factor
    middle = (drawn >> np.uint64(32)) * factor + (low >> np.uint64(32))
    results: Indices = (middle >> np.uint64(32)).astype(np.int64)
    rest = (middle << np.uint64(32)) | (low & np.uint64(0xFFFFFFFF))
    for index in np.flatnonzero(rest < np.uint64((1 << 64) % below)):
        results[index] = uniform_below(below, bits)
    return results


def _trials(variance: Fraction, count: int, bits: Bits) -> Indices:
    """Return the accepted ones of a number of trials."""
    plan = plan_of(variance)
    drawn = np.frombuffer(bits.randbytes(24 * count), dtype="<u8").reshape(3, count)
    negative = (drawn[0] & np.uint64(1)).astype(np.bool_)
    blocks = drawn[0] >> np.uint64(1)
    # A shift by all 64 bits is not defined, so that it is made in two steps.
    offsets = (drawn[1] >> np.uint64(1)) >> np.uint64(BLOCK_BITS - plan.offset_bits)
    accepts = drawn[2] >> np.uint64(64 - ACCEPT_BITS)
    block, above = _count_up_to(plan.highs, blocks), _count_up_to(plan.lows, blocks)
    offset = offsets.astype(np.int64)
    start = block << plan.offset_bits
    chance = np.exp((2.0 * start + offset) * offset / -plan.twice)
    difference = accepts.astype(np.float64) * 2.0**-ACCEPT_BITS - chance
    accepted, magnitude = difference < 0, start + offset
    for i in np.flatnonzero((block != above) | (np.abs(difference) <= UNSURE)):
        trial = GaussianTrial(int(blocks[i]), int(offsets[i]), int(accepts[i]))
        accepted[i], magnitude[i] = settle(trial, variance, bits)
    accepted &= ~(negative & (magnitude == 0))
    results: Indices = np.where(negative, -magnitude, magnitude)[accepted]
    return results


def _count_up_to(bounds: Array, numbers: Array) -> Indices:
    """Return how many of 256 increasing bounds are at most each number, in a fixed number of steps.

    Requires: the last bound is above all numbers.
    """
    counts = np.zeros(numbers.size, dtype=np.int64)
    for step in (1 << k for k in reversed(range(TABLE_BITS))):
        counts += step * (bounds[counts + (step - 1)] <= numbers)
    return counts


def settle(trial: GaussianTrial, variance: Fraction, bits: Bits) -> tuple[bool, int]:
    """Return whether a trial is accepted, and its magnitude, by integers; draw more bits until decided."""
    offset_bits = offset_bits_of(variance)
    number, n_bits = trial.block, BLOCK_BITS
    while True:
        lows, highs = enclose_blocks(variance, n_bits)
        block = bisect_right(highs, number)
        if block == bisect_right(lows, number):
            break
        number, n_bits = number << 64 | bits.getrandbits(64), n_bits + 64
    start = block << offset_bits
    exponent = Fraction((2 * start + trial.offset) * trial.offset) / (2 * variance)
    number, n_bits = trial.accept, ACCEPT_BITS
    while True:
        low, high = enclose_power(exponent, n_bits + 8)
        # The enclosure is one of 2^(n_bits + 8) times the probability.
        if (number + 1) << 8 <= low or number << 8 >= high:
            return number << 8 < low, start + trial.offset
        number, n_bits = number << 64 | bits.getrandbits(64), n_bits + 64


def offset_bits_of(variance: Fraction) -> int:
    """Return the logarithm of the width of blocks: the greatest power of two at most sigma / 8, or 1."""
    return max(isqrt(int(variance / 64)).bit_length() - 1, 0)


@lru_cache(maxsize=16)
def plan_of(variance: Fraction) -> BlockTable:
    """Return the constants of all draws with one variance."""
    lows, highs = enclose_blocks(variance, BLOCK_BITS)
    tables = (np.array(bounds[: 1 << TABLE_BITS], dtype=np.uint64) for bounds in (lows, highs))
    return BlockTable(offset_bits_of(variance), *_with_end(*tables), float(2 * variance))


def _with_end(lows: Array, highs: Array) -> tuple[Array, Array]:
    """Return tables whose last bounds are above all numbers, and so leave the last block to `settle`."""
    end = np.uint64(1 << BLOCK_BITS)
    first_unsure = np.uint64((1 << BLOCK_BITS) - 1)
    assert lows[-1] >= first_unsure
    lows, highs = lows.copy(), highs.copy()
    lows[-1] = highs[-1] = end
    return lows, highs


@lru_cache(maxsize=16)
def enclose_blocks(variance: Fraction, n_bits: int) -> Enclosures:
    """Return integers below and above 2^n_bits G(block) for each block, in increasing order.

    With x = width^2 / (2 variance), g(block) = exp(-x block^2) is made by products from q = exp(-x) as
    g(block + 1) = g(block) q^(2 block + 1). Blocks that are left out have less than twice the first one's
    part, because there each is less than half of the one before.
    """
    n_blocks = (1 << TABLE_BITS) + 16 * isqrt(2 * (n_bits + 8))
    precision = n_bits + 64
    rate = Fraction(1 << 2 * offset_bits_of(variance)) / (2 * variance)
    factor = enclose_power(rate, precision)
    square = _times(factor, factor, precision)
    part: tuple[int, int] = (1 << precision, 1 << precision)
    sums: list[tuple[int, int]] = []
    total = (0, 0)
    for _ in range(n_blocks):
        total = total[0] + part[0], total[1] + part[1]
        sums.append(total)
        part, factor = _times(part, factor, precision), _times(factor, square, precision)
    least, most = total[0], total[1] + 2 * part[1]
    lows = [(low << n_bits) // most for low, _ in sums]
    highs = [min(-((-high << n_bits) // least), 1 << n_bits) for _, high in sums]
    return lows, highs


def _times(one: Sequence[int], other: Sequence[int], precision: int) -> tuple[int, int]:
    """Return an enclosure of the product of two numbers that are enclosed in steps of 2^-precision."""
    return one[0] * other[0] >> precision, -(-one[1] * other[1] >> precision)


def enclose_power(exponent: Fraction, n_bits: int) -> tuple[int, int]:
    """Return integers below and above 2^n_bits exp(-exponent).

    The exponent is halved until it is below 1. Squaring the result doubles its error each time.

    Requires: exponent >= 0.
    """
    halvings = int(exponent).bit_length()
    precision = n_bits + halvings + 12
    bounds = enclose_exp(exponent.numerator, exponent.denominator << halvings, precision)
    bounds = max(bounds[0], 0), min(bounds[1], 1 << precision)
    for _ in range(halvings):
        bounds = _times(bounds, bounds, precision)
    return bounds[0] >> (precision - n_bits), -(-bounds[1] >> (precision - n_bits))
