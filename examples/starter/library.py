"""The functions of a library under the names of the starter set. Some of them are wrong."""

import math
import random

source = random.SystemRandom()


def check(number):
    if not 0 < number < math.inf:
        raise ValueError(f"expected a positive number, got {number}")


def laplace(value, epsilon, sensitivity):
    check(epsilon)
    check(sensitivity)
    return value + sensitivity / epsilon * (source.expovariate(1) - source.expovariate(1))


def exponential(scores, epsilon, sensitivity, monotonic):
    # Wrong: the 2 of exp(epsilon score / (2 sensitivity)) is missing.
    weights = [math.exp(epsilon * score / sensitivity) for score in scores.values()]
    return source.choices(list(scores), weights)[0]


def gaussian_sigma(epsilon, delta, sensitivity):
    # Wrong: this formula holds for epsilon < 1 only.
    return sensitivity * math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def map_sum(rows, lower, upper):
    # Wrong: not-a-number is neither above nor below a bound.
    return sum(min(max(row, lower), upper) for row in rows)
