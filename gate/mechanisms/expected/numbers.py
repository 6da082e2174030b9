"""The least number that is right for every rule of accounting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from privboost.reference.exact import Number, exp, log, sqrt
from privboost.reference.mechanisms.bounded_range import optimal_bounded_range_delta
from privboost.reference.mechanisms.composition import enclose_optimal_epsilon, group_privacy, optimal_delta
from privboost.reference.mechanisms.concentrated import compose_zcdp, rho_of_gaussian
from privboost.reference.mechanisms.curves import (
    discrete_gaussian_delta,
    laplace_delta,
    randomised_response_delta,
)
from privboost.reference.mechanisms.gaussian import (
    compose_gdp,
    enclose_gaussian_epsilon,
    enclose_sigma,
    gaussian_delta,
    gdp_delta,
    gdp_mu,
)
from privboost.reference.mechanisms.subsampling import amplify, subsampled_gaussian_delta
from privboost.reference.mechanisms.thresholds import laplace_threshold

from .laws import Arguments

BITS = 80
"""Relative width of the enclosures of numbers that are roots; their lower ends are expected."""


def _zcdp_epsilon(a: Arguments) -> Fraction:
    """Return the epsilon of normal noise with this rho: no conversion is right below it."""
    sigma = sqrt(1 / (2 * a["rho"]))
    if gaussian_delta(0, sigma) <= a["delta"]:
        return Fraction(0)
    least: Fraction = enclose_gaussian_epsilon(a["delta"], sigma, 1, BITS).lo
    return least


def _divergence_of_range(epsilon: Fraction) -> Number:
    """Return the greatest divergence of mechanisms of a bounded range: rho is not below it."""
    ratio = epsilon / (1 - exp(-epsilon))
    return ratio - 1 - log(ratio)


NUMBERS: Mapping[str, Callable[[Arguments], Number]] = {
    "gaussian_sigma": lambda a: enclose_sigma(a["epsilon"], a["delta"], a["sensitivity"], BITS).lo,
    "gaussian_delta": lambda a: gaussian_delta(a["at_epsilon"], a["sigma"], a["sensitivity"]),
    "clipped_sum_delta": lambda a: gaussian_delta(
        a["at_epsilon"], a["sigma"], a["bound"] * (2 if a["relation"] == "exchange" else 1)
    ),
    "laplace_delta": lambda a: laplace_delta(a["at_epsilon"], a["scale"], a["sensitivity"]),
    "randomised_response_delta": lambda a: randomised_response_delta(
        a["at_epsilon"], a["epsilon"], a["categories"]
    ),
    "discrete_gaussian_delta": lambda a: discrete_gaussian_delta(
        a["at_epsilon"], a["sigma"], a["sensitivity"]
    ),
    "basic_composition_epsilon": lambda a: sum(a["epsilons"], Fraction(0)),
    "advanced_composition_epsilon": lambda a: (
        enclose_optimal_epsilon(a["delta"], [a["epsilon"]] * a["times"], (), BITS).lo
    ),
    "pure_composition_delta": lambda a: optimal_delta(a["at_epsilon"], a["epsilons"]),
    "zcdp_of_gaussian": lambda a: rho_of_gaussian(a["sigma"], a["sensitivity"]),
    "zcdp_of_pure": lambda a: a["epsilon"] * (1 - 2 / (exp(a["epsilon"]) + 1)),
    "zcdp_of_bounded_range": lambda a: _divergence_of_range(a["epsilon"]),
    "zcdp_composition": lambda a: compose_zcdp(a["rhos"]),
    "zcdp_epsilon": _zcdp_epsilon,
    "gdp_of_gaussian": lambda a: gdp_mu(a["sigma"], a["sensitivity"]),
    "gdp_composition": lambda a: compose_gdp(a["mus"]),
    "gdp_delta": lambda a: gdp_delta(a["at_epsilon"], a["mu"]),
    "subsampling_epsilon": lambda a: amplify(a["epsilon"], Fraction(0), a["rate"])[0],
    "subsampled_gaussian_delta": lambda a: subsampled_gaussian_delta(a["at_epsilon"], a["sigma"], a["rate"]),
    "group_epsilon": lambda a: group_privacy(a["epsilon"], Fraction(0), a["times"])[0],
    "group_delta": lambda a: group_privacy(a["epsilon"], a["delta"], a["times"])[1],
    "laplace_threshold": lambda a: laplace_threshold(1 / a["epsilon"], a["delta"]),
    "bounded_range_delta": lambda a: optimal_bounded_range_delta(a["at_epsilon"], a["epsilon"], a["times"]),
}
