"""OpenDP (github.com/opendp/opendp). It takes scales of noise, which the adapter computes, and so checks."""

from functools import partial
from importlib.metadata import version
from math import exp

import opendp.prelude as dp
from opendp_accounting import RULES, gauss, gaussian_sigma, laplace
from opendp_aggregates import AGGREGATES
from opendp_spaces import atoms
from opendp_steps import STEPS
from serve import serve
from values import decimal, integer, whole


def discrete(make, value, scale):
    return partial(make(dp.atom_domain(T="i64"), dp.absolute_distance(T="i64"), scale=scale), value)


def geometric(value: integer, epsilon, sensitivity: whole):
    return discrete(dp.m.make_laplace, value, sensitivity / epsilon)


def discrete_gaussian(value: integer, sigma):
    return discrete(dp.m.make_gaussian, value, sigma)


def gaussian(value: decimal, epsilon, delta, sensitivity):
    return partial(gauss(gaussian_sigma(epsilon, delta, sensitivity)), value)


def noisy_max(scores, epsilon, sensitivity, monotonic, noise="exponential gumbel"):
    metric = dp.linf_distance(T=float, monotonic=monotonic == "yes")
    measure = dp.max_divergence() if noise == "exponential" else dp.zero_concentrated_divergence()
    scale = sensitivity / epsilon * (1 if monotonic == "yes" else 2)
    choose = dp.m.make_noisy_max(dp.vector_domain(atoms(float)), metric, measure, scale)
    return lambda: list(scores)[choose(list(scores.values()))]


def randomised_response(truth, categories, epsilon):
    chance = exp(epsilon) / (exp(epsilon) + categories - 1)
    return partial(dp.m.make_randomized_response(list(range(categories)), chance), truth)


NAMED = [geometric, discrete_gaussian, gaussian, noisy_max, randomised_response, *AGGREGATES]
DRAWS = {function.__name__: function for function in NAMED} | {
    "laplace": lambda value, epsilon, sensitivity: partial(laplace(sensitivity / epsilon), float(value)),
    # Exponential noise has the law of permute-and-flip, Gumbel noise that of the exponential mechanism.
    "permute_and_flip": lambda scores, epsilon, sensitivity, monotonic: noisy_max(
        scores, epsilon, sensitivity, monotonic, "exponential"
    ),
    "exponential": lambda scores, epsilon, sensitivity, monotonic: noisy_max(
        scores, epsilon, sensitivity, monotonic, "gumbel"
    ),
}
serve("opendp", version("opendp"), DRAWS, RULES, STEPS)
