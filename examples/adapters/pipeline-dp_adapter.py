"""PipelineDP (github.com/OpenMined/PipelineDP): its mechanisms, and counts and sums of its engine."""

from functools import partial
from importlib.metadata import version

import pipeline_dp as dp
from pipeline_dp import dp_computations as computations
from pipeline_dp.partition_selection import create_laplace_thresholding as thresholding
from serve import serve
from values import decimal


def laplace(value: decimal, epsilon, sensitivity):
    mechanism = computations.LaplaceMechanism.create_from_epsilon(epsilon, sensitivity)
    return partial(mechanism.add_noise, value)


def gaussian(value: decimal, epsilon, delta, sensitivity):
    mechanism = computations.GaussianMechanism.create_from_epsilon_delta(epsilon, delta, sensitivity)
    return partial(mechanism.add_noise, value)


def gaussian_sigma(epsilon, delta, sensitivity):
    return computations.compute_sigma(epsilon, delta, sensitivity)


def exponential(scores, epsilon, sensitivity, monotonic):
    class Given(computations.ExponentialMechanism.ScoringFunction):
        score = staticmethod(scores.__getitem__)
        global_sensitivity = sensitivity
        is_monotonic = monotonic == "yes"

    return lambda: str(computations.ExponentialMechanism(Given()).apply(epsilon, list(scores)))


def aggregate(metric, rows, epsilon, **bounds):
    accountant = dp.NaiveBudgetAccountant(epsilon, 0)
    one = {"max_partitions_contributed": 1, "max_contributions_per_partition": 1}
    params = dp.AggregateParams([metric], noise_kind=dp.NoiseKind.LAPLACE, **one, **bounds)
    extract = dp.DataExtractors(lambda row: row[0], lambda row: "all", lambda row: row[1])
    engine = dp.DPEngine(accountant, dp.LocalBackend())
    results = engine.aggregate(list(enumerate(rows)), params, extract, public_partitions=["all"])
    accountant.compute_budgets()
    return next(iter(results))[1][0]


def count(rows, epsilon, noise="laplace"):
    return partial(aggregate, dp.Metrics.COUNT, rows, epsilon)


def bounded_sum(rows, lower, upper, epsilon, relation="add_remove"):
    return partial(aggregate, dp.Metrics.SUM, rows, epsilon, min_value=lower, max_value=upper)


NAMED = [laplace, gaussian, exponential, count, bounded_sum]
RULES = {
    "gaussian_sigma": gaussian_sigma,
    "laplace_threshold": lambda epsilon, delta: thresholding(2**0.5 / epsilon, delta, 1).threshold,
}
serve("pipeline-dp", version("pipeline-dp"), {each.__name__: each for each in NAMED}, RULES)
