"""Thresholds of histograms whose keys are not public.

A key that one row has alone must be released with a small probability only. For rows with up to `cells` keys
and independent noise, all of them stay hidden with probability at least 1 - delta if each is released with
probability at most p = 1 - (1 - delta)^(1 / cells).

Notation:
    b, sigma    scale of Laplace noise, standard deviation of Gaussian noise       Z    the noise

Source: Korolova, Kenthapadi, Mishra and Ntoulas 2009 (one key); Wilson et al. 2020 (many keys).
"""

from __future__ import annotations

from fractions import Fraction

from privboost.errors import PreconditionError
from privboost.reference.exact import Enclosure, Exact, Number, exp, floor, log
from privboost.reference.privacy.mechanisms import HALF

from .arguments import check_count, check_delta, positive
from .gaussian import BITS
from .noise import Gaussian
from .solving import enclose_root


def release_chance(delta: Exact, cells: int = 1) -> Number:
    """Return p = 1 - (1 - delta)^(1 / cells)."""
    slack = check_delta(delta)
    return slack if check_count(cells, "cells") == 1 else 1 - exp(log(1 - slack) / cells)


def laplace_threshold(scale: Exact, delta: Exact, cells: int = 1) -> Number:
    """Return the least t with P(1 + Z >= t) <= p: 1 - b log(2 p) for p <= 1/2, else 1 + b log(2 - 2 p)."""
    width, chance = positive(scale, "scale"), release_chance(delta, cells)
    return 1 - width * log(2 * chance) if chance <= HALF else 1 + width * log(2 - 2 * chance)


def geometric_threshold(scale: Exact, delta: Exact, cells: int = 1) -> int:
    """Return the least integer t >= 1 with P(1 + Z >= t) <= p, for discrete Laplace noise on the integers.

    P(Z >= k) = q^k / (1 + q) for k >= 0 and q = exp(-1 / b).
    """
    width, chance = positive(scale, "scale"), release_chance(delta, cells)
    steps = -width * log(chance * (1 + exp(-1 / width)))
    return 1 + max(0, -floor(-steps))


def enclose_gaussian_threshold(sigma: Exact, delta: Exact, cells: int = 1, bits: int = BITS) -> Enclosure:
    """Return an enclosure of the least t with P(1 + Z >= t) <= p.

    Requires: p < 1/2.
    """
    noise, chance = Gaussian(Fraction(0), positive(sigma, "sigma")), release_chance(delta, cells)
    if chance >= HALF:
        raise PreconditionError("delta", "a chance of release < 1/2", delta)
    root = enclose_root(lambda t: noise.above(t) > chance, bits)
    return Enclosure(1 + root.lo, 1 + root.hi)
