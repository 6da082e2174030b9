"""Noise that is added to a number: laws, probabilities of cells, and calibration.

Notation:
    epsilon, delta    privacy parameters            Delta    sensitivity
    b                 scale of Laplace noise        sigma    parameter of Gaussian noise
    Phi(x)            erfc(-x / sqrt(2)) / 2, the law of the standard normal distribution

The Laplace law and its discrete version are those of `privacy.mechanisms`. A law has P(X <= x) as `below(x)`
and P(X >= x) as `above(x)`, exactly; a law on a grid also has P(X = x) as `at(x)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from privboost.reference.exact import (
    Exact,
    Extended,
    Infinity,
    Number,
    erfc,
    exact,
    exact_sum,
    exp,
    log,
    sqrt,
    theta,
)
from privboost.reference.privacy.mechanisms import HALF, GridLaplace, Laplace, steps_from

from .arguments import check_bounds, check_delta, positive

__all__ = [
    "DiscreteGaussian",
    "Gaussian",
    "GridLaplace",
    "Laplace",
    "Law",
    "cell",
    "laplace_scale",
    "normal_below",
]


class Law(Protocol):
    """The law of a number."""

    def below(self, x: Exact) -> Number:
        """Return P(X <= x)."""

    def above(self, x: Exact) -> Number:
        """Return P(X >= x)."""


def cell(law: Law, lo: Extended, hi: Extended) -> Number:
    """Return P(lo < X <= hi), where the ends may be infinite.

    Requires: lo < hi; the finite ends are on the grid of a law that has one.
    """
    if isinstance(lo, Infinity):
        return Fraction(1) if isinstance(hi, Infinity) else law.below(hi)
    if isinstance(hi, Infinity):
        return 1 - law.below(lo)
    below, above = check_bounds(lo, hi)
    return law.below(above) - law.below(below)


def laplace_scale(epsilon: Exact, sensitivity: Exact, delta: Exact = 0) -> Number:
    """Return the least b for (epsilon, delta): Delta / epsilon, or Delta / (epsilon - 2 log(1 - delta)).

    Source: Dwork, McSherry, Nissim and Smith 2006, Proposition 1; the curve for delta > 0 is that of
        `curves.laplace_delta`. On a grid the scale for delta = 0 is the same.
    """
    budget, reach = positive(epsilon, "epsilon"), positive(sensitivity, "sensitivity")
    slack = check_delta(delta, zero=True)
    return reach / (budget - 2 * log(1 - slack)) if slack else reach / budget


def normal_below(x: Exact) -> Number:
    """Return Phi(x)."""
    return HALF * erfc(-exact(x) / sqrt(2))


@dataclass(frozen=True, slots=True)
class Gaussian:
    """The normal law with a mean and a standard deviation sigma.

    Source: Dwork, Kenthapadi, McSherry, Mironov and Naor 2006; `gaussian` has the calibration.
    """

    centre: Number
    sigma: Number

    def __post_init__(self) -> None:
        positive(self.sigma, "sigma")

    def below(self, x: Exact) -> Number:
        """Return P(X <= x) = Phi((x - centre) / sigma)."""
        return normal_below((exact(x) - self.centre) / self.sigma)

    def above(self, x: Exact) -> Number:
        """Return P(X >= x)."""
        return normal_below((self.centre - exact(x)) / self.sigma)


@dataclass(frozen=True, slots=True)
class DiscreteGaussian:
    """P(centre + k step) = exp(-k^2 r) / theta(r) with r = step^2 / (2 sigma^2), for all integers k.

    Source: Canonne, Kamath and Steinke 2020, Definition 1.
    """

    centre: Number
    sigma: Number
    step: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        positive(self.sigma, "sigma")
        positive(self.step, "step")

    @property
    def rate(self) -> Number:
        """Return r = step^2 / (2 sigma^2)."""
        return self.step**2 / (2 * self.sigma * self.sigma)

    def at(self, x: Exact) -> Number:
        """Return P(X = x) at a point of the grid."""
        return exp(-(steps_from(self.centre, self.step, x) ** 2) * self.rate) / theta(self.rate)

    def below(self, x: Exact) -> Number:
        """Return P(X <= x) at a point of the grid.

        The law is symmetric, so that P(X <= k) = (1 + P(-k <= X <= k)) / 2 for k >= 0, a finite sum.
        """
        k = steps_from(self.centre, self.step, x)
        if k < 0:
            return 1 - DiscreteGaussian(Fraction(0), self.sigma, self.step).below((-k - 1) * self.step)
        central = exact_sum([1, *(2 * exp(-(j**2) * self.rate) for j in range(1, k + 1))])
        return HALF + HALF * central / theta(self.rate)

    def above(self, x: Exact) -> Number:
        """Return P(X >= x) at a point of the grid."""
        return DiscreteGaussian(-self.centre, self.sigma, self.step).below(-exact(x))
