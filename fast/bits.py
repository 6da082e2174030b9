"""Random bits, and exact samplers in integer arithmetic, free of the leaks of floating-point noise.

By default bits come from the operating system. An integer seed makes a run repeatable, for tests. A seeded
run has no privacy guarantee, because anyone who knows the seed can compute the noise.

The number of random bits and of operations of a draw does not depend on the result, except with probability
below 2^-64. A geometric variable G, P(G = g) proportional to exp(-g / scale), makes this possible: its binary
digits are independent, and digit k is 1 with probability 1 / (1 + exp(2^k / scale)). A fixed number of digits
is drawn. Each compares a uniform number, of which a fixed number of bits is drawn, with integer bounds on its
probability. Bits beyond these are drawn in the rare case that the comparison needs them, so laws are exact.

Notation:
    scale       numerator / denominator, public
    n_digits    number of digits of G that are drawn; G has more with probability exp(-2^n_digits / scale)
    width       number of bits of a uniform number that are drawn first
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

Bits = random.Random
"""Source of random bits, read by `getrandbits` only."""

SPARE = 72
"""A draw takes longer than usual with a probability of about 2^-SPARE, and always below 2^-(SPARE - 8)."""


def bits_from(seed: int | Bits | None) -> Bits:
    """Return the operating system's source for None, and a repeatable one for an integer."""
    if seed is None:
        return random.SystemRandom()
    return seed if isinstance(seed, random.Random) else random.Random(int(seed))


def uniform_below(count: int, bits: Bits) -> int:
    """Return an integer from 0 to count - 1, each with the same probability.

    The product of `count` and a number of `width` bits is divided by 2^width (Lemire 2019). Products whose
    remainder is below 2^width mod count are rejected; every quotient is left with the same number of them.

    Requires: count >= 1.
    Ensures: the number of bits does not depend on counts below 2^SPARE, except with probability 2^-SPARE.
    """
    width = SPARE + max(SPARE, count.bit_length())
    while True:
        product = bits.getrandbits(width) * count
        rest = product & ((1 << width) - 1)
        if rest >= count or rest >= (1 << width) % count:
            return product >> width


def bernoulli(part: int, whole: int, bits: Bits) -> bool:
    """Return true with probability part / whole."""
    return uniform_below(whole, bits) < part


def discrete_laplace(scale: Fraction, bits: Bits) -> int:
    """Return an integer k with probability proportional to exp(-|k| / scale).

    With q = exp(-1 / scale), k is negative with probability q / (1 + q), and k or -1 - k is geometric.

    Requires: scale > 0.
    """
    magnitude, negative = _signed_geometric(scale, bits)
    return magnitude ^ -negative


def geometric(scale: Fraction, bits: Bits) -> int:
    """Return an integer k >= 0 with probability proportional to exp(-k / scale).

    Requires: scale > 0.
    """
    return _signed_geometric(scale, bits)[0]


def _signed_geometric(scale: Fraction, bits: Bits) -> tuple[int, int]:
    """Return a geometric variable, and independently 1 with probability 1 / (1 + exp(1 / scale)) or 0."""
    plan = plan_of(scale.numerator, scale.denominator, SPARE)
    # Every field of `drawn` is a uniform number below a byte with a guard bit. A subtraction keeps the guard
    # bits of the fields where the number is not below its bound.
    drawn = bits.getrandbits(plan.n_bits) | plan.guards
    above = (drawn - plan.highs) & plan.guards
    if above == (drawn - plan.lows) & plan.guards:
        # The upper bytes of the fields become the characters 0 and 1 of a number, the last field first.
        characters = (above ^ plan.ones).to_bytes(plan.n_bits // 8, "big")[:: plan.width // 8 + 1]
        outcomes = int(characters, 2)
    else:
        outcomes = _decide(plan.fields(drawn), scale, plan, bits)
    magnitude = outcomes & ((1 << plan.n_digits) - 1)
    if outcomes >> (plan.n_digits + 1):
        # The digits that are left are those of 1 + a geometric variable again.
        magnitude += (1 + geometric(scale / (1 << plan.n_digits), bits)) << plan.n_digits
    return magnitude, outcomes >> plan.n_digits & 1


def _decide(drawn: Sequence[int], scale: Fraction, plan: Plan, bits: Bits) -> int:
    """Return which uniform numbers are below their probability, as bits; draw more of them until decided."""
    width = plan.width
    while True:
        chances = enclose_chances(scale.numerator, scale.denominator, plan.n_digits, width)
        pairs = list(zip(drawn, chances, strict=True))
        if not any(low <= number < high for number, (low, high) in pairs):
            return sum((number < low) << k for k, (number, (low, _)) in enumerate(pairs))
        drawn = [number << width | bits.getrandbits(width) for number in drawn]
        width *= 2


class Plan(NamedTuple):
    """Constants of all draws with one scale; a field is a byte above `width` bits."""

    n_digits: int
    width: int
    n_bits: int
    guards: int
    ones: int
    lows: int
    highs: int

    def fields(self, packed: int) -> list[int]:
        """Return the numbers of all fields, without their upper bytes."""
        starts = range(0, self.n_bits, self.width + 8)
        return [packed >> start & ((1 << self.width) - 1) for start in starts]


@lru_cache(maxsize=256)
def plan_of(numerator: int, denominator: int, spare: int) -> Plan:
    """Return the constants of all draws with scale numerator / denominator.

    Ensures: exp(-2^n_digits / scale) < 2^-spare, because 2^n_digits > 3/4 spare * scale.
    """
    n_digits = (3 * spare * numerator // (4 * denominator)).bit_length()
    width = (n_digits + spare + 7) // 8 * 8
    chances = enclose_chances(numerator, denominator, n_digits, width)

    def pack(fields: Iterable[int]) -> int:
        return sum(field << (width + 8) * k for k, field in enumerate(fields))

    return Plan(
        n_digits,
        width,
        n_bits=len(chances) * (width + 8),
        guards=pack(1 << width for _ in chances),
        ones=pack(ord("1") << width for _ in chances),
        lows=pack(low for low, _ in chances),
        highs=pack(high for _, high in chances),
    )


def enclose_chances(numerator: int, denominator: int, n_digits: int, width: int) -> list[tuple[int, int]]:
    """Return bounds on 2^width times the probability of every digit, of a negative sign and of more digits.

    With q = exp(-denominator / numerator) these are q^(2^k) / (1 + q^(2^k)) for k < n_digits, q / (1 + q) and
    q^(2^n_digits). The powers are made by squaring, which doubles an error.

    Ensures: integers low <= high for each, and high - low <= 2.
    """
    halvings = (denominator // numerator).bit_length()
    precision = width + halvings + n_digits + 12
    one = 1 << precision
    low, high = enclose_exp(denominator, numerator << halvings, precision)
    powers = []
    for step in range(halvings + n_digits + 1):
        if step >= halvings:
            powers.append((low, high))
        low, high = low * low >> precision, -(-high * high >> precision)
    low, high = powers[-1]
    digits = [((a << width) // (one + a), -((-b << width) // (one + b))) for a, b in powers]
    more = (low << width) >> precision, -((-high << width) >> precision)
    return [*digits[:-1], digits[0], more]


def enclose_exp(numerator: int, denominator: int, precision: int) -> tuple[int, int]:
    """Return integers below and above 2^precision exp(-numerator / denominator).

    Terms of the series are rounded down: the first becomes less than 1 too small, others less than 3/2. What
    is left out after a term that is rounded to 0 is less than 1.

    Requires: 0 <= numerator <= denominator.
    """
    term = total = 1 << precision
    count = 0
    while term:
        count += 1
        term = term * numerator // (denominator * count)
        total += -term if count % 2 else term
    return total - 2 * count, total + 2 * count
