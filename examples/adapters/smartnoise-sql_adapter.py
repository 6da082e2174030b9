"""smartnoise-sql (github.com/opendp/smartnoise-sdk): the mechanisms with which it answers queries.

They are internal and do not check what they are given, so the adapter does.
"""

from importlib.metadata import version

from serve import serve
from snsql.sql._mechanisms import Gaussian, Laplace
from values import decimal, factor, share


def laplace(value: decimal, epsilon: factor, sensitivity: factor, count):
    return Laplace(epsilon, sensitivity=sensitivity).release([value] * count)


def gaussian(value: decimal, epsilon: factor, delta: share, sensitivity: factor, count):
    return Gaussian(epsilon, delta=delta, sensitivity=sensitivity).release([value] * count)


def gaussian_sigma(epsilon: factor, delta: share, sensitivity: factor):
    return Gaussian(epsilon, delta=delta, sensitivity=sensitivity).scale


def laplace_threshold(epsilon: factor, delta: share):
    mechanism = Laplace(epsilon, sensitivity=1)
    mechanism.delta = delta
    return mechanism.threshold


RULES = {
    "gaussian_sigma": gaussian_sigma,
    "laplace_threshold": laplace_threshold,
}
serve("smartnoise-sql", version("smartnoise-sql"), {"laplace": laplace, "gaussian": gaussian}, RULES)
