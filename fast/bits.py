"""Random bits, and exact samplers in integer arithmetic, free of the leaks of floating-point noise.

By default bits come from the operating system. An integer seed makes a run repeatable, for tests. A seeded
run has no privacy guarantee, because anyone who knows the seed can compute the noise.

The samplers follow Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy" (2020),
Algorithms 1 and 2, in integers.
"""

from __future__ import annotations

import random
from fractions import Fraction
from math import gcd

Bits = random.Random
"""Source of random bits, read by `getrandbits` only."""


def bits_from(seed: int | Bits | None) -> Bits:
    """Return the operating system's source for None, and a repeatable one for an integer."""
    if seed is None:
        return random.SystemRandom()
    return seed if isinstance(seed, random.Random) else random.Random(int(seed))


def uniform_below(count: int, bits: Bits) -> int:
    """Return an integer from 0 to count - 1, each with the same probability.

    Requires: count >= 1.
    """
    width = (count - 1).bit_length()
    while True:
        drawn = bits.getrandbits(width) if width else 0
        if drawn < count:
            return drawn


def bernoulli(part: int, whole: int, bits: Bits) -> bool:
    """Return true with probability part / whole."""
    shared = gcd(part, whole)
    return uniform_below(whole // shared, bits) < part // shared


def bernoulli_exp(exponent: Fraction, bits: Bits) -> bool:
    """Return true with probability exp(-exponent).

    Requires: exponent >= 0.
    """
    whole, rest = divmod(exponent.numerator, exponent.denominator)
    for _ in range(whole):
        if not bernoulli_exp_below_one(1, 1, bits):
            return False
    return bernoulli_exp_below_one(rest, exponent.denominator, bits)


def bernoulli_exp_below_one(part: int, whole: int, bits: Bits) -> bool:
    """Return true with probability exp(-part / whole) for an exponent in [0, 1]."""
    count = 1
    while bernoulli(part, count * whole, bits):
        count += 1
    return count % 2 == 1


def discrete_laplace(scale: Fraction, bits: Bits) -> int:
    """Return an integer k with probability proportional to exp(-|k| / scale).

    Requires: scale > 0.
    """
    t, s = scale.numerator, scale.denominator
    while True:
        start = uniform_below(t, bits)
        if not bernoulli_exp_below_one(start, t, bits):
            continue
        rounds = 0
        while bernoulli_exp_below_one(1, 1, bits):
            rounds += 1
        magnitude = (start + t * rounds) // s
        negative = bool(bits.getrandbits(1))
        if not (negative and magnitude == 0):
            return -magnitude if negative else magnitude
