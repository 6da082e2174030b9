"""Samplers with exact laws, from random bits and without rounding.

Notation:
    u       a uniform number in [0, 1]; only the binary digits that are needed are drawn
    r       step / scale, the rate of discrete Laplace noise
    q_i     exp(epsilon (f_i - max f) / (2 Delta)), the probability that permute-and-flip accepts outcome i

A choice with irrational probabilities compares the digits of u with certified enclosures of the cumulative
probabilities. Digits are drawn and enclosures are refined until the comparison is decided. This happens with
probability 1, even if two numbers are equal in a way that algebra does not detect.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, count

from privboost.errors import PreconditionError
from privboost.reference.exact import Enclosure, Exact, Number, enclose, exact, exact_sum, exp

from .bits import BitSource, draw
from .mechanisms import rate

GUARD_BITS = 32
"""Extra bits of precision of the boundaries; with more, fewer bits of u are read before a decision."""

HALF = Fraction(1, 2)


def sample_uniform_below(n: int, bits: BitSource) -> int:
    """Return 0, ..., n - 1 with probability 1 / n each, by rejection that reuses the rejected randomness.

    `value` is uniform below `size`. If it is at least n, value - n is uniform below size - n (Lumbroso 2013).

    Requires: n >= 1.
    Ensures: at most log2(n) + 2 bits are expected.
    """
    bound = exact(n, "n")
    if not isinstance(bound, Fraction) or bound.denominator != 1 or bound < 1:
        raise PreconditionError("uniform", "an integer n >= 1", n)
    size, value = 1, 0
    while True:
        if size >= n:
            if value < n:
                return value
            size, value = size - n, value - n
        else:
            size, value = 2 * size, 2 * value + bits.bit()


def sample_bernoulli(p: Exact, bits: BitSource) -> bool:
    """Return True with probability p: whether u < p.

    Requires: 0 <= p <= 1.
    Ensures: at most 3 bits are expected, at most 2 for a rational p.
    """
    chance = exact(p, "p")
    if not 0 <= chance <= 1:
        raise PreconditionError("bernoulli", "0 <= p <= 1", p)
    return draw(bits, _toss, chance)


def sample_bernoulli_exp(x: Exact, bits: BitSource) -> bool:
    """Return True with probability exp(-x); a large x takes no more bits than a small one.

    Requires: x >= 0.
    Ensures: at most 3 bits are expected.
    """
    return draw(bits, _toss, exp(-_exponent(x)))


def sample_bernoulli_exp_series(x: Exact, bits: BitSource) -> bool:
    """Return True with probability exp(-x), as `sample_bernoulli_exp` does, from coins of x/j only.

    For g <= 1, coins of g, g/2, g/3, ... are tossed until one fails. The j-th is the first to fail with
    probability g^(j-1)/(j-1)! - g^j/j!, which over odd j adds up to exp(-g) (von Neumann 1951; Canonne,
    Kamath and Steinke 2020). exp(-x) is the probability of this in all of n such trials with g = x/n.

    Requires: x >= 0.
    """
    exponent = _exponent(x)
    trials = max(1, -(-enclose(exponent, 1).hi // 1))
    return all(draw(bits, _first_failure_is_odd, exponent / trials) for _ in range(trials))


def _first_failure_is_odd(g: Number, bits: BitSource) -> bool:
    """Return whether the first of the coins g, g/2, g/3, ... to fail is the 1st, 3rd, 5th, ..."""
    return next(j for j in count(1) if not draw(bits, _toss, g / j)) % 2 == 1


def _toss(p: Number, bits: BitSource) -> bool:
    """Return True with probability p.

    Requires: 0 <= p <= 1, which is not checked.
    """
    return _count_below(lambda precision: [enclose(p, precision)], bits) == 0


def _exponent(x: Exact) -> Number:
    """Return x, or raise PreconditionError if it is negative."""
    exponent = exact(x, "x")
    if exponent < 0:
        raise PreconditionError("bernoulli", "x >= 0 in exp(-x)", x)
    return exponent


def sample_discrete_laplace(scale: Exact, step: Exact, bits: BitSource) -> Fraction:
    """Return k * step with probability proportional to exp(-|k| r), r = step / scale.

    Zero has probability (1 - exp(-r)) / (1 + exp(-r)); otherwise |k| - 1 is geometric and the sign is fair.
    The law is that of Canonne, Kamath and Steinke 2020 and of Ghosh, Roughgarden and Sundararajan 2009; the
    guarantee holds for values on the grid of multiples of `step`.

    Paper: sec:def (Laplace mechanism). The noise is on a grid.
    Requires: scale > 0; step > 0 and rational.
    """
    width, grid = exact(scale, "scale"), exact(step, "step")
    if width <= 0:
        raise PreconditionError("laplace", "scale > 0", scale)
    if not isinstance(grid, Fraction) or grid <= 0:
        raise PreconditionError("laplace", "a rational step > 0", step)
    r = grid / width
    fails = exp(-r)
    if draw(bits, _toss, (1 - fails) / (1 + fails)):
        return Fraction(0)
    size = 1 + draw(bits, _sample_geometric, r)
    return size * grid if draw(bits, _toss, HALF) else -size * grid


def _sample_geometric(r: Number, bits: BitSource) -> int:
    """Return k >= 0 with probability proportional to exp(-k r).

    exp(-k r) is the product of exp(-2^j r) over the binary digits j of k that are 1, so the digits are
    independent: digit j is 1 with probability 1 / (1 + exp(2^j r)). The digits above those drawn one by one
    form a number that is again geometric, with a rate of at least 1, and is drawn by counting.

    Ensures: O(log(1 / r)) draws are expected.
    """
    digits = int(enclose(1 / r, 1).hi).bit_length()
    low = sum(1 << j for j in range(digits) if draw(bits, _toss, 1 / (1 + exp((1 << j) * r))))
    chance = exp(-(1 << digits) * r)
    return low + (next(k for k in count() if not draw(bits, _toss, chance)) << digits)


def sample_choice(weights: Sequence[Exact], bits: BitSource) -> int:
    """Return index i with probability w_i / (w_1 + ... + w_n): the cumulative interval that contains u.

    Requires: at least one weight; every weight > 0.
    Ensures: at most log2(n) + 4 bits are expected.
    """
    numbers = [exact(weight, "weight") for weight in weights]
    if not numbers:
        raise PreconditionError("choice", "at least one weight", "none")
    for weight in numbers:
        if weight <= 0:
            raise PreconditionError("choice", "weights > 0", weight)
    total = exact_sum(numbers)
    return draw(bits, _sample_interval, tuple(weight / total for weight in numbers[:-1]))


def _sample_interval(chances: tuple[Number, ...], bits: BitSource) -> int:
    """Return each index with its probability, and the index after the last with the remaining probability."""

    def cumulative(precision: int) -> list[Enclosure]:
        parts = [enclose(chance, precision + len(chances).bit_length()) for chance in chances]
        lows, highs = accumulate(part.lo for part in parts), accumulate(part.hi for part in parts)
        return [Enclosure(lo, hi) for lo, hi in zip(lows, highs, strict=True)]

    return _count_below(cumulative, bits)


def sample_exponential_mechanism(
    scores: Sequence[Exact], epsilon: Exact, sensitivity: Exact, bits: BitSource, *, one_sided: bool = False
) -> int:
    """Return index i with probability proportional to exp(epsilon f_i / (2 Delta)).

    The factor 2 is dropped if all scores move in the same direction (`one_sided`).

    Paper: sec:def (exponential mechanism), expSPLIT.
    Requires: at least one score, epsilon >= 0, Delta > 0.
    """
    exponents = _exponents(scores, rate(epsilon, sensitivity, one_sided=one_sided))
    # Subtracting a constant does not change the law; one of the greatest exponents keeps all weights small.
    great = next(_greatest(exponents))
    return sample_choice([exp(exponent - great) for exponent in exponents], bits)


def sample_permute_and_flip(
    scores: Sequence[Exact], epsilon: Exact, sensitivity: Exact, bits: BitSource, *, one_sided: bool = False
) -> int:
    """Return the first index, in random order, that a coin with probability q_i accepts.

    q_i is the least of exp(epsilon (f_i - f_j) / (2 Delta)) over the j that may be best, so that scores
    whose order is undecided need not be compared. The best score has q_i = 1, so the search terminates
    (McKenna and Sheldon 2020).

    Paper: expSPLIT. The paper uses the exponential mechanism instead.
    Requires: at least one score, epsilon >= 0, Delta > 0.
    """
    exponents = _exponents(scores, rate(epsilon, sensitivity, one_sided=one_sided))
    best = list(_greatest(exponents))
    left = list(range(len(exponents)))
    while True:
        i = left.pop(draw(bits, sample_uniform_below, len(left)))
        chances = tuple(exp(exponents[i] - other) for other in best)
        if draw(bits, _sample_least, chances):
            return i


def _sample_least(chances: tuple[Number, ...], bits: BitSource) -> bool:
    """Return True with probability min(1, *chances), without deciding which of them is the least."""

    def least(precision: int) -> list[Enclosure]:
        parts = [enclose(chance, precision) for chance in (Fraction(1), *chances)]
        return [Enclosure(min(part.lo for part in parts), min(part.hi for part in parts))]

    return _count_below(least, bits) == 0


def _exponents(scores: Sequence[Exact], per_score: Number) -> list[Number]:
    """Return rate * score for all scores, or raise PreconditionError if there are none."""
    if not scores:
        raise PreconditionError("expSPLIT", "at least one score", "none")
    return [per_score * exact(score, "score") for score in scores]


def _greatest(values: list[Number]) -> Iterator[Number]:
    """Yield the greatest value, and distinct others that enclosures do not separate from it."""
    parts = [enclose(value, 2 * GUARD_BITS) for value in values]
    least = max(part.lo for part in parts)
    kept: list[Number] = []
    for value, part in zip(values, parts, strict=True):
        differences = [value - other for other in kept] if part.hi >= least else [Fraction(0)]
        if all(not isinstance(difference, Fraction) or difference for difference in differences):
            kept.append(value)
            yield value


def _count_below(boundaries: Callable[[int], Sequence[Enclosure]], bits: BitSource) -> int:
    """Return the number of boundaries b_1 <= ... <= b_n in [0, 1] below u, given enclosures at any precision.

    After k digits u lies in a cell of width 2^-k. A boundary leaves at most two of the 2^k cells undecided,
    so more digits are needed with probability at most 2n / 2^k.

    Requires: the upper ends of the enclosures increase.
    """
    cell, digits, precision = 0, 0, 2 * GUARD_BITS
    known = boundaries(precision)
    while True:
        if digits + GUARD_BITS > precision:
            precision *= 2
            known = boundaries(precision)
        below = bisect_right(known, Fraction(cell, 1 << digits), key=lambda boundary: boundary.hi)
        if below == len(known) or Fraction(cell + 1, 1 << digits) <= known[below].lo:
            return below
        cell, digits = 2 * cell + bits.bit(), digits + 1
