"""smartnoise-sql (github.com/opendp/smartnoise-sdk): the mechanisms with which it answers queries."""

from importlib.metadata import version

from serve import serve
from snsql.sql._mechanisms import Gaussian, Laplace
from values import decimal


def laplace(value: decimal, epsilon, sensitivity, count):
    return Laplace(epsilon, sensitivity=sensitivity).release([value] * count)


def gaussian(value: decimal, epsilon, delta, sensitivity, count):
    return Gaussian(epsilon, delta=delta, sensitivity=sensitivity).release([value] * count)


def laplace_threshold(epsilon, delta):
    mechanism = Laplace(epsilon, sensitivity=1)
    mechanism.delta = delta
    return mechanism.threshold


RULES = {
    "gaussian_sigma": lambda epsilon, delta, sensitivity: (
        Gaussian(epsilon, delta=delta, sensitivity=sensitivity).scale
    ),
    "laplace_threshold": laplace_threshold,
}
serve("smartnoise-sql", version("smartnoise-sql"), {"laplace": laplace, "gaussian": gaussian}, RULES)
