"""Composition of mechanisms of bounded range, such as the exponential mechanism.

A mechanism has range epsilon if its privacy losses between two neighbours lie in an interval of that length.
The exponential mechanism for epsilon has range epsilon (Durfee and Rogers 2019).

Notation:
    t    upper end of the interval of losses, in [0, epsilon]       k    number of mechanisms
    p    probability of the loss t under the second neighbour, where the other loss is t - epsilon
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

from privboost.reference.exact import Exact, Number, exact_sum, exp
from privboost.reference.privacy.mechanisms import greatest

from .arguments import check_count, not_negative, positive


def optimal_bounded_range_delta(total: Exact, epsilon: Exact, k: int) -> Number:
    """Return the least delta, at epsilon = `total`, of k mechanisms of range epsilon chosen in advance.

    It is the greatest value of `_delta_at` over t = (total + (l + 1) epsilon) / (k + 1), moved into
    [0, epsilon], for l = 0, ..., k.

    Source: Dong, Durfee and Rogers 2020 (optimal composition of exponential mechanisms).
    """
    limit, budget = not_negative(total, "total"), positive(epsilon, "epsilon")
    times = check_count(k, "k")
    ends = [min(max((limit + (i + 1) * budget) / (times + 1), Fraction(0)), budget) for i in range(times + 1)]
    # At total = 0, ends that mirror each other have one value, in a way that algebra does not detect.
    return greatest([_delta_at(limit, budget, times, t) for t in ends], lambda delta: delta)


def _delta_at(total: Number, epsilon: Number, k: int, t: Number) -> Number:
    """Return the sum over i of C(k, i) p^(k - i) (1 - p)^i max{0, e^(k t - i epsilon) - e^total}."""
    p = (exp(-t) - exp(-epsilon)) / (1 - exp(-epsilon))
    return exact_sum(
        comb(k, i) * p ** (k - i) * (1 - p) ** i * (exp(k * t - i * epsilon) - exp(total))
        for i in range(k + 1)
        if k * t - i * epsilon > total
    )
