"""The accounting of OpenDP: what its measurements say about themselves."""

from functools import cache
from math import sqrt

import opendp.prelude as dp
from opendp_spaces import atoms


def laplace(scale):
    return dp.m.make_laplace(atoms(float), dp.absolute_distance(T=float), scale=scale)


def gauss(sigma):
    return dp.m.make_gaussian(atoms(float), dp.absolute_distance(T=float), scale=sigma)


def approximate(sigma, delta):
    return dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(gauss(sigma)), delta)


@cache
def gaussian_sigma(epsilon, delta, sensitivity):
    chain = lambda sigma: approximate(sigma, delta)  # noqa: E731
    return dp.binary_search_param(chain, d_in=float(sensitivity), d_out=(epsilon, delta), T=float)


def total(measurements):
    return dp.c.make_composition(measurements).map(1.0)


RULES = {
    "gaussian_sigma": gaussian_sigma,
    "basic_composition_epsilon": lambda epsilons: total([laplace(1 / epsilon) for epsilon in epsilons]),
    "zcdp_of_gaussian": lambda sigma, sensitivity: gauss(sigma).map(float(sensitivity)),
    "zcdp_of_pure": lambda epsilon: dp.c.make_pureDP_to_zCDP(laplace(1 / epsilon)).map(1.0),
    "zcdp_composition": lambda rhos: total([gauss(sqrt(1 / (2 * rho))) for rho in rhos]),
    "zcdp_epsilon": lambda rho, delta: approximate(sqrt(1 / (2 * rho)), delta).map(1.0)[0],
    "group_epsilon": lambda epsilon, times: laplace(1 / epsilon).map(float(times)),
}
