"""The noise of the private boosting machines (DP-EBM) of InterpretML, and how they compute its size."""

from importlib.metadata import version

from interpret.utils._native import Native
from interpret.utils._privacy import calc_gdp_noise_multi, delta_eps_mu, validate_eps_delta
from serve import serve
from values import decimal, factor


def gaussian_sigma(epsilon, delta, sensitivity: factor):
    validate_eps_delta(epsilon, delta)
    return sensitivity * calc_gdp_noise_multi(1, epsilon, delta)


def gaussian(value: decimal, epsilon, delta, sensitivity: factor, count):
    sigma = float(gaussian_sigma(epsilon, delta, sensitivity))
    return value + Native.get_native_singleton().generate_gaussian_random(None, sigma, count)


RULES = {
    "gaussian_sigma": gaussian_sigma,
    "gdp_delta": lambda mu, at_epsilon: delta_eps_mu(at_epsilon, mu),
}
serve("interpret", version("interpret-core"), {"gaussian": gaussian}, RULES)
