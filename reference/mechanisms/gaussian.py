"""Calibration of Gaussian noise, and Gaussian differential privacy.

Notation:
    sigma    standard deviation    Delta    sensitivity    mu    Delta / sigma
    Phi      the law of the standard normal distribution
"""

from __future__ import annotations

from collections.abc import Iterable

from privboost.errors import PreconditionError
from privboost.reference.exact import Enclosure, Exact, Number, exact_sum, exp, log, sqrt

from .arguments import check_count, check_delta, not_negative, positive
from .noise import normal_below
from .solving import enclose_root

BITS = 40
"""Default relative precision of solutions of equations."""


def gaussian_delta(epsilon: Exact, sigma: Exact, sensitivity: Exact = 1) -> Number:
    """Return the least delta, Phi(mu / 2 - epsilon / mu) - e^epsilon Phi(-mu / 2 - epsilon / mu).

    Source: Balle and Wang 2018, Theorem 8; in terms of mu, Dong, Roth and Su 2019, Corollary 2.13.
    """
    budget = not_negative(epsilon, "epsilon")
    mu = gdp_mu(sigma, sensitivity)
    return normal_below(mu / 2 - budget / mu) - exp(budget) * normal_below(-mu / 2 - budget / mu)


def classic_sigma(epsilon: Exact, delta: Exact, sensitivity: Exact = 1) -> Number:
    """Return Delta sqrt(2 log(1.25 / delta)) / epsilon, which is proved for epsilon < 1 only.

    Source: Dwork and Roth 2014, Theorem A.1.
    """
    budget, slack = positive(epsilon, "epsilon"), check_delta(delta)
    if budget >= 1:
        raise PreconditionError("epsilon", "0 < epsilon < 1 for the classic formula", epsilon)
    return positive(sensitivity, "sensitivity") * sqrt(2 * log(5 / (4 * slack))) / budget


def enclose_sigma(epsilon: Exact, delta: Exact, sensitivity: Exact = 1, bits: int = BITS) -> Enclosure:
    """Return an enclosure of the least sigma that is private for (epsilon, delta).

    Source: Balle and Wang 2018, Algorithm 1.
    """
    budget, slack = not_negative(epsilon, "epsilon"), check_delta(delta)
    positive(sensitivity, "sensitivity")
    return enclose_root(lambda sigma: gaussian_delta(budget, sigma, sensitivity) > slack, bits)


def enclose_gaussian_epsilon(
    delta: Exact, sigma: Exact, sensitivity: Exact = 1, bits: int = BITS
) -> Enclosure:
    """Return an enclosure of the least epsilon of Gaussian noise at a delta.

    Requires: delta is less than the delta at epsilon = 0, so that epsilon > 0.
    """
    slack = check_delta(delta)
    if slack >= gaussian_delta(0, sigma, sensitivity):
        raise PreconditionError("delta", "less than the delta at epsilon = 0", delta)
    return enclose_root(lambda epsilon: gaussian_delta(epsilon, sigma, sensitivity) > slack, bits)


def gdp_mu(sigma: Exact, sensitivity: Exact = 1) -> Number:
    """Return mu = Delta / sigma.

    Source: Dong, Roth and Su 2019, Theorem 2.7.
    """
    return positive(sensitivity, "sensitivity") / positive(sigma, "sigma")


def gdp_delta(epsilon: Exact, mu: Exact) -> Number:
    """Return the delta of mu-Gaussian privacy.

    Source: Dong, Roth and Su 2019, Corollary 2.13.
    """
    return gaussian_delta(epsilon, 1, positive(mu, "mu"))


def compose_gdp(mus: Iterable[Exact]) -> Number:
    """Return sqrt(mu_1^2 + ... + mu_n^2).

    Source: Dong, Roth and Su 2019, Corollary 3.3.
    """
    return sqrt(exact_sum(positive(mu, "mu") ** 2 for mu in mus))


def group_gdp(mu: Exact, k: int) -> Number:
    """Return k mu, for neighbours that differ in k rows.

    Source: Dong, Roth and Su 2019, Theorem 2.14.
    """
    return check_count(k, "k") * positive(mu, "mu")
