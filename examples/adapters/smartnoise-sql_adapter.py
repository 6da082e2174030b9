"""smartnoise-sql (github.com/opendp/smartnoise-sdk): the mechanisms with which it answers queries.

They are internal and do not check epsilon, so the adapter does.
"""

from importlib.metadata import version

from serve import serve
from snsql.sql._mechanisms import Gaussian, Laplace
from values import decimal, positive


def laplace(value: decimal, epsilon: positive, sensitivity, count):
    return Laplace(float(epsilon), sensitivity=sensitivity).release([value] * count)


def gaussian(value: decimal, epsilon: positive, delta, sensitivity, count):
    return Gaussian(float(epsilon), delta=delta, sensitivity=sensitivity).release([value] * count)


def gaussian_sigma(epsilon: positive, delta, sensitivity):
    return Gaussian(float(epsilon), delta=delta, sensitivity=sensitivity).scale


def laplace_threshold(epsilon: positive, delta):
    mechanism = Laplace(float(epsilon), sensitivity=1)
    mechanism.delta = delta
    return mechanism.threshold


RULES = {
    "gaussian_sigma": gaussian_sigma,
    "laplace_threshold": laplace_threshold,
}
serve("smartnoise-sql", version("smartnoise-sql"), {"laplace": laplace, "gaussian": gaussian}, RULES)
