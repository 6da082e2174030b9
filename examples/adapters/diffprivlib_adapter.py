"""diffprivlib (github.com/IBM/differential-privacy-library); epsilon is documented to be in (0, infinity]."""

from functools import partial

import diffprivlib.mechanisms as dp
import numpy as np
from diffprivlib import BudgetAccountant, __version__, tools
from serve import serve

total = BudgetAccountant().total


def noise(kind, value, epsilon, sensitivity):
    return partial(kind(epsilon=epsilon, sensitivity=sensitivity).randomise, value)


def choice(kind, scores, epsilon, sensitivity, monotonic):
    given = {"epsilon": epsilon, "sensitivity": sensitivity, "monotonic": monotonic == "yes"}
    return kind(utility=list(scores.values()), candidates=list(scores), **given).randomise


def randomised_response(truth, categories, epsilon):
    if categories != 2:
        raise (NotImplementedError if categories > 2 else ValueError)("Binary has two categories")
    return lambda: int(dp.Binary(epsilon=epsilon, value0="0", value1="1").randomise(str(truth)))


DRAWS = {
    "laplace": partial(noise, dp.Laplace),
    "geometric": partial(noise, dp.Geometric),
    "gaussian": lambda value, epsilon, delta, sensitivity: partial(
        dp.GaussianAnalytic(epsilon=epsilon, delta=delta, sensitivity=sensitivity).randomise, value
    ),
    "exponential": partial(choice, dp.Exponential),
    "permute_and_flip": partial(choice, dp.PermuteAndFlip),
    "randomised_response": randomised_response,
    "count": lambda rows, epsilon, noise="geometric": partial(
        tools.count_nonzero, np.ones_like(rows), epsilon
    ),
    "bounded_sum": lambda rows, lower, upper, epsilon, relation="exchange": partial(
        tools.sum, rows, epsilon, (lower, upper)
    ),
    "bounded_mean": lambda rows, lower, upper, epsilon: partial(tools.mean, rows, epsilon, (lower, upper)),
    "histogram": lambda rows, categories, epsilon, relation="add_remove", noise="geometric": (
        lambda: tools.histogram(rows, epsilon, categories, (0, categories))[0]
    ),
}
RULES = {
    "gaussian_sigma": lambda epsilon, delta, sensitivity: np.sqrt(
        dp.GaussianAnalytic(epsilon=epsilon, delta=delta, sensitivity=sensitivity).variance(0)
    ),
    "basic_composition_epsilon": lambda epsilons: total([(epsilon, 0) for epsilon in epsilons])[0],
    "advanced_composition_epsilon": lambda epsilon, times, delta: total([(epsilon, 0)] * times, delta)[0],
}
STEPS = {
    "sum": lambda rows, lower, upper: tools.sum(np.array(rows, float), np.inf, (lower, upper)),
    "mean": lambda rows, lower, upper, size: tools.mean(np.array(rows, float), np.inf, (lower, upper)),
}
# Docstrings of Laplace and Gaussian: samples prevent attacks on floating-point numbers.
serve("diffprivlib", __version__, DRAWS, RULES, STEPS, claims=["low_bits"])
