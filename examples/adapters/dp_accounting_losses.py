"""The deltas of dp-accounting, by distributions of privacy loss."""

from functools import reduce
from math import exp

from dp_accounting.pld import privacy_loss_distribution as loss
from dp_accounting.pld.common import DifferentialPrivacyParameters as Spent


def compose(epsilons):
    parts = [loss.from_privacy_parameters(Spent(epsilon, 0)) for epsilon in epsilons]
    return reduce(lambda first, second: first.compose(second), parts)


def randomised_response(categories, epsilon):
    return loss.from_randomized_response(categories / (exp(epsilon) + categories - 1), categories)


def gaussian(sigma, sensitivity=1, rate=1.0):
    fine = 1e-4 * max(1, (sensitivity / sigma) ** 2)
    given = {"sampling_prob": rate, "value_discretization_interval": fine}
    return loss.from_gaussian_mechanism(sigma, sensitivity, **given)


DELTAS = {
    "gaussian_delta": lambda sigma, sensitivity, at_epsilon: gaussian(
        sigma, sensitivity
    ).get_delta_for_epsilon(at_epsilon),
    "laplace_delta": lambda scale, sensitivity, at_epsilon: loss.from_laplace_mechanism(
        scale, sensitivity
    ).get_delta_for_epsilon(at_epsilon),
    "randomised_response_delta": lambda categories, epsilon, at_epsilon: randomised_response(
        categories, epsilon
    ).get_delta_for_epsilon(at_epsilon),
    "discrete_gaussian_delta": lambda sigma, sensitivity, at_epsilon: loss.from_discrete_gaussian_mechanism(
        sigma, sensitivity
    ).get_delta_for_epsilon(at_epsilon),
    "pure_composition_delta": lambda epsilons, at_epsilon: compose(epsilons).get_delta_for_epsilon(
        at_epsilon
    ),
    "subsampled_gaussian_delta": lambda sigma, rate, at_epsilon: gaussian(
        sigma, rate=rate
    ).get_delta_for_epsilon(at_epsilon),
}
