"""f-DP in one run: whether a number of right guesses refutes a trade-off curve.

The theorem is that of Mahloujifar, Melis and Chaudhuri 2024 (`one-run.f-dp` in the ledger). Out of m
canaries, r are guessed by a rule that looks at the output alone, and n of the guesses are right with
probability p_n. With G(u) the chance of u or more right guesses,

    (r - u + 1) G(u - 1)  >=  G(u) + G(u + 1) + ...  +  m h(R(u)),
    m R(u) = u G(u) + G(u + 1) + G(u + 2) + ...,

where h is the inverse of the greatest true positive rate 1 - f at a false positive rate. If G(v) were the
error probability, the least values of G(v - 1), G(v - 2), ... follow one from the other
(`one-run.least-mass`); G(0) > 1 is impossible, so that v right guesses or more are then less likely than the
error probability.

This holds for one number of guesses that is fixed before, and not at every time: the guesses may not depend
on coins that are revealed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from scipy.special import ndtr, ndtri

ROUNDING = 1e-9
"""G(0) has to exceed 1 by this; rounding errors are smaller."""

BISECTIONS = 24

Inverse = Callable[[float], float]
"""The least false positive rate of a test, as a function of its true positive rate."""


def gaussian_curve(mu: float) -> Inverse:
    """Return the curve of Gaussian privacy: Phi(Phi^-1(y) - mu)."""
    return lambda rate: float(ndtr(ndtri(rate) - mu))


def epsilon_delta_curve(epsilon: float, delta: float) -> Inverse:
    """Return the curve of (epsilon, delta)-privacy."""
    ratio = math.exp(epsilon)
    return lambda rate: max(0.0, (rate - delta) / ratio, 1 - delta - ratio * (1 - rate))


class GuessCount(NamedTuple):
    """Right guesses, all guesses, and all canaries, whether guessed or not."""

    right: int
    guesses: int
    canaries: int


def refutes(count: GuessCount, error: float, curve: Inverse) -> bool:
    """Return whether this many right guesses or more have less than the error probability under a curve."""
    chance, beyond = error, 0.0
    for right in range(count.right, 0, -1):
        rate = min((right * chance + beyond) / count.canaries, 1.0)
        beyond += chance
        chance = max(chance, (beyond + count.canaries * curve(rate)) / (count.guesses - right + 1))
        if chance > 1 + ROUNDING:
            return True
    return False


def greatest_refuted(
    count: GuessCount, error: float, family: Callable[[float], Inverse], most: float
) -> float:
    """Return the greatest parameter of a family of curves, up to `most`, that is refuted; 0 if none is.

    A greater parameter promises less, so that smaller ones are refuted, too.
    """
    if 2 * count.right <= count.guesses or not refutes(count, error, family(0.0)):
        return 0.0
    low, high = 0.0, most
    if refutes(count, error, family(high)):
        return high
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if refutes(count, error, family(middle)) else (low, middle)
    return low
