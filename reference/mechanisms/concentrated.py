"""Zero-concentrated differential privacy (zCDP), and its conversion to (epsilon, delta).

Notation:
    rho      privacy parameter       alpha    order of a Renyi divergence      a    alpha - 1 > 0
"""

from __future__ import annotations

from collections.abc import Iterable

from privboost.reference.exact import Enclosure, Exact, Number, enclose, exact_sum, exp, floor, log, sqrt
from privboost.reference.exact.infimum import infimum
from privboost.reference.exact.jets import Jet, x_log_x

from .arguments import check_count, check_delta, not_negative, positive
from .gaussian import BITS, gdp_mu
from .solving import enclose_root


def rho_of_pure(epsilon: Exact) -> Number:
    """Return epsilon^2 / 2.

    Source: Bun and Steinke 2016, Proposition 1.4.
    """
    return positive(epsilon, "epsilon") ** 2 / 2


def rho_of_gaussian(sigma: Exact, sensitivity: Exact = 1) -> Number:
    """Return Delta^2 / (2 sigma^2), also for discrete Gaussian noise.

    Source: Bun and Steinke 2016, Proposition 1.6; Canonne, Kamath and Steinke 2020, Theorem 4.
    """
    return gdp_mu(sigma, sensitivity) ** 2 / 2


def rho_of_bounded_range(epsilon: Exact) -> Number:
    """Return epsilon^2 / 8, for mechanisms of bounded range epsilon, such as the exponential mechanism.

    Source: Cesar and Rogers 2021, Lemma 3.2.
    """
    return positive(epsilon, "epsilon") ** 2 / 8


def compose_zcdp(rhos: Iterable[Exact]) -> Number:
    """Return the sum of all rho.

    Source: Bun and Steinke 2016, Lemma 1.7.
    """
    return exact_sum(positive(rho, "rho") for rho in rhos)


def group_zcdp(rho: Exact, k: int) -> Number:
    """Return k^2 rho, for k rows that differ.

    Source: Bun and Steinke 2016, Proposition 1.9.
    """
    return check_count(k, "k") ** 2 * positive(rho, "rho")


def zcdp_epsilon(rho: Exact, delta: Exact) -> Number:
    """Return rho + 2 sqrt(rho log(1 / delta)), which is not the least epsilon.

    Source: Bun and Steinke 2016, Proposition 1.3.
    """
    cost = positive(rho, "rho")
    return cost + 2 * sqrt(cost * log(1 / check_delta(delta)))


def enclose_zcdp_delta(rho: Exact, epsilon: Exact, bits: int = BITS) -> Enclosure:
    """Return an enclosure of the infimum over a > 0 of exp(a ((a + 1) rho - epsilon)) a^a / (a + 1)^(a + 1).

    The exponent is convex in a, with the slope (2 a + 1) rho - epsilon + log(a / (a + 1)).

    Source: Canonne, Kamath and Steinke 2020, Corollary 13.
    Ensures: a relative width of at most 2^-bits.
    """
    cost, budget = positive(rho, "rho"), not_negative(epsilon, "epsilon")

    def exponent(a: Jet) -> Jet:
        return a * ((a + 1) * cost - budget) + x_log_x(a) - x_log_x(a + 1)  # type: ignore[no-any-return]

    nearest = enclose_root(lambda a: (2 * a + 1) * cost - budget + log(a / (a + 1)) < 0, 8)
    least = infimum(exponent, nearest.lo, nearest.hi, bits + 2).enclosure
    zeros = -floor(2 * least.lo)
    return Enclosure(enclose(exp(least.lo), bits + zeros + 4).lo, enclose(exp(least.hi), bits + zeros + 4).hi)


def enclose_zcdp_epsilon(rho: Exact, delta: Exact, bits: int = BITS) -> Enclosure:
    """Return an enclosure of the epsilon at which the infimum of `enclose_zcdp_delta` is delta.

    It is the infimum over a > 0 of (a + 1) rho + (log(1 / delta) - log(a + 1)) / a + log(a / (a + 1)), which
    falls as long as rho a^2 + log(a + 1) < log(1 / delta), and then rises.

    Source: Canonne, Kamath and Steinke 2020, Corollary 13.
    Ensures: a width of at most 2^-bits; a negative value means that epsilon = 0 is enough.
    """
    cost, surprise = positive(rho, "rho"), log(1 / check_delta(delta))

    def epsilon_at(a: Jet) -> Jet:
        return (a + 1) * cost + (surprise - log(a + 1)) / a + log(a / (a + 1))

    nearest = enclose_root(lambda a: cost * a * a + log(a + 1) < surprise, 8)
    return infimum(epsilon_at, nearest.lo, nearest.hi, bits).enclosure
